#!/usr/bin/env bash
# What the registry would get: each package builds from its archive alone, and docs.rs can render it with the badges of features.
set -euo pipefail
cd "$(dirname "$0")/../../.."
target=${CARGO_TARGET_DIR:-$PWD/target}

for package in arraign arraign-derive arraign-trace cargo-arraign; do
    files=$(cargo package --list --allow-dirty --package "$package" | wc -l)
    echo "$package: $files files"
    [ "$files" -lt 900 ] || { echo "more than 900 files"; exit 1; }
done
cargo publish --dry-run --workspace --allow-dirty
# Where cargo keeps the archives of a dry run is its own affair.
find "$target/package" -name '*.crate' -printf '%f: %k KiB\n' | sort -u

# docs.rs sets this flag on its nightly toolchain. RUSTC_BOOTSTRAP allows the same to this one.
export RUSTC_BOOTSTRAP=1 RUSTDOCFLAGS="--cfg docsrs -D warnings" CARGO_TARGET_DIR=$target/docsrs
cargo doc --quiet --workspace --no-deps --all-features
grep -q 'Available on .*crate feature.*live' "$target/docsrs/doc/arraign/struct.Harness.html" || { echo "no badge of a feature"; exit 1; }
