#!/usr/bin/env bash
# The Python package, as pip gets it: a wheel, installed from its file into fresh environments of two versions of Python, with
# its tests, its type stubs, and the programs of its pages.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
target=${CARGO_TARGET_DIR:-$here/target}
tools=$target/python
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

pythons=()
for version in 3.11 3.12 3.13 3.14; do
    for candidate in "python$version" "$HOME"/.pyenv/versions/"$version".*/bin/python3; do
        if "$candidate" -c 'import venv' 2>/dev/null; then pythons+=("$candidate"); break; fi
    done
done
[ "${#pythons[@]}" -gt 0 ] || { echo 'tests/matrix/python/check.sh: skipped, there is no Python 3.11'; exit 0; }

[ -d "$tools/build" ] || "${pythons[0]}" -m venv "$tools/build"
"$tools/build/bin/pip" install --quiet 'maturin>=1.16,<2'
rm -rf "$tools/wheels"
manifest=$here/crates/arraign-trace-py/Cargo.toml
cargo fmt --manifest-path "$manifest" --check
CARGO_TARGET_DIR=$target cargo clippy --quiet --locked --manifest-path "$manifest" -- -D warnings
# Without optimizations a wheel is as right, and is built in a fraction of the time.
(cd "$here/crates/arraign-trace-py" &&
    CARGO_TARGET_DIR=$target "$tools/build/bin/maturin" build --quiet --locked --profile dev --out "$tools/wheels")
wheel=$(ls "$tools"/wheels/*.whl)

# The oldest and the newest.
for python in "${pythons[0]}" "${pythons[-1]}"; do
    environment=$tools/$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    rm -rf "$environment"
    "$python" -m venv "$environment"
    "$environment/bin/pip" install --quiet --no-index "$wheel"
    "$environment/bin/pip" install --quiet pytest
    "$environment/bin/python" -m pytest -q -p no:cacheprovider "$here/crates/arraign-trace-py/tests"
    "$environment/bin/python" "$here/tests/matrix/python/run_pages.py" \
        "$here/docs/python.md" "$here/crates/arraign-trace-py/README.md"
done

# The stubs say what is there, and DeepEval's own class is saved like ours.
"$environment/bin/pip" install --quiet mypy
"$environment/bin/python" -m mypy.stubtest arraign_trace --ignore-missing-stub
if "$environment/bin/pip" install --quiet deepeval 2>/dev/null; then
    DEEPEVAL_TELEMETRY_OPT_OUT=YES "$environment/bin/python" -m pytest -q -p no:cacheprovider \
        "$here/crates/arraign-trace-py/tests" -k test_case
fi
echo "$(basename "$wheel"): $(($(stat -c %s "$wheel") / 1024)) KiB"
