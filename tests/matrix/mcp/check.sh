#!/usr/bin/env bash
# Mock tools and the clients that others wrote: the official SDKs of Python and TypeScript list and call them and are refused, over HTTP
# and over standard streams, and two MCP servers from npm are recorded and replayed. Installs into the target folder.
set -euo pipefail
cd "$(dirname "$0")/../../.."
for tool in python3 npm; do
    command -v "$tool" >/dev/null || { echo "tests/matrix/mcp/check.sh: skipped, there is no $tool"; exit 0; }
done
mkdir -p "${CARGO_TARGET_DIR:-target}/mcp"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
home=$target/mcp
if [ ! -e "$home/installed" ]; then
    rm -rf "$home/python" "$home/node"
    python3 -m venv "$home/python"
    "$home/python/bin/pip" install --quiet 'mcp==2.3.0'
    mkdir "$home/node"
    echo '{"private": true}' >"$home/node/package.json"
    npm install --silent --no-audit --no-fund --prefix "$home/node" @modelcontextprotocol/sdk@1.32.2 \
        @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31
    touch "$home/installed"
fi

[ -n "${PROGRAM_IS_BUILT:-}" ] || cargo build --package cargo-arraign --all-features
export MOCKS_EXE=$target/debug/cargo-arraign SDK_FOLDER=$home/node
agents=("$home/python/bin/python, $PWD/tests/matrix/mcp/agent.py" "node, $PWD/tests/matrix/mcp/agent.mjs")
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
mkdir -p "$project/evals" "$project/data"

# Writes a suite whose agent has these arguments, with further settings, and cases from standard input.
write_suite() {
    printf 'agent: {command: [%s], env: [MOCKS_EXE, SDK_FOLDER]%s}\n' "$2" "$3" >"$project/evals/$1.yaml"
    cat >>"$project/evals/$1.yaml"
}

# Runs the cases: the mode, the expected exit code, and what the output must contain.
run() {
    local code=0 output
    output=$(cd "$project" && ARRAIGN_AGENT_MODE=$1 "$MOCKS_EXE" run --allow-exec 2>&1) || code=$?
    if [ "$code" != "$2" ] || { [ -n "${3:-}" ] && [[ $output != *"$3"* ]]; }; then
        printf '%s\nexpected the exit code %s and `%s`\n' "$output" "$2" "${3:-}"
        exit 1
    fi
}

for agent in "${agents[@]}"; do
    for way in http stdio; do
        write_suite calls "$agent, $way, 'get_order={\"id\": 7}', 'get_order={\"id\": 8}', 'look={}'" '' <<'YAML'
tests:
  - id: a
    input: Where is order 7?
    mocks:
      name: shop
      tools:
        get_order: [{when: {id: 7}, return: {status: shipped}}, {return: {error: not found}, failed: true}]
        look: {content: [one, {type: image, data: aGk=, mimeType: image/png}], delay: 200ms}
      decoys: [delete_order]
    expect:
      - contains: "offered: get_order look delete_order"
      - contains: "failed: {\"error\":\"not found\"}"
      - contains: one image
      - calls: ["shop:get_order", "shop:look"]
      - tool_calls_at_most: 3
YAML
        run live 0
        write_suite calls "$agent, $way, 'delete_order={}', 'other={}'" '' <<'YAML'
tests:
  - id: a
    input: Where is order 7?
    mocks: {tools: {get_order: {return: shipped}}, decoys: [delete_order]}
    expect: [{contains: "refused: "}]
YAML
        run live 101 '`other` is not one of the mock tools: get_order, delete_order'
    done
done

# Each server is recorded, and replayed when it is gone.
record_server() {
    write_suite calls "$1, trace, $3" ', model: true' <<YAML
tests:
  - id: a
    input: x
    mocks: {server: {command: [node, "$home/node/node_modules/@modelcontextprotocol/$2"$4]}}
    expect: [{contains: "$5"}, {tool_calls_at_most: 3}]
YAML
    rm -rf "$project/evals/cassettes"
    run record 0
    mv "$home/node/node_modules/@modelcontextprotocol" "$home/node/node_modules/@gone"
    local code=0
    # The TypeScript agent needs its own SDK.
    mkdir "$home/node/node_modules/@modelcontextprotocol"
    ln -s ../@gone/sdk "$home/node/node_modules/@modelcontextprotocol/sdk"
    (run replay 0) || code=$?
    rm -r "$home/node/node_modules/@modelcontextprotocol"
    mv "$home/node/node_modules/@gone" "$home/node/node_modules/@modelcontextprotocol"
    [ "$code" = 0 ]
}
echo 'order 7 has shipped' >"$project/data/orders.txt"
for agent in "${agents[@]}"; do
    record_server "$agent" server-everything/dist/index.js \
        "'echo={\"message\": \"hi\"}', 'get-sum={\"a\": 2, \"b\": 3}'" ', stdio' 'Echo: hi'
    record_server "$agent" server-filesystem/dist/index.js \
        "'read_text_file={\"path\": \"$project/data/orders.txt\"}'" ", $project/data" 'order 7 has shipped'
    sed -i 's/orders.txt/other.txt/' "$project/evals/calls.yaml"
    run replay 101 'is not recorded; the nearest is line'
done
echo 'tests/matrix/mcp/check.sh: the SDKs and servers agree with the mock tools'
