#!/usr/bin/env python3
"""Shows the distribution of names, comments and lengths in the Rust sources.

Usage: python3 tools/names.py [FOLDER...]     (default: src crates)

The figures are a mirror, not a gate: a name is good if a reader who has never seen the file knows what it holds.
Sources must be formatted with rustfmt, because the end of a function is found by its indentation.
"""

import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

VISIBILITY = r"(?:pub(?:\([^)]*\))?\s+)?"
TYPE = re.compile(rf"\s*{VISIBILITY}(?:struct|enum|union|trait)\s+(\w+)")
FUNCTION = re.compile(rf"(\s*){VISIBILITY}(?:(?:const|async|unsafe|default)\s+)*fn\s+(\w+)")
CLOSURE = re.compile(r"\s*let (?:mut )?\w+ = (?:move )?\|")

# Names that the language or its library prescribes say enough with one word.
IDIOMS = {"default", "drop", "fmt", "from", "get", "iter", "len", "main", "new", "next"}


@dataclass
class Sources:
    """Everything that the report counts."""

    types: dict = field(default_factory=lambda: defaultdict(list))
    functions: Counter = field(default_factory=Counter)
    function_lengths: dict = field(default_factory=dict)
    file_lengths: dict = field(default_factory=dict)
    closures: int = 0
    comments: int = 0

    def add_file(self, path):
        lines = path.read_text(errors="replace").splitlines()
        self.file_lengths[str(path)] = sum(map(is_code, lines))
        self.comments += sum(is_comment(line) for line in lines)
        self.closures += sum(bool(CLOSURE.match(line)) for line in lines)
        for index, line in enumerate(lines):
            place = f"{path}:{index + 1}"
            if found := TYPE.match(line):
                self.types[found[1]].append(place)
            if found := FUNCTION.match(line):
                self.functions[found[2]] += 1
                length = count_body_lines(lines[index:], indentation=found[1])
                if length is not None:
                    self.function_lengths[f"{place} {found[2]}"] = length


def is_comment(line):
    """Whether the line is a `//` comment. Doc comments do not count."""
    text = line.strip()
    return text.startswith("//") and not text.startswith(("///", "//!"))


def is_code(line):
    text = line.strip()
    return bool(text) and not text.startswith("//")


def count_body_lines(lines, indentation):
    """Returns the number of code lines in a function's body, or None if the function has no body."""
    body = None
    for line in lines:
        if body is None:
            if line.endswith(("{}", ";")):
                return 0 if line.endswith("{}") else None
            if line.endswith("{"):
                body = 0
        elif line == indentation + "}":
            return body
        else:
            body += is_code(line)
    return None


def share(part, whole):
    return part / max(whole, 1)


def percentile(values, percent):
    ordered = sorted(values) or [0]
    return ordered[min(len(ordered) * percent // 100, len(ordered) - 1)]


def find_rust_files(folders):
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.rs")):
            if not {"tests", "benches", "target"} & set(path.parts):
                yield path


def print_row(name, figure):
    print(f"{name:<42} {figure:>22}")


def print_lengths(name, lengths):
    values = lengths.values()
    print_row(name, f"{percentile(values, 50)} / {percentile(values, 90)} / {max(values, default=0)}")


def print_report(sources):
    declared = sum(map(len, sources.types.values()))
    shared = sum(len(places) for places in sources.types.values() if len(places) > 1)
    functions = sources.functions.total()
    one_word = sum(count for name, count in sources.functions.items() if "_" not in name)
    code = sum(sources.file_lengths.values())
    print_row("types that share their name with another", f"{share(shared, declared):.0%} of {declared}")
    print_row("functions named with one word", f"{share(one_word, functions):.0%} of {functions}")
    print_row("closures bound to a name", str(sources.closures))
    print_row("comments per code line", f"{share(sources.comments, code):.3f} of {code}")
    print_lengths("function lines: median / 90 % / longest", sources.function_lengths)
    print_lengths("file lines: median / 90 % / longest", sources.file_lengths)


def print_examples(sources):
    by_count = sorted(sources.types.items(), key=lambda entry: -len(entry[1]))
    names = [f"{name} {len(places)}" for name, places in by_count if len(places) > 1]
    print("\nmost shared types:", ", ".join(names[:15]) or "none")
    names = [f"{name} {count}" for name, count in sources.functions.most_common() if "_" not in name and name not in IDIOMS]
    print("most frequent one-word functions:", ", ".join(names[:30]) or "none")
    for title, lengths in [("longest functions", sources.function_lengths), ("longest files", sources.file_lengths)]:
        longest = sorted(lengths.items(), key=lambda entry: -entry[1])[:5]
        print(f"{title}:", ", ".join(f"{place} ({lines})" for place, lines in longest) or "none")


def main():
    sources = Sources()
    for path in find_rust_files(sys.argv[1:] or ["src", "crates"]):
        sources.add_file(path)
    print_report(sources)
    print_examples(sources)


if __name__ == "__main__":
    main()
