#!/usr/bin/env bash
# Rewrites everything that is generated: snapshots of fixtures, pages of the docs, tables of the README.
set -uo pipefail
cd "$(dirname "$0")/.."
export BLESS=1 INSTA_UPDATE=always INSTA_FORCE_PASS=1
# Pages of the docs show the snapshots of fixtures, and other pages link to them, so those come first.
cargo test --test fixtures
cargo test --test claims docs::
bash tests/gate/public_api.sh
cargo test --no-fail-fast
