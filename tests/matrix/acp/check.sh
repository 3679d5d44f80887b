#!/usr/bin/env bash
# Claude Code and Codex by their adapters for the Agent Client Protocol, with a scripted model behind the model proxy: the stream of each
# has the calls of its own session log, and its model is replayed in another workspace. Needs a network (npm loads about 600 MB),
# Python, and Node.js 20 to install Node.js 22.
#
# Codex names the argument of its tool `cmd` in its log, and its adapter calls it `command` and adds `cwd`: the commands are compared.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target}
command -v npm >/dev/null && command -v python3 >/dev/null ||
    { echo 'tests/matrix/acp/check.sh: skipped, there is no npm or no python3'; exit 0; }
[ -n "${PROGRAM_IS_BUILT:-}" ] || (cd "$here" && cargo build --package cargo-arraign --all-features)
program=$CARGO_TARGET_DIR/debug/cargo-arraign
tools=$CARGO_TARGET_DIR/acp
mkdir -p "$tools"
npm install --prefix "$tools" --silent --no-audit --no-fund node@22.23.3 \
    @agentclientprotocol/claude-agent-acp@0.101.0 @agentclientprotocol/codex-acp@2.6.0
node=$tools/node_modules/node/bin/node
adapters=$tools/node_modules/@agentclientprotocol
"$node" --version >/dev/null || { echo 'tests/matrix/acp/check.sh: skipped, Node.js 22 does not run here'; exit 0; }

work=$(mktemp -d)
kept=()
python3 "$here/tests/matrix/acp/model.py" 18766 &
model=$!
trap 'kill "$model" 2>/dev/null || true; rm -rf "$work" "${kept[@]}"' EXIT
mkdir "$work/evals"
# Codex reads no variable with the address of its model.
cat > "$work/codex.sh" <<SH
export CODEX_CONFIG="{\"model\": \"scripted\", \"model_provider\": \"proxy\", \"model_providers\": {\"proxy\":
    {\"name\": \"proxy\", \"base_url\": \"\$OPENAI_BASE_URL\", \"wire_api\": \"responses\", \"env_key\": \"OPENAI_API_KEY\"}}}"
exec "$node" "$adapters/codex-acp/dist/index.js"
SH
cat > "$work/evals/notes.yaml" <<YAML
defaults:
  workspace: {}
  input: Write the notes.
  expect:
    - changes: {only: [notes.txt]}
    - file: {path: notes.txt, equals: "hello\n"}
    - contains: I wrote the notes
    - ended: well
tests:
  - id: claude
    agent:
      acp: [$node, $adapters/claude-agent-acp/dist/index.js]
      env: [ANTHROPIC_API_KEY]
      permissions: {allow: [edit]}
      model: {upstream: {anthropic: "http://127.0.0.1:18766"}}
      timeout: 2m
    expect: [tool_called: Write]
  - id: codex
    agent:
      acp: [sh, "{{package}}/codex.sh"]
      env: [OPENAI_API_KEY]
      permissions: {allow: [execute]}
      model:
        upstream: {openai: "http://127.0.0.1:18766/v1"}
        ignore_text: ['Chunk ID: \w+', 'Wall time: [\d.]+ seconds', '<current_date>[^<]+']
      timeout: 2m
    expect: [tool_called: exec_command]
YAML
cd "$work"
export ANTHROPIC_API_KEY=sk-ant-0123456789abcdef OPENAI_API_KEY=sk-0123456789abcdef

ARRAIGN_OUT=live ARRAIGN_KEEP_WORKSPACE=1 ARRAIGN_AGENT_MODE=record "$program" run --allow-exec
cat > verdicts.py <<'PYTHON'
import glob, json


def read_verdicts(folder):
    """The verdicts below a folder, by the ids of their cases."""
    lines = [line for log in glob.glob(f"{folder}/*/*.jsonl") for line in open(log)]
    verdicts = [json.loads(line) for line in lines]
    return {verdict["name"].split("::")[-1]: verdict for verdict in verdicts if "name" in verdict}
PYTHON
mapfile -t kept < <(python3 -c '
import os
from verdicts import read_verdicts
for verdict in read_verdicts("live").values():
    print(os.path.dirname(verdict["runs"][0]["workspace"]["path"]))')
[ "${#kept[@]}" = 2 ]
# The logs of the agents themselves, in their scratch homes.
for home in "${kept[@]/%//home}"; do
    [ ! -d "$home/.claude/projects" ] || "$program" convert --out own/claude "$home"/.claude/projects/*/*.jsonl >/dev/null
    [ ! -d "$home/.codex/sessions" ] || "$program" convert --out own/codex "$home"/.codex/sessions/*/*/*/*.jsonl >/dev/null
done
python3 - <<'PYTHON'
import glob, json, os
from verdicts import read_verdicts

for agent, verdict in read_verdicts("live").items():
    run = verdict["runs"][0]
    scratch = os.path.dirname(run["workspace"]["path"])
    stream = [(call["name"], json.loads(call["arguments"])) for call in run["calls"]]
    [log] = glob.glob(f"own/{agent}/**/*.json", recursive=True)
    calls = [call for step in json.load(open(log))["steps"] for call in step.get("tool_calls") or []]
    own = [(call["function_name"], json.loads(json.dumps(call["arguments"]).replace(scratch, ""))) for call in calls]
    if agent == "codex":
        stream = [(name, {"cmd": arguments["command"]}) for name, arguments in stream]
    assert stream == own and len(own) == 1, (agent, stream, own)
    print(f"{agent}: the stream and the log of the agent have the same calls: {own}")
PYTHON

kill "$model"
wait "$model" 2>/dev/null || true
ARRAIGN_OUT=replay "$program" run --allow-exec
echo 'tests/matrix/acp/check.sh: the recorded models are replayed in other workspaces'
