#!/usr/bin/env bash
# The book builds, each of its pages is in it, and its search finds a check without a network.
set -euo pipefail
cd "$(dirname "$0")/../../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
tools=$target/mdbook
PATH="$tools/bin:$PATH"
command -v mdbook >/dev/null || cargo install mdbook --quiet --root "$tools" --no-default-features --features search
mdbook build docs --dest-dir "$target/book"
pages=$(grep -c '](.*\.md)' docs/SUMMARY.md)
built=$(find "$target/book" -name '*.html' ! -name 404.html ! -name print.html ! -name 'toc.html' | wc -l)
[ "$built" -ge "$pages" ] || { echo "$built of $pages pages"; exit 1; }
echo "$pages pages"

# Links of the built pages: each leads to a file and an anchor that exist.
python3 - "$target/book" <<'PYTHON'
import html.parser, pathlib, sys, urllib.parse

root = pathlib.Path(sys.argv[1]).resolve()


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.update(attributes[key] for key in ("id", "name") if attributes.get(key))
        if tag in ("a", "link", "img", "script"):
            self.links += [attributes[key] for key in ("href", "src") if attributes.get(key)]


pages = {path: Page(path) for path in root.rglob("*.html")}
broken = []
for path, page in pages.items():
    # `print.html` repeats all pages, and `404.html` is served below any path.
    if path.name in ("print.html", "404.html", "toc.html"):
        continue
    for link in page.links:
        url = urllib.parse.urlsplit(link)
        if url.scheme:
            continue
        target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
        anchor = urllib.parse.unquote(url.fragment)
        if not target.exists() or (anchor and target in pages and anchor not in pages[target].ids):
            broken.append(f"{path.relative_to(root)}: {link}")
print(f"{len(pages)} files, {sum(len(page.links) for page in pages.values())} links")
if broken:
    sys.exit("\n".join(broken))
PYTHON

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ]; then
    echo "skipped: the search is tried in chromium, which is not there"
    exit 0
fi
python3 tests/matrix/book/search.py "$chromium" "$target/book" "$@"
