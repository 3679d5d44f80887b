#!/usr/bin/env bash
# The cases of a crate in rust-analyzer: its test explorer, its lenses and its runs. Needs node, and rust-analyzer as a
# component of the toolchain.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$here"
if ! command -v node >/dev/null || ! rust-analyzer --version; then
    echo "skipped: node or rust-analyzer is not installed (rustup component add rust-analyzer rust-src, or"
    echo "cargo install ra_ap_rust-analyzer, with RUST_SRC_PATH)"
    exit 0
fi
export CARGO_PROFILE_DEV_DEBUG=0
target=${CARGO_TARGET_DIR:-$here/target}
[ -n "${PROGRAM_IS_BUILT:-}" ] || cargo build --offline --package cargo-arraign
PATH="$target/debug:$PATH"
# rust-analyzer's explorer sets this variable, and some crates are built again when it changes. So it is set for the whole
# test, and the folder is a separate one.
export CARGO_TARGET_DIR=$target/editor/rust-analyzer RUSTC_BOOTSTRAP=1

crate=$(mktemp -d)
trap 'rm -rf "$crate"' EXIT
cargo init --quiet --lib --vcs none --name editor_sample "$crate"
cp "$here/Cargo.lock" "$crate/"
echo >"$crate/src/lib.rs"
cd "$crate"
cargo arraign init --path "$here" --workflow none
sed -i 's/^\(arraign = {.*\) }$/\1, default-features = false }/' Cargo.toml
cat >>Cargo.toml <<'TOML'

[lints]
rust = {warnings = "deny"}
clippy = {all = "deny", pedantic = "deny"}
TOML
cat >evals/late-orders.yaml <<'YAML'
tests:
  - id: no refund
    metric: tool_blocklist
    blocklist: [refund]
    trace: {calls: [refund]}
YAML
cargo arraign ide
# The line of the target is clean under strict lints.
cargo clippy --offline --test evals
node "$here/tests/matrix/editor/rust_analyzer.mjs" "$crate" rust-analyzer
