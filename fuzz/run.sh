#!/usr/bin/env bash
# Fuzzes both targets for so many seconds each, from the fixtures of the tests. Findings stay in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}
corpus=${FUZZ_CORPUS:-target/fuzz-corpus}

cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --version 0.13.2 --locked
cargo run --quiet --manifest-path fuzz/Cargo.toml --target-dir target/fuzz --bin corpus -- "$corpus"
for target in traces project; do
    # The address sanitizer needs nightly Rust, and the workspace forbids unsafe code.
    cargo fuzz run --sanitizer none --target-dir target/fuzz "$target" "$corpus/$target" -- \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1
done
