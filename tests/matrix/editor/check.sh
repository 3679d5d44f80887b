#!/usr/bin/env bash
# The published schema in the language server that editors use: completion, hover texts, and a typo at its place.
# Installs the server into the target folder; needs node and npm.
set -euo pipefail
cd "$(dirname "$0")/../../.."
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "skipped: node and npm are not installed"
    exit 0
fi
tools="${CARGO_TARGET_DIR:-target}/editor"
mkdir -p "$tools"
tools=$(cd "$tools" && pwd)
if [ ! -d "$tools/node_modules/yaml-language-server" ]; then
    npm install --prefix "$tools" --no-audit --no-fund --silent yaml-language-server@1.25.0
fi
node tests/matrix/editor/check.mjs "$tools/node_modules/yaml-language-server/bin/yaml-language-server"
