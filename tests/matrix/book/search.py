"""Searches the built book as a reader without a network does: search.py CHROMIUM BOOK [SCREENSHOTS]."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../html"))
from chromium import Chromium, Failure  # noqa: E402

# What a reader types, and the page that must be among the first results.
WANTED = [
    ("sequence_valid", "checks/sequence_valid.html"),
    ("GitLab", "ci.html"),
    ("LangGraph", "get-traces.html"),
    ("expect_verdict", "case"),
    ("promptfoo", "migrate.html"),
]
RESULTS = """
new Promise((done, fail) => {
  const started = Date.now();
  const look = () => {
    const links = [...document.querySelectorAll('#mdbook-searchresults a, #searchresults a')].map((link) => link.getAttribute('href'));
    if (links.length) done(links);
    else if (Date.now() - started > 20000) fail(new Error('no results'));
    else setTimeout(look, 50);
  };
  look();
})"""


def main(program, book, pictures=None):
    browser = Chromium(program)
    try:
        for words, page in WANTED:
            browser.open(os.path.join(book, "start-files.html"))
            browser.key("s", "KeyS", "s")
            browser.evaluate("new Promise((done) => setTimeout(done, 300))")
            for letter in words:
                browser.key(letter, text=letter)
            links = browser.evaluate(RESULTS)[:8]
            if not any(page in link for link in links):
                raise Failure(f"{words}: {page} is not among {links}")
            # A page that asks a server for anything has no search without one.
            asked = [told for told in browser.complaints() if told.startswith("asks for") and "data:" not in told]
            if asked:
                raise Failure(f"{words}: {asked}")
            if pictures:
                os.makedirs(pictures, exist_ok=True)
                browser.picture(os.path.join(pictures, f"search-{words}.png"))
        print(f"{len(WANTED)} searches without a network")
    except Failure as failure:
        sys.exit(f"error: {failure}")
    finally:
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
