#!/usr/bin/env bash
# The language server in Neovim, from Debian where it is not there yet: diagnostics, completion, a lens, verdicts on their
# lines. With a file name, also takes a screenshot of a verdict on its line (needs xterm, xvfb and imagemagick).
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$here"
if ! command -v nvim >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update && apt-get install -y --no-install-recommends neovim; } >/dev/null 2>&1 || true
fi
if ! command -v nvim >/dev/null; then
    echo "skipped: nvim is not installed"
    exit 0
fi
# As .ci/run builds it: nothing is compiled twice.
cargo test --quiet --offline --no-run --workspace --all-features --test cli
export SERVER_PROGRAM=${SERVER_PROGRAM:-${CARGO_TARGET_DIR:-$here/target}/debug/cargo-arraign} CASE_FILE=evals/shop.yaml
unset ARRAIGN_OUT CARGO_TARGET_DIR

project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
mkdir -p "$project/evals/traces"
cd "$project"
cat >evals/traces/shop.json <<'JSON'
{"steps": [
  {"call": "get_order", "id": "call_17", "args": {"order": 1042}},
  {"call": "refund", "id": "call_18", "args": {"order": 1042, "amount": 30}},
  {"say": "The refund of 30 EUR is on its way."}
]}
JSON
cat >evals/shop.yaml <<'YAML'
tests:
  - id: looks_up_the_order
    trace: traces/shop.json
    expect:
      - required_tools: [get_order]
  - id: no_refund_without_approval
    trace: traces/shop.json
    expect:
      - forbidden_tools: [refund]
YAML
HOME=$project timeout 180 nvim --headless -u NONE -n -c "luafile $here/tests/matrix/editor/neovim.lua"
echo
[ $# = 0 ] || HOME=$project bash "$here/tests/matrix/editor/screenshot.sh" "$1"
