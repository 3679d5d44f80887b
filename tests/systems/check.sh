#!/usr/bin/env bash
# Whether the workspace compiles for other systems.
#
# check.sh           everything, for Windows and macOS
# check.sh windows   the libraries and the program, for Windows
# check.sh wine      what the tests say under Wine, which is not Windows
set -euo pipefail
cd "$(dirname "$0")/../.."
windows=x86_64-pc-windows-gnu
macos=aarch64-apple-darwin

skip() {
    echo "tests/systems/check.sh: skipped: $*"
    exit 0
}

add_target() {
    rustup target add "$1" 2>/dev/null || skip "the standard library for $1 cannot be had"
}

# Nothing is linked, so the objects of the few crates with C and assembly may be empty.
make_empty_compilers() {
    tools=$(mktemp -d)
    trap 'rm -rf "$tools"' EXIT
    printf '#!/bin/sh\nwhile [ $# != 0 ]; do [ "$1" != -o ] || : >"$2"; shift; done\n' >"$tools/cc"
    printf '#!/bin/sh\n: >"$2"\n' >"$tools/ar"
    chmod +x "$tools"/*
}

# check_for TARGET [OPTION...]
check_for() {
    add_target "$1"
    # Build scripts choose a compiler by these names; the one of this system stays.
    local name=${1//-/_}
    env "CC_$name=$tools/cc" "CXX_$name=$tools/cc" "AR_$name=$tools/ar" SDKROOT=/ \
        cargo check --locked --workspace --all-features --target "$@"
}

# Wine takes the folder in which it starts for the drive Z.
run_under_wine() {
    add_target "$windows"
    if ! command -v wine >/dev/null || ! command -v x86_64-w64-mingw32-gcc >/dev/null; then
        apt-get update >/dev/null && apt-get install -y --no-install-recommends gcc-mingw-w64-x86-64-win32 wine wine64 >/dev/null ||
            skip 'Wine and a linker for Windows cannot be had'
    fi
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine WINEDEBUG=-all TEMP='Z:\tmp' INSTA_UPDATE=no
    cargo test --locked --workspace --all-features --target "$windows" --lib --test evals --test fixtures
}

command -v rustup >/dev/null || skip 'only rustup has the standard libraries of other systems'
case ${1:-all} in
wine) run_under_wine ;;
windows)
    make_empty_compilers
    check_for "$windows"
    ;;
all)
    make_empty_compilers
    check_for "$windows" --all-targets
    check_for "$macos" --all-targets
    ;;
*)
    echo "tests/systems/check.sh: unknown command $1" >&2
    exit 2
    ;;
esac
