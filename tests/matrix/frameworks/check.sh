#!/usr/bin/env bash
# The snippets of docs/get-traces.md, run with the frameworks themselves against a model on the loopback. What each of
# them writes is a run with two calls, one of which fails.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target} PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "no python3: skipped"; exit 0; }
[ -n "${PROGRAM_IS_BUILT:-}" ] || (cd "$here" && cargo build --package cargo-arraign)

tools=$CARGO_TARGET_DIR/frameworks
traces=$tools/evals/traces/frameworks
rm -rf "$tools/evals"
mkdir -p "$traces"
for group in models agents google observers; do
    [ -d "$tools/$group" ] || python3 -m venv "$tools/$group"
    "$tools/$group/bin/pip" install --quiet --disable-pip-version-check -r "$here/tests/matrix/frameworks/$group.txt"
done
cp "$here"/tests/matrix/frameworks/*.mjs "$here/tests/matrix/frameworks/package.json" "$tools"
scripts=()
# An older Node.js installs older versions of some packages without a word, and an old version hides what the newest one
# writes.
oldest_node=22
node=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
if [ "$node" -lt "$oldest_node" ]; then
    echo "no Node.js $oldest_node or newer: the snippets in TypeScript are skipped"
elif command -v npm >/dev/null; then
    (cd "$tools" && npm install --silent --no-audit --no-fund)
    # A pin that is behind the newest version is told, and fails nothing.
    (cd "$tools" && npm outdated) || true
    scripts=("$tools"/*_*.mjs)
fi

exec 3< <(exec python3 "$here/tests/matrix/frameworks/stub.py")
stub=$!
trap 'kill "$stub"' EXIT
read -r port <&3
export STUB=http://127.0.0.1:$port OPENAI_API_KEY=none OPENAI_BASE_URL=http://127.0.0.1:$port/v1

failed=()
# Runs a file with a program, and adds a case about the trace that the file writes.
check() {
    local name=${2##*/}
    name=${name//./_}
    if ! "$1" "$2" "$traces/$name.json" >"$tools/$name.log" 2>&1; then
        tail -5 "$tools/$name.log"
        failed+=("$name")
        return
    fi
    printf '  - {id: %s, expect: [{required_tools: [get_order, get_quote]}, {tool_calls_at_most: 2}, {none_of: [{tool_blocklist: [get_quote]}]}]}\n' \
        "$name" >>"$tools/evals/frameworks.yaml"
}

echo "tests:" >"$tools/evals/frameworks.yaml"
for group in models agents google observers; do
    while read -r script; do
        check "$tools/$group/bin/python" "$here/tests/matrix/frameworks/$script.py"
    done < <(sed -n 's/^# run: //p' "$here/tests/matrix/frameworks/$group.txt")
done
for script in ${scripts[@]+"${scripts[@]}"}; do
    check node "$script"
done

cd "$tools"
"$CARGO_TARGET_DIR/debug/cargo-arraign" run
echo "not run: ${failed[*]:-nothing}"
[ "${#failed[@]}" = 0 ]
