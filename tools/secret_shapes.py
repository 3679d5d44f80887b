#!/usr/bin/env python3
"""Lists the shapes of secrets that a maintained list of rules has and `issued.txt` lacks.

The rules are those of the crate `kingfisher-rules` (MongoDB, Apache-2.0), which ships those of Betterleaks (MIT). Only facts
are taken over: the prefix, the alphabet and the length of a token. Run it from the root of the repository:

    tools/secret_shapes.py [VERSION]
"""
import gzip
import io
import re
import sys
import tarfile
import urllib.request
from pathlib import Path

VERSION = sys.argv[1] if len(sys.argv) > 1 else "3.0.1"
URL = f"https://static.crates.io/crates/kingfisher-rules/kingfisher-rules-{VERSION}.crate"
TABLE = Path("src/pattern/personal/secret/data/issued.txt")

ALPHABETS = [("hex", "0-9a-f"), ("alphanumeric", "a-zA-Z0-9"), ("word", "a-zA-Z0-9_-"), ("dotted", "a-zA-Z0-9_.-")]


def read_patterns():
    """Returns the rules of the crate: id and pattern."""
    request = urllib.request.Request(URL, headers={"User-Agent": "arraign-tools"})
    crate = tarfile.open(fileobj=io.BytesIO(urllib.request.urlopen(request).read()), mode="r:gz")
    bundle = crate.extractfile(f"kingfisher-rules-{VERSION}/generated/builtin-rules.gz").read()
    text = gzip.decompress(bundle).decode("utf-8", "replace")
    return re.findall(r"^  id: (\S+)\n  pattern: (.+)$", text, re.M)


def split_shape(pattern):
    """Returns the fixed prefix of a pattern and what follows it, or nothing if it begins with no fixed text."""
    plain = re.sub(r"^(\(\?i\))?(\\b|\(\?:\^\|[^)]*\))?\(?(\?[:P][^)>]*>?)?", "", pattern.strip("'\""))
    prefix = re.match(r"(?:[A-Za-z0-9_]|\\?[-.])+", plain)
    if not prefix:
        return None
    rest = plain[prefix.end():]
    # A count belongs to the character before it.
    text = prefix.group(0)
    if rest.startswith(("{", "?", "*", "+")):
        text, rest = text[:-1], text[-1] + rest
    return text.replace("\\", ""), rest


def main():
    known = [line.split(", ")[4].split(" ") for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    known = [prefix for prefixes in known for prefix in prefixes]
    for rule, pattern in sorted(read_patterns()):
        shape = split_shape(pattern)
        if not shape or len(shape[0]) < 3:
            continue
        prefix, rest = shape
        if any(prefix.startswith(one) or one.startswith(prefix) for one in known):
            continue
        print(f"{rule}: {prefix} then {rest[:90]}")


main()
