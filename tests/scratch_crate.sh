#!/usr/bin/env bash
# A crate outside this repository follows the README: dependency by path, six lines, one case; green, then red, then
# a mistake. Uses the target folder of this checkout, so that nothing is built twice.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target}
crate=$(mktemp -d)
trap 'rm -rf "$crate"' EXIT
mkdir -p "$crate"/{src,tests,evals/traces}
cp "$here/Cargo.lock" "$crate/"

cat >"$crate/Cargo.toml" <<TOML
[package]
name = "scratch"
version = "0.0.0"
edition = "2024"

[dev-dependencies]
arraign = { path = "$here" }

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
cat >"$crate/evals/refund.yaml" <<'YAML'
tests:
  - id: auth_flow
    metric: sequence_valid
    trace: traces/refund.json
    rules:
      - {type: before, first: authenticate, then: refund}
YAML
cat >"$crate/evals/traces/refund.json" <<'JSON'
{"steps": [{"call": "authenticate", "args": {"user": 7}}, {"call": "refund", "args": {"order": 7}}, {"say": "Done."}]}
JSON

expect() { # code, text that the output holds
    set +e
    (cd "$crate" && cargo test --offline --test evals) >"$crate/out" 2>&1
    local code=$?
    set -e
    if [ "$code" != "$1" ] || ! grep -qF -- "$2" "$crate/out"; then
        cat "$crate/out"
        echo "expected exit code $1 (got $code) and: $2"
        exit 1
    fi
    echo "exit code $code: $2"
}

expect 0 'test refund::auth_flow ... ok'
sed -i 's/"call": "authenticate"/"call": "look_up"/' "$crate/evals/traces/refund.json"
expect 101 'error[sequence_valid]: `refund` was called without `authenticate` before it'
sed -i 's/first:/frist:/' "$crate/evals/refund.yaml"
expect 2 'did you mean `first`?'
