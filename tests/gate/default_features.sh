#!/usr/bin/env bash
# The fixtures and goldens of `args_valid` in a crate outside of this repository, which has the default features: the plain words of JSON
# Schema give the snapshots that they give with all features. The fixtures with further words are listed here: each is refused
# with an error that names the feature and the word. Tests in this repository cannot show that: they have all features. Uses the
# target folder of this checkout, so that nothing is built twice.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target} CARGO_PROFILE_DEV_DEBUG=0
crate=$(mktemp -d)
trap 'rm -rf "$crate"' EXIT
mkdir -p "$crate"/{src,tests/check}
cp "$here/Cargo.lock" "$crate/"
cp -r "$here"/tests/check/{args_valid,sequence_valid} "$crate/tests/check/"
cat >"$crate/Cargo.toml" <<TOML
[package]
name = "default_features"
version = "0.0.0"
edition = "2024"

[dev-dependencies]
arraign = { path = "$here" }
insta = "1"
libtest-mimic = "0.8"
tempfile = "3"

[[test]]
name = "fixtures"
harness = false
TOML
echo 'pub fn nothing() {}' >"$crate/src/lib.rs"
cat >"$crate/tests/fixtures.rs" <<RUST
#[path = "$here/tests/fixtures/shown_case.rs"]
mod shown_case;
#[path = "$here/tests/fixtures/assay_goldens.rs"]
mod assay_goldens;

use std::path::Path;

use arraign::__internals::source::Files;
use libtest_mimic::{Arguments, Trial};

fn main() -> std::process::ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/check/args_valid");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let cases = files.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    let trial = |path: std::path::PathBuf| {
        Trial::test(shown_case::stem(&path), move || {
            let files = Files::new(root, root.join("tests/check"));
            shown_case::run(&path, &files, |_, _| None)
        })
    };
    let goldens = assay_goldens::list().into_iter().map(|golden| {
        let name = format!("golden {}", golden["id"].as_str().unwrap());
        Trial::test(name, move || assay_goldens::compare(&golden).map_err(Into::into))
    });
    libtest_mimic::run(&Arguments::from_args(), cases.map(trial).chain(goldens).collect()).exit_code()
}
RUST

# The fixtures that need the feature, each with the first word that needs it. The errors of a `refused-` one are others.
cat >"$crate/expected" <<'LIST'
error-backtracking `pattern`
fail-any-of `$ref`
fail-any-of-edge `$ref`
fail-defs `$ref`
fail-format `format`
fail-not `not`
fail-schemas-ref `$ref`
fail-v2-one-of `$ref`
fail-v2-ref `$ref`
pass-any-of `$ref`
pass-defs `$ref`
pass-defs-edge `$ref`
pass-format-edge `format`
pass-v2-edge `$ref`
refused-all-at-once
refused-misspelt-keyword
refused-remote-ref
refused-unknown-ref
LIST

# What trials write to the other stream would end up within the lines of this one.
(cd "$crate" && INSTA_UPDATE=no INSTA_WORKSPACE_ROOT=$crate cargo test --offline --test fixtures) >"$crate/out" 2>"$crate/errors" || true
grep -q '^test result: ' "$crate/out" || { cat "$crate/errors" "$crate/out" && exit 1; }
sed -nE 's/^test (.*[^ ]) +\.\.\. FAILED$/\1/p' "$crate/out" | while read -r name; do
    # The text of a panic stands below the name of its trial.
    error=$(sed -n "/^---- $name ----\$/,/^\$/p" "$crate/out")
    word=$(grep -oE "\`[^ ]+\` needs arraign's feature \`json-schema\`" <<<"$error" | head -n 1 | cut -d' ' -f1 || true)
    echo "$name${word:+ $word}"
done | sort >"$crate/refused"
if ! diff "$crate/expected" "$crate/refused"; then
    cat "$crate/out"
    exit 1
fi
echo "with the default features: $(grep -c ' ok$' "$crate/out") fixtures and goldens as with all features, $(wc -l <"$crate/refused") refused"
