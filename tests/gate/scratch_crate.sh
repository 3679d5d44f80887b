#!/usr/bin/env bash
# A crate outside this repository follows the README: dependency by path, six lines, one case; green, then red, then
# a mistake. Then without features: each case that needs one says which. Tests in this repository cannot show that:
# they have all features. Uses the target folder of this checkout, so that nothing is built twice.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target} CARGO_PROFILE_DEV_DEBUG=0
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
sed -i 's/frist:/first:/' "$crate/evals/refund.yaml"
sed -i 's/"call": "look_up"/"call": "authenticate"/' "$crate/evals/traces/refund.json"

with_features() { # a list for the manifest
    sed -i "s|^arraign = .*|arraign = { path = \"$here\", default-features = false, features = [$1] }|" "$crate/Cargo.toml"
}

needs() { # feature, key, value: a case with this key
    printf 'id: auth_flow\nmetric: tool_blocklist\nblocklist: [rm]\n%s: %s\n' "$2" "$3" >"$crate/evals/refund.yaml"
    expect "${4:-2}" "eature \`$1\`"
}

with_features ''
ARRAIGN_REPORT=html expect 0 'arraign: reports not rendered without the feature `html` of arraign: html; `cargo arraign report --run '
cat >"$crate/evals/refund.yaml" <<'YAML'
id: plain_words
metric: args_valid
policy: {tools: {refund: {arguments: {order: {type: integer, min: 1, required: true}}}}}
trace: traces/refund.json
YAML
expect 0 'test refund::plain_words ... ok'
needs live agent '{command: [x]}'
needs json-schema expect '[{args_valid: {schema: {refund: {anyOf: [{type: object}]}}}}]'
needs json-schema expect '[{tool_output_valid: {schemas: {refund: {$ref: "#"}}}}]'
needs verification verification true
needs verification expect '[{verification: 0.9}]'
needs json-schema expect '[{json_schema: {schema: {multipleOf: 2}}}]'
grep -qF 'help: `cargo add --dev arraign --features json-schema`' "$crate/out"
needs snapshots snapshot $'true\ntrace: traces/refund.json' 101
printf 'PK\3\4\24' >"$crate/evals/traces/a.eval"
printf 'id: a\nmetric: tool_blocklist\nblocklist: [rm]\ntrace: traces/a.eval\n' >"$crate/evals/refund.yaml"
expect 101 'traces/a.eval: this is a zip archive, not text'
cat >"$crate/evals/refund.yaml" <<'YAML'
judge: {model: m}
tests: [{id: a, trace: traces/refund.json, expect: [{agent_check: {label: polite, prompt: Is it polite?}}]}]
YAML
ARRAIGN_JUDGE=live expect 2 'feature `http`'
with_features '"live"'
needs http agent $'{http: {url: "http://x"}}\ninput: x'
