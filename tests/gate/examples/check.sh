#!/usr/bin/env bash
# The agents of examples/: green as they are, red when a prompt, a tool or its data changes, and nothing leaves this machine.
# `tests/gate/examples/check.sh rig` takes the one in Rust, whose dependencies take minutes to build; without it, the one in Python.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target} PYTHONDONTWRITEBYTECODE=1
example=${1:-python}-agent
work=$(mktemp -d)
model=
trap 'rm -rf "$work"; [ -z "$model" ] || kill "$model"' EXIT

# Runs the cases: the exit code and the texts that the output must contain, and a program in front of the command.
expect() {
    local code=0 output text
    output=$("${@:3}" "${cases[@]}" 2>&1) || code=$?
    while read -r text; do
        if [ "$code" != "$1" ] || [[ $output != *"$text"* ]]; then
            printf '%s\nexpected the exit code %s and: %s\n' "$output" "$1" "$text"
            exit 1
        fi
    done <<<"$2"
    echo "$example: exit code $code: ${2//$'\n'/, }"
}

# Changes a file, runs the cases, and changes it back.
break_file() {
    cp "$1" "$work/whole"
    sed -i "$2" "$1"
    expect 101 "$3" env
    cp "$work/whole" "$1"
}

if [ "$example" = python-agent ]; then
    command -v python3 >/dev/null || { echo 'tests/gate/examples/check.sh: skipped, there is no python3'; exit 0; }
    [ -n "${PROGRAM_IS_BUILT:-}" ] || cargo build --quiet --package cargo-arraign --all-features --manifest-path "$here/Cargo.toml"
    cp -r "$here/examples/python-agent" "$work/agent"
    cases=("$CARGO_TARGET_DIR/debug/cargo-arraign" run --allow-exec)
else
    cp -r "$here/examples/rig-agent" "$work/agent"
    sed -i "s|\"../..\"|\"$here\"|" "$work/agent/Cargo.toml"
    export CARGO_TARGET_DIR=$CARGO_TARGET_DIR/examples
    (cd "$work/agent" && cargo build --quiet --locked --tests)
    cases=(cargo test --quiet --offline --locked --test evals)
fi
cd "$work/agent"
unset OPENAI_API_KEY OPENAI_BASE_URL

expect 0 '10 passed; 0 failed' env
prompt='system message: "...'
break_file prompts/support.md 's/Never guess/Always guess/' "10 failed
$prompt"
break_file data/orders.json 's/Tuesday/Friday/' '7 passed; 3 failed
tool result: "...'
break_file tools.json 's/Lists the numbers/Lists the ids/' '10 failed
tool `find_orders`, `description`: "Lists the '

# In a network of its own, in which there is only this machine, the cases replay, and nothing can be recorded.
if ! unshare --map-root-user --net true 2>/dev/null || ! command -v ip >/dev/null; then
    echo 'tests/gate/examples/check.sh: not tried in a network namespace, which needs unshare and ip'
    exit 0
fi
alone=(unshare --map-root-user --net sh -c 'ip link set lo up && exec "$@"' sh)
exec 3< <(exec python3 "$here/examples/python-agent/scripted_model.py")
model=$!
read -r url <&3
record=(env ARRAIGN_AGENT_MODE=rerecord "OPENAI_BASE_URL=$url")
expect 0 '10 passed; 0 failed' "${alone[@]}"
expect 101 '0 passed; 10 failed
the provider gave no reply' "${alone[@]}" "${record[@]}"
expect 0 '10 passed; 0 failed' "${record[@]}"
diff -r "$here/examples/$example/evals" "$work/agent/evals"
echo "tests/gate/examples/check.sh: $example is held by its cases"
