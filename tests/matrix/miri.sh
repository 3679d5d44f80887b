#!/usr/bin/env bash
# Miri on the unit tests of arraign-trace, but for those that open files in a way that Miri does not know.
set -euo pipefail
cd "$(dirname "$0")/../.."
rustup toolchain install nightly --profile minimal --component miri,rust-src >/dev/null 2>&1 || {
    echo 'tests/matrix/miri.sh: skipped: Miri cannot be had'
    exit 0
}
MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --package arraign-trace --lib -- --skip source::tests
