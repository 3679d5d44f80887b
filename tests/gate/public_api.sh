#!/usr/bin/env bash
# The public names of the libraries, as rustdoc lists them, are those of docs/public-api.txt: a new one is a decision.
# `BLESS=1` rewrites the file.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-target}

list_names() { # crate
    grep -o '<li><a href="[^"#]*\.html"' "$target/doc/$1/all.html" |
        sed -E "s#.*href=\"(.*)\.html\"#\1#; s#^(.*/)?([a-z]+)\.(.*)#\2 $1::\1\3#; s#/#::#g" | LC_ALL=C sort -k2
}

RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --all-features --lib
found=$(for manifest in Cargo.toml crates/*/Cargo.toml; do
    [ -e "$(dirname "$manifest")/src/lib.rs" ] || continue
    # The library of Python has no names in Rust.
    ! grep -q '^crate-type = \["cdylib"\]' "$manifest" || continue
    list_names "$(sed -n 's/^name = "\(.*\)"/\1/p' "$manifest" | head -1 | tr - _)"
done)
if [ -n "${BLESS:-}" ]; then
    echo "$found" >docs/public-api.txt
fi
if ! diff docs/public-api.txt <(echo "$found"); then
    echo 'the public names are not those of docs/public-api.txt: hide what is new, or take it with BLESS=1'
    exit 1
fi
echo "$(wc -l <docs/public-api.txt) public names"
