#!/usr/bin/env bash
# Fuzzes each target for so many seconds: run.sh SECONDS [TARGET...]. The seeds are the fixtures of the tests and seeds/; what
# is found on the way goes to FUZZ_CORPUS, and findings to FUZZ_ARTIFACTS.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}
targets=("${@:2}")
[ "${#targets[@]}" -gt 0 ] || targets=(traces cases inputs)
folder=${CARGO_TARGET_DIR:-$PWD/target}/fuzz
corpus=${FUZZ_CORPUS:-$folder/corpus}
artifacts=${FUZZ_ARTIFACTS:-$folder/artifacts}
export FUZZ_SEEDS=$folder/seeds

cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --version 0.13.2 --locked
rm -rf "$FUZZ_SEEDS"
for target in "${targets[@]}"; do
    mkdir -p "$FUZZ_SEEDS/$target" "$corpus/$target" "$artifacts/$target"
    # The address sanitizer needs nightly Rust, and the workspace forbids unsafe code.
    cargo fuzz run --sanitizer none --target-dir "$folder" "$target" "$corpus/$target" "$FUZZ_SEEDS/$target" -- \
        -artifact_prefix="$artifacts/$target/" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=2048 \
        -max_len=65536 -print_final_stats=1
done
