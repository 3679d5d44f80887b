#!/usr/bin/env bash
# A crate with an insta of its own, older than ours, resolves and builds beside arraign. Cargo takes one version 1.x of
# a crate: an arraign that depended on insta could keep a user from the version that the user has.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target}
crate=$(mktemp -d)
trap 'rm -rf "$crate"' EXIT
mkdir -p "$crate"/{src,tests}
cp "$here/Cargo.lock" "$crate/"

cat >"$crate/Cargo.toml" <<TOML
[package]
name = "scratch"
version = "0.0.0"
edition = "2024"

[dev-dependencies]
arraign = { path = "$here" }
insta = "=1.48.0"

[[test]]
name = "evals"
harness = false
TOML
echo 'pub fn nothing() {}' >"$crate/src/lib.rs"
cat >"$crate/tests/evals.rs" <<'RUST'
fn main() -> std::process::ExitCode {
    arraign::Harness::new("evals").run()
}
RUST
cat >"$crate/tests/own.rs" <<'RUST'
#[test]
fn a_snapshot_of_its_own() {
    insta::assert_snapshot!("red", @"red");
}
RUST

cd "$crate"
cargo check --tests
cargo tree --edges dev,normal --invert insta | tee "$crate/out"
grep -qF 'insta v1.48.0' "$crate/out"
