#!/usr/bin/env bash
# The page for a browser, in a browser: Chromium, from Debian where it is not there yet.
set -euo pipefail
cd "$(dirname "$0")/../../.."

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1 || true
    chromium=$(command -v chromium || true)
fi
if [ -z "$chromium" ] || ! command -v python3 >/dev/null; then
    echo "skipped: the page is looked at with chromium and python3, and one of them is not there"
    exit 0
fi

target=${CARGO_TARGET_DIR:-$PWD/target}
axe=$target/axe/node_modules/axe-core/axe.min.js
if [ ! -f "$axe" ] && command -v npm >/dev/null; then
    npm install --silent --no-audit --no-fund --prefix "$target/axe" axe-core@4
fi
[ -f "$axe" ] || { echo "without the accessibility checker: axe-core comes from npm, which is not there"; axe=-; }

# The tests leave the pages that they render. The cases of this repository are one more, of 350 cases.
cargo nextest run --workspace --all-features --test claims -E 'test(formats::html)'
pages=$target/tmp/html
ARRAIGN_REPORT=html ARRAIGN_OUT=$target/tmp/own cargo test --quiet --workspace --all-features --test evals >/dev/null
cp "$target/tmp/own/report.html" "$pages/own.html"
python3 tests/matrix/html/check.py "$chromium" "$axe" "$pages" "$@"
