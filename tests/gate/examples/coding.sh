#!/usr/bin/env bash
# The example of a coding agent: green as it is, live and replayed; red when its skill loses a rule, when it may not edit, and when
# its recorded files change.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target} PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null && python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    { echo 'tests/gate/examples/coding.sh: skipped, there is no Python 3.10'; exit 0; }
[ -n "${PROGRAM_IS_BUILT:-}" ] || cargo build --quiet --package cargo-arraign --all-features --manifest-path "$here/Cargo.toml"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/examples/coding-agent" "$work/agent"
cd "$work/agent"

# Runs the cases: the exit code, a text that the output must contain, and variables.
expect() {
    local code=0 output
    output=$(env "${@:3}" "$CARGO_TARGET_DIR/debug/cargo-arraign" run --allow-exec 2>&1) || code=$?
    if [ "$code" != "$1" ] || [[ $output != *"$2"* ]]; then
        printf '%s\nexpected the exit code %s and: %s\n' "$output" "$1" "$2"
        exit 1
    fi
    echo "coding-agent: exit code $code: $2"
}

# Takes the fixtures and the cases as they were.
restore() {
    rm -rf evals fixtures
    cp -r "$here/examples/coding-agent/evals" "$here/examples/coding-agent/fixtures" .
}

expect 0 '1 passed; 0 failed' ARRAIGN_AGENT_MODE=record
diff -r "$here/examples/coding-agent/fixtures" fixtures
mv agent.py gone.py
expect 0 '1 passed; 0 failed'
sed -i 's/sum(prices)/0/' evals/traces/cart/total/1.changes/files/src/cart.py
expect 101 '4 of 5 runs passed'
mv gone.py agent.py

restore
sed -i '/CHANGELOG/d' fixtures/shop/skills/fix-a-bug/SKILL.md
expect 101 'run 5: 0.8: file: `CHANGELOG.md` does not match' ARRAIGN_AGENT_MODE=live
restore
sed -i 's/allow: .read, edit./allow: [read]/' evals/cart.yaml
expect 101 '0 of 5 runs passed' ARRAIGN_AGENT_MODE=live
echo 'tests/gate/examples/coding.sh: the example is held by its case'
