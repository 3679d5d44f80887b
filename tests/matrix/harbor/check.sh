#!/usr/bin/env bash
# The jobs in tests/check/reward/jobs are what Harbor's own models write, and the table of exceptions without a valid reward is
# Harbor's. They need Python 3.12.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
target=${CARGO_TARGET_DIR:-$here/target}
export PYTHONDONTWRITEBYTECODE=1

python=
for candidate in python3.14 python3.13 python3.12 "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python3; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo 'tests/matrix/harbor/check.sh: skipped, there is no Python 3.12'; exit 0; }
tools=$target/harbor
[ -d "$tools/python" ] || "$python" -m venv "$tools/python"
# The models alone: what runs agents and containers is not needed.
"$tools/python/bin/pip" install --quiet --disable-pip-version-check pydantic shortuuid toml
"$tools/python/bin/pip" install --quiet --disable-pip-version-check --no-deps harbor==0.26.0

rm -rf "$tools/jobs"
mkdir -p "$tools/jobs"
"$tools/python/bin/python" "$here/tests/matrix/harbor/write_jobs.py" "$tools/jobs"
diff -r "$here/tests/check/reward/jobs" "$tools/jobs"

"$tools/python/bin/python" - "$here/crates/arraign-trace/src/reader/harbor.rs" <<'PYTHON'
import re, sys
from harbor.models.trial.error_policy import ERROR_POLICIES, UNKNOWN_ERROR_POLICY

text = open(sys.argv[1]).read()
table = re.search(r"const WITHOUT_VALID_REWARD: &\[&str\] = &\[(.*?)\];", text, re.S).group(1)
ours = re.findall(r'"(\w+)"', table)
theirs = sorted(name for name, policy in ERROR_POLICIES.items() if not policy.has_valid_reward)
assert ours == sorted(ours) and ours == theirs, set(ours) ^ set(theirs)
assert UNKNOWN_ERROR_POLICY.has_valid_reward
print(f"the table of {len(ours)} exceptions is Harbor's")
PYTHON
