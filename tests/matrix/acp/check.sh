#!/usr/bin/env bash
# Claude Code by its adapter for the Agent Client Protocol, with a scripted model behind the model proxy: its stream gives the calls
# that its own log has, and its model is replayed in another workspace. Needs a network, Python, and Node.js 20 to install Node.js 22.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target}
command -v npm >/dev/null && command -v python3 >/dev/null ||
    { echo 'tests/matrix/acp/check.sh: skipped, there is no npm or no python3'; exit 0; }
[ -n "${PROGRAM_IS_BUILT:-}" ] || (cd "$here" && cargo build --package cargo-arraign --all-features)
program=$CARGO_TARGET_DIR/debug/cargo-arraign
tools=$CARGO_TARGET_DIR/acp
mkdir -p "$tools"
npm install --prefix "$tools" --silent --no-audit --no-fund node@22.23.3 @agentclientprotocol/claude-agent-acp@0.101.0
node=$tools/node_modules/node/bin/node
"$node" --version >/dev/null || { echo 'tests/matrix/acp/check.sh: skipped, Node.js 22 does not run here'; exit 0; }

work=$(mktemp -d)
kept=
python3 "$here/tests/matrix/acp/model.py" 18766 &
model=$!
trap 'kill "$model" 2>/dev/null || true; rm -rf "$work" "$kept"' EXIT
mkdir "$work/evals"
cat > "$work/evals/notes.yaml" <<YAML
id: notes
agent:
  acp: [$node, $tools/node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js]
  env: [ANTHROPIC_API_KEY]
  permissions: {allow: [edit]}
  model: {upstream: {anthropic: "http://127.0.0.1:18766"}}
  timeout: 2m
workspace: {}
input: Write the notes.
expect:
  - tool_called: Write
  - changes: {only: [notes.txt]}
  - contains: I wrote the notes
  - ended: well
YAML
cd "$work"
export ANTHROPIC_API_KEY=sk-ant-0123456789abcdef

ARRAIGN_OUT=live ARRAIGN_KEEP_WORKSPACE=1 ARRAIGN_AGENT_MODE=record "$program" run --allow-exec
kept=$(python3 - <<'PYTHON'
import glob, json, os

verdict = json.loads(open(glob.glob("live/*/*.jsonl")[0]).readlines()[-1])
print(os.path.dirname(verdict["runs"][0]["workspace"]["path"]))
PYTHON
)
# The log of the agent itself, in its scratch home.
"$program" convert --out own "$kept"/home/.claude/projects/*/*.jsonl >/dev/null
python3 - "$kept" <<'PYTHON'
import glob, json, sys

verdict = json.loads(open(glob.glob("live/*/*.jsonl")[0]).readlines()[-1])
stream = [(call["name"], json.loads(call["arguments"])) for call in verdict["runs"][0]["calls"]]
own = json.loads(open(glob.glob("own/**/*.json", recursive=True)[0]).read())
calls = [call for step in own["steps"] for call in step.get("tool_calls") or []]
own = [(call["function_name"], json.loads(json.dumps(call["arguments"]).replace(sys.argv[1], ""))) for call in calls]
assert stream == own and len(own) == 1, (stream, own)
print(f"the stream and the log of the agent have the same calls: {own}")
PYTHON

kill "$model"
wait "$model" 2>/dev/null || true
ARRAIGN_OUT=replay "$program" run --allow-exec
echo 'tests/matrix/acp/check.sh: the recorded model is replayed in another workspace'
