#!/usr/bin/env bash
# What arraign brings into a user's build. A program outside of this repository prints JSON; arraign is its
# dev-dependency. It prints the same bytes under `cargo run` and under `cargo test`, whatever features it has of arraign;
# verdicts are the same whether the program enables serde_json's `arbitrary_precision` and `preserve_order` or not; and
# arraign asks serde_json for no feature that changes what it does. Tests in this repository cannot show that: Cargo
# gives all of them the features of all.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target} CARGO_PROFILE_DEV_DEBUG=0
crate=$(mktemp -d)
trap 'rm -rf "$crate"' EXIT
mkdir -p "$crate"/{src,tests,evals}
cp "$here/Cargo.lock" "$crate/"
cat >"$crate/src/main.rs" <<'RUST'
fn main() {
    print!("{}", user_build::request());
}
RUST
cat >"$crate/src/lib.rs" <<'RUST'
use serde_json::{Map, Value, json};

/// What the program sends to its model.
pub fn request() -> String {
    let read: Value = serde_json::from_str(r#"{"z": 0.1, "a": 5.960464477539063e-8, "m": 1.50}"#).unwrap();
    let mut built = Map::new();
    for key in ["zeta", "alpha", "mid"] {
        built.insert(key.to_owned(), json!(1));
    }
    built.remove("zeta");
    json!({"read": read, "built": built, "deep": {"b": 1, "a": [2.5e-7, 1e21]}}).to_string()
}
RUST
cat >"$crate/tests/bytes.rs" <<'RUST'
#[test]
fn the_request_is_that_of_production() {
    println!("request: {}", user_build::request());
}
RUST
cat >"$crate/tests/evals.rs" <<'RUST'
fn main() -> std::process::ExitCode {
    arraign::Harness::new("evals").run()
}
RUST
cat >"$crate/evals/wei.yaml" <<'YAML'
tests:
  - id: same
    trace: traces/wei.json
    expect:
      - call: {tool: pay, args: {wei: 100000000000000000001, rate: 0.1, share: 2.5e-7}}
      - {equals: '{"b": 1, "a": 1.50}'}
  - id: off_by_one
    trace: traces/wei.json
    expect: [call: {tool: pay, args: {wei: 100000000000000000000}}]
YAML
mkdir -p "$crate/evals/traces"
cat >"$crate/evals/traces/wei.json" <<'JSON'
[{"role": "user", "content": "Pay."},
 {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "pay",
  "arguments": "{\"wei\": 100000000000000000001, \"rate\": 0.1, \"share\": 2.5e-7}"}}]},
 {"role": "tool", "tool_call_id": "c", "content": "{\"ok\": true}"},
 {"role": "assistant", "content": "{\"b\": 1, \"a\": 1.50}"}]
JSON

write_manifest() { # the program's features of serde_json, those of arraign
    cat >"$crate/Cargo.toml" <<TOML
[package]
name = "user_build"
version = "0.0.0"
edition = "2024"

[dependencies]
serde_json = { version = "1", features = [$1] }

[dev-dependencies]
arraign = { path = "$here", features = [$2] }

[[test]]
name = "evals"
harness = false
TOML
}

in_crate() { # a command of cargo, its arguments
    (cd "$crate" && cargo "$1" --offline "${@:2}" 2>"$crate/errors") || { cat "$crate/errors" >&2 && return 1; }
}

# The features that would change the user's program.
for features in '' '"live"' '"json-schema"'; do
    write_manifest '' "$features"
    asked=$(in_crate tree -e features,all -i serde_json --depth 1 | grep -oE 'serde_json feature "[a-z_]+"' | sort -u)
    for feature in preserve_order float_roundtrip arbitrary_precision unbounded_depth; do
        # The validator of schemas reads floats to their last digit.
        [ "$feature" = float_roundtrip ] && [ "$features" = '"json-schema"' ] && continue
        if grep -qF "\"$feature\"" <<<"$asked"; then
            echo "arraign [$features] enables serde_json's $feature"
            exit 1
        fi
    done
    echo "arraign [$features] asks serde_json for: $(tr '\n' ' ' <<<"$asked")"
done

# The bytes of the request.
write_manifest '' ''
production=$(in_crate run)
tested=$(in_crate test --test bytes -- --nocapture | sed -n 's/^request: //p')
if [ "$production" != "$tested" ]; then
    printf 'cargo run:  %s\ncargo test: %s\n' "$production" "$tested"
    exit 1
fi
echo "the same bytes under cargo run and cargo test: $production"

# The verdicts.
for features in '' '"arbitrary_precision", "preserve_order"'; do
    write_manifest "$features" ''
    in_crate test --test evals >"$crate/out" 2>/dev/null || true
    if ! grep -q 'test wei::same *\.\.\. ok' "$crate/out" || ! grep -q 'test wei::off_by_one *\.\.\. FAILED' "$crate/out" ||
        ! grep -qF '100000000000000000001' "$crate/out"; then
        cat "$crate/out"
        echo "other verdicts beside serde_json [$features]"
        exit 1
    fi
    echo "the same verdicts beside serde_json [$features]"
done
