#!/usr/bin/env bash
# Agents behind a real OpenAI-compatible server: a LiteLLM proxy with answers of its own, in a venv below target/.
# Not a part of CI: the first installation takes minutes. It needs python3 and a package index.
set -euo pipefail
cd "$(dirname "$0")/.."
venv="${CARGO_TARGET_DIR:-target}/litellm"
if [ ! -x "$venv/bin/litellm" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet 'litellm[proxy]'
fi
ARRAIGN_LITELLM="$(cd "$venv/bin" && pwd)/litellm" \
    cargo test --features live,http --test live -- litellm --nocapture
