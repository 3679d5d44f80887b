#!/usr/bin/env bash
# Whether the workspace compiles for macOS and for Windows, and what its tests say under Wine, which is not Windows: a system of
# its own is in the target folder, with Debian's compiler and the source of its standard library, of which those for the two
# others are built.
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=trixie
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
system=$target/systems/$suite
registry=${CARGO_HOME:-$HOME/.cargo}/registry

skip() {
    echo "tests/systems/check.sh: skipped: $*"
    exit 0
}

# Runs a command in the system, which sees the workspace as it is and cannot write to it. What is mounted ends with the command.
enter() {
    mkdir -p "$system/source" "$system/registry"
    unshare --mount bash -euc '
        system=$1
        mount --rbind /dev "$system/dev"
        mount -t proc proc "$system/proc"
        mount --bind . "$system/source"
        mount -o remount,bind,ro "$system/source"
        mount --bind "$2" "$system/registry"
        shift 2
        exec chroot "$system" env --ignore-environment --chdir=/source "$@"' enter "$system" "$registry" \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive "$@"
}

make_system() {
    local mirror log=$system.log
    # shellcheck disable=SC2016
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
    [ -n "$mirror" ] || skip "apt knows no archive of Debian's"
    mkdir -p "$(dirname "$system")" "$registry"
    { apt-get update && apt-get install -y debootstrap; } >"$log" 2>&1 || skip "Debian's packages cannot be reached: see $log"
    rm -rf "$system"
    debootstrap --variant=minbase "$suite" "$system" "$mirror" >>"$log" 2>&1 || skip "Debian's packages cannot be reached: see $log"
    echo "deb $mirror $suite-backports main" >"$system/etc/apt/sources.list.d/backports.list"
    local install='apt-get install -y --no-install-recommends'
    enter sh -euc "apt-get update; $install -t $suite-backports cargo rust-src rustc
        $install gcc gcc-mingw-w64-x86-64-win32 libc6-dev wine wine64; apt-get clean" >>"$log" 2>&1 || {
        tail -n 20 "$log"
        exit 1
    }
    # Where nothing is linked, the objects of the one crate with assembly may be empty.
    printf '#!/bin/sh\nwhile [ $# != 0 ]; do [ "$1" != -o ] || : >"$2"; shift; done\n' >"$system/usr/local/bin/no-cc"
    printf '#!/bin/sh\n: >"$2"\n' >"$system/usr/local/bin/no-ar"
    chmod +x "$system"/usr/local/bin/no-*
    touch "$system/made"
}

# Nothing is fetched from inside: the certificates and the settings of this machine are not there.
fetch_crates() {
    cargo fetch --locked
    RUSTC_BOOTSTRAP=1 cargo fetch --locked --manifest-path "$(echo "$system"/usr/src/rustc-*/library/Cargo.toml)"
}

# The source of the standard library is unstable to build, so the compiler is told to allow that.
run_cargo() {
    enter CARGO_HOME=/home RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_abort,proc_macro,test CARGO_TARGET_DIR=/out \
        CARGO_INCREMENTAL=0 CARGO_NET_OFFLINE=true CARGO_TERM_COLOR=never RUST_BACKTRACE=0 "$@"
}

[ "$(id -u)" = 0 ] || skip 'only root can make a system'
command -v apt-get >/dev/null || skip 'this is no system of Debian or its kind'
[ -e "$system/made" ] || make_system
fetch_crates

# Everything is checked for Windows. For macOS the libraries and the program are.
run_cargo cargo check --locked --workspace --all-targets --all-features --target x86_64-pc-windows-gnu
run_cargo CC=no-cc AR=no-ar SDKROOT=/ cargo check --locked --workspace --all-features --target aarch64-apple-darwin

# Wine takes the folder in which it starts for the drive Z.
run_cargo CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine WINEDEBUG=-all 'TEMP=Z:\tmp' INSTA_UPDATE=no \
    cargo test --locked --workspace --all-features --target x86_64-pc-windows-gnu --lib --test evals --test fixtures
