#!/usr/bin/env bash
# Licences, sources and versions of all dependencies, and the advisories on them, by cargo-deny. The advisories come from
# RustSec's database: ADVISORY_DB names the folder of a clone, else it is fetched. Where it cannot be had, that is said.
set -euo pipefail
cd "$(dirname "$0")/../.."

cargo deny --version >/dev/null 2>&1 || cargo install cargo-deny --locked
cargo deny check bans licenses sources

database=https://github.com/RustSec/advisory-db
if [ -n "${ADVISORY_DB:-}" ]; then
    # cargo-deny takes a database from a server alone, so git is told to take the folder in its place.
    export GIT_CONFIG_COUNT=1 GIT_CONFIG_VALUE_0=$database
    export GIT_CONFIG_KEY_0="url.file://$(realpath "$ADVISORY_DB").insteadOf"
fi
if timeout 60 git ls-remote --exit-code "$database" HEAD >/dev/null 2>&1; then
    cargo deny check advisories
else
    echo "The advisories are not checked: $database cannot be reached."
fi
