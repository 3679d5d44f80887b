#!/usr/bin/env bash
# Agents and the judge against servers that others wrote: LiteLLM's proxy with answers of its own, and llama.cpp's server with a small
# model that a package ships. `tests/matrix/servers.sh install` only installs them: into the target folder, once for each list of versions.
set -euo pipefail
cd "$(dirname "$0")/../.."
list=tests/matrix/servers/requirements.txt
target=${CARGO_TARGET_DIR:-target}
servers=$target/servers/$(sha256sum "$list" | cut -c1-16)

# A python that can make a virtual environment: the one that is there, or else Debian's.
find_python() {
    for known in python3 /usr/bin/python3; do
        if "$known" -c 'import ensurepip, sys; assert sys.version_info >= (3, 11)' 2>/dev/null; then
            echo "$known"
            return
        fi
    done
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        { apt-get update && apt-get install -y --no-install-recommends python3 python3-venv; } >/dev/null
        echo /usr/bin/python3
        return
    fi
    echo 'tests/matrix/servers.sh: there is no python3 of 3.11 or later with its venv: install both' >&2
    return 1
}

install_servers() {
    [ ! -e "$servers/installed" ] || return 0
    rm -rf "$servers"
    mkdir -p "$servers"
    local uv python
    python=$(find_python)
    uv=$(command -v uv || true)
    if [ -z "$uv" ]; then
        "$python" -m venv "$servers/uv"
        "$servers/uv/bin/pip" install --quiet uv==0.13.9
        uv=$servers/uv/bin/uv
    fi
    "$uv" venv --quiet --python "$python" "$servers/python"
    "$uv" pip install --quiet --no-deps --python "$servers/python/bin/python" --requirement "$list"
    touch "$servers/installed"
}

install_servers
if [ "${1:-}" = install ]; then
    exit 0
fi

bin=$(cd "$servers/python/bin" && pwd)
ARRAIGN_SERVERS=$bin cargo test --test claims -- --ignored live::servers::
