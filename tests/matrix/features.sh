#!/usr/bin/env bash
# Whether each feature compiles alone, without a warning.
set -euo pipefail
cd "$(dirname "$0")/../.."
cargo hack --version >/dev/null 2>&1 || cargo install cargo-hack --locked
cargo hack --each-feature --no-dev-deps --workspace clippy -- -D warnings
