#!/usr/bin/env bash
# `cargo arraign init` in an empty crate: green, then red by the line that the first case tells, then nothing left to
# add. Uses the target folder of this checkout, so that nothing is built twice.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target} CARGO_PROFILE_DEV_DEBUG=0
crate=$(mktemp -d)
trap 'rm -rf "$crate"' EXIT
[ -n "${PROGRAM_IS_BUILT:-}" ] || (cd "$here" && cargo build --offline --package cargo-arraign)
PATH="$CARGO_TARGET_DIR/debug:$PATH"

cargo init --quiet --lib --vcs none --name scratch_init "$crate"
cp "$here/Cargo.lock" "$crate/"
cd "$crate"

expect() { # code, text that the output holds, command
    set +e
    "${@:3}" >"$crate/out" 2>&1
    local code=$?
    set -e
    if [ "$code" != "$1" ] || ! grep -qF -- "$2" "$crate/out"; then
        cat "$crate/out"
        echo "expected exit code $1 (got $code) and: $2"
        exit 1
    fi
    echo "exit code $code: $2"
}

expect 0 'wrote  evals/first.yaml' cargo arraign init --path "$here"
expect 0 'test first::order_status ... ok' cargo test --offline --test evals
sed -i 's/# - required_tools/- required_tools/' evals/first.yaml
expect 101 'error[required_tools]: `cancel_order` was never called' cargo test --offline --test evals
expect 0 'Nothing was changed.' cargo arraign init
