"""Packs the program as a Python wheel, for teams that have pip and no cargo: wheel.py PROGRAM TARGET [FOLDER].

The wheel contains no Python: pip puts the program into the `bin` folder of the environment. It is the program of the
release archive for the same TARGET, so both do the same.
"""

import base64
import hashlib
import pathlib
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A static program runs on every Linux, so its wheel names both families. PyPI rejects `linux_x86_64`, which is for tests.
PLATFORMS = {
    "aarch64-apple-darwin": "macosx_11_0_arm64",
    "aarch64-unknown-linux-musl": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "x86_64-apple-darwin": "macosx_10_12_x86_64",
    "x86_64-pc-windows-msvc": "win_amd64",
    "x86_64-unknown-linux-gnu": "linux_x86_64",
    "x86_64-unknown-linux-musl": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
}
EXECUTABLE = 0o100755
FILE = 0o100644


def read_version():
    manifest = (ROOT / "Cargo.toml").read_text()
    return re.search(r'\[workspace\.package\]\nversion = "([^"]+)"', manifest)[1]


def build_metadata(version):
    # No file of the package describes it: the README of the program does.
    description = (ROOT / "crates/cargo-arraign/README.md").read_text()
    fields = [
        "Metadata-Version: 2.1",
        "Name: cargo-arraign",
        f"Version: {version}",
        "Summary: Write, import, explain, lint and report the eval cases of AI agents.",
        "License: MIT OR Apache-2.0",
        "Keywords: eval,agent,llm,testing",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(fields) + "\n\n" + description


def describe_file(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


def pack(program, target, folder):
    version, platform = read_version(), PLATFORMS[target]
    stem = f"cargo_arraign-{version}"
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in platform.split("."))
    wheel = f"Wheel-Version: 1.0\nGenerator: arraign\nRoot-Is-Purelib: false\n{tags}"
    files = [
        (f"{stem}.data/scripts/{program.name}", program.read_bytes(), EXECUTABLE),
        (f"{stem}.dist-info/METADATA", build_metadata(version).encode(), FILE),
        (f"{stem}.dist-info/WHEEL", wheel.encode(), FILE),
    ]
    files += [(f"{stem}.dist-info/licenses/{name}", (ROOT / name).read_bytes(), FILE) for name in ("LICENSE-APACHE", "LICENSE-MIT")]
    record = [describe_file(name, content) for name, content, _ in files] + [f"{stem}.dist-info/RECORD,,"]
    files.append((f"{stem}.dist-info/RECORD", ("\n".join(record) + "\n").encode(), FILE))
    path = folder / f"{stem}-py3-none-{platform}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, mode in files:
            # A fixed time: the same program is packed into the same bytes.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, mode << 16
            archive.writestr(entry, content)
    return path


def main(program, target, folder="."):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if target not in PLATFORMS:
        sys.exit(f"error: unknown target {target}: expected one of {', '.join(PLATFORMS)}")
    print(pack(pathlib.Path(program), target, folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
