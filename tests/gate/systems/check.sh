#!/usr/bin/env bash
# Whether the workspace compiles for other systems.
#
# check.sh           everything, for Windows and macOS
# check.sh windows   the libraries and the program, for Windows
# check.sh wine      what the tests say under Wine, which is not Windows
set -euo pipefail
cd "$(dirname "$0")/../../.."
windows=x86_64-pc-windows-gnu
macos=aarch64-apple-darwin

skip() {
    echo "tests/gate/systems/check.sh: skipped: $*"
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

# Older versions of Wine lack the library with the one function from which Rust has its random numbers.
make_missing_library() {
    printf '%s\n' '#include <windows.h>' '#include <ntsecapi.h>' \
        '__declspec(dllexport) BOOL ProcessPrng(PBYTE bytes, SIZE_T count) { return RtlGenRandom(bytes, count); }' |
        x86_64-w64-mingw32-gcc -shared -x c - -o "$1/bcryptprimitives.dll" -ladvapi32
}

run_under_wine() {
    add_target "$windows"
    if ! command -v wine >/dev/null || ! command -v x86_64-w64-mingw32-gcc >/dev/null; then
        apt-get update >/dev/null && apt-get install -y --no-install-recommends gcc-mingw-w64-x86-64-win32 wine wine64 >/dev/null ||
            skip 'Wine and a linker for Windows cannot be had'
    fi
    local home=${CARGO_TARGET_DIR:-$PWD/target}/wine
    mkdir -p "$home"
    make_missing_library "$home"
    # Wine takes the folder in which it starts for the drive Z.
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine INSTA_UPDATE=no 'TEMP=Z:\tmp' "WINEPATH=Z:$home" \
        WINEARCH=win64 WINEDEBUG=-all "WINEPREFIX=$home/prefix"
    # The programs of `exec` are scripts of a shell, and Wine locks an appended file otherwise than Windows says it does.
    cargo test --locked --workspace --all-features --target "$windows" --no-fail-fast --lib --test evals --test fixtures -- \
        --skip exec --skip lines_of_many_writers_stay_whole
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
    echo "tests/gate/systems/check.sh: unknown command $1" >&2
    exit 2
    ;;
esac
