"""Runs the Python programs of pages, each page in a folder of its own: run_pages.py PAGE..."""

import contextlib
import io
import os
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]


def run(page):
    text = page.read_text()
    blocks = re.findall(r"^```python\n(.*?)^```(?:\n\n<!-- prints -->\n```text\n(.*?)^```)?", text, re.M | re.S)
    if not blocks:
        sys.exit(f"{page}: there is no program in it")
    scope = {"__name__": "page"}
    for program, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, str(page), "exec"), scope)
        if expected and printed.getvalue() != expected:
            sys.exit(f"{page}: expected\n{expected}printed\n{printed.getvalue()}")
    return len(blocks)


for name in sys.argv[1:]:
    page = pathlib.Path(name).resolve()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(pathlib.Path(__file__).parent / "conversations", pathlib.Path(folder, "conversations"))
        os.chdir(folder)
        print(f"{page.name}: {run(page)} programs")
        os.chdir(ROOT)
