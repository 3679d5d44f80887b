#!/usr/bin/env bash
# The page for a browser, in a browser: Chromium, from Debian where it is not there yet.
set -euo pipefail
cd "$(dirname "$0")/../.."

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1 || true
    chromium=$(command -v chromium || true)
fi
if [ -z "$chromium" ] || ! command -v python3 >/dev/null; then
    echo "skipped: the page is looked at with chromium and python3, and one of them is not there"
    exit 0
fi

# The tests leave the pages that they render.
cargo test --quiet --test claims formats::html
pages=${CARGO_TARGET_DIR:-target}/tmp/html
python3 tests/html/check.py "$chromium" "$pages" "$@"
