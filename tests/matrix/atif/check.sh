#!/usr/bin/env bash
# Every sample of the readers as ATIF, held against the models of Harbor, which define the format. They need Python 3.12.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target} PYTHONDONTWRITEBYTECODE=1
[ -n "${PROGRAM_IS_BUILT:-}" ] || (cd "$here" && cargo build --package cargo-arraign --all-features)
program=$CARGO_TARGET_DIR/debug/cargo-arraign

python=
for candidate in python3.14 python3.13 python3.12 "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python3; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo 'tests/matrix/atif/check.sh: skipped, there is no Python 3.12'; exit 0; }
tools=$CARGO_TARGET_DIR/atif
[ -d "$tools/python" ] || "$python" -m venv "$tools/python"
# The models alone: what runs agents and containers is not needed.
"$tools/python/bin/pip" install --quiet --disable-pip-version-check pydantic
"$tools/python/bin/pip" install --quiet --disable-pip-version-check --no-deps harbor==0.26.0

rm -rf "$tools/files"
mkdir -p "$tools/files"
for sample in "$here"/crates/arraign-trace/tests/reader/*/*; do
    case $sample in *.txt | *.snap | */snapshots) continue ;; esac
    format=$(basename "$(dirname "$sample")")
    # Files without a run, and those that a reader refuses on purpose, are not written.
    "$program" convert --out "$tools/files/$format" "$sample" >/dev/null 2>>"$tools/refused" || true
done

"$tools/python/bin/python" - "$tools/files" <<'PYTHON'
import json, pathlib, sys
from harbor.models.trajectories import Trajectory

files = sorted(pathlib.Path(sys.argv[1]).rglob("*.json"))
wrong = []
for file in files:
    try:
        Trajectory.model_validate(json.loads(file.read_text()))
    except ValueError as error:
        wrong.append(f"{file}: {error}")
print("\n".join(wrong[:5]))
assert len(files) > 250 and not wrong, f"{len(wrong)} of {len(files)} are refused"
print(f"Harbor's models take all {len(files)} trajectories")
PYTHON
