#!/usr/bin/env bash
# The book builds, each of its pages is in it, and its search finds a check without a network.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
tools=$target/mdbook
PATH="$tools/bin:$PATH"
command -v mdbook >/dev/null || cargo install mdbook --quiet --root "$tools" --no-default-features --features search
mdbook build docs --dest-dir "$target/book"
pages=$(grep -c '](.*\.md)' docs/SUMMARY.md)
built=$(find "$target/book" -name '*.html' ! -name 404.html ! -name print.html ! -name 'toc.html' | wc -l)
[ "$built" -ge "$pages" ] || { echo "$built of $pages pages"; exit 1; }
grep -q sequence_valid "$target"/book/searchindex*.js
echo "$pages pages, and a search"
