#!/usr/bin/env bash
# The VS Code extension: types, lints, its logic against the real server, and its package. Needs node and npm.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$here"
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "skipped: node and npm are not installed"
    exit 0
fi
# As .ci/run builds it: nothing is compiled twice.
cargo test --quiet --offline --no-run --workspace --all-features --test cli
target=${CARGO_TARGET_DIR:-$here/target}
export SERVER_PROGRAM=${SERVER_PROGRAM:-$target/debug/cargo-arraign}

cd editors/vscode
[ package-lock.json -ot node_modules/.package-lock.json ] || npm ci --no-audit --no-fund
npm run lint
npm run build
npm test
npm run package
# The package contains the program and its one dependency, and none of the tests.
unzip -l arraign.vsix >"$target/editor-vsix.txt"
for part in extension/out/src/extension.js extension/node_modules/vscode-languageclient/lib/node/main.js extension/package.json; do
    grep -q " $part\$" "$target/editor-vsix.txt" || { echo "the package lacks $part"; exit 1; }
done
if grep -E 'out/test|\.ts$|/typescript/' "$target/editor-vsix.txt"; then
    echo "the package contains what no user needs"
    exit 1
fi
tail -1 "$target/editor-vsix.txt"
