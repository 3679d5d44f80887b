#!/usr/bin/env bash
# The state of recorded runs of tau-bench's airline, with its own tools behind `exec`, is the expected one by the check `state`
# exactly where it is by tau-bench's own comparison of databases. It needs git, Python with pydantic, and a network, or
# TAU_BENCH=FOLDER with a checkout. FEW=20 takes the 20 shortest runs.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
target=${CARGO_TARGET_DIR:-$here/target}
commit=59a200c6d575d595120f1cb70fea53cef0632f6b
export PYTHONDONTWRITEBYTECODE=1

python3 -c 'import sys, pydantic; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
    { echo 'tests/matrix/tau_bench/check.sh: skipped, there is no Python 3.10 with pydantic'; exit 0; }
if [ -z "${TAU_BENCH:-}" ]; then
    TAU_BENCH=$target/tau-bench
    if [ ! -d "$TAU_BENCH/.git" ]; then
        git init --quiet "$TAU_BENCH"
        git -C "$TAU_BENCH" fetch --quiet --depth 1 https://github.com/sierra-research/tau-bench "$commit" ||
            { rm -rf "$TAU_BENCH"; echo 'tests/matrix/tau_bench/check.sh: skipped, the repository cannot be had'; exit 0; }
        git -C "$TAU_BENCH" checkout --quiet FETCH_HEAD
    fi
fi
export TAU_BENCH TOOLS=$here/tests/matrix/tau_bench
program=${ARRAIGN:-$target/debug/cargo-arraign}
[ -n "${ARRAIGN:-}" ] || (cd "$here" && cargo build --quiet -p cargo-arraign --features live)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$here/tests/matrix/tau_bench/write_cases.py" "$work" "${FEW:-1000}"
cp "$here/tests/matrix/tau_bench/world.py" "$work/"
# Cases that fail are what is compared.
(cd "$work" && "$program" arraign run --allow-exec > run.txt 2>&1) || true
python3 "$here/tests/matrix/tau_bench/compare.py" "$work"
