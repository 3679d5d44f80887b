#!/usr/bin/env bash
# Whether the version of each library says what changed in its public names since the last release, by cargo-semver-checks.
# An argument names a revision to compare with in place of the release.
set -euo pipefail
cd "$(dirname "$0")/../.."

cargo semver-checks --version >/dev/null 2>&1 || cargo install cargo-semver-checks --locked
# Outside of the workspace, cargo asks the registry for a package, and not its own folder.
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
for library in arraign-trace arraign; do
    if [ $# -gt 0 ]; then
        cargo semver-checks --package "$library" --baseline-rev "$1"
    elif (cd "$elsewhere" && cargo info --quiet "$library" >/dev/null 2>&1); then
        cargo semver-checks --package "$library"
    else
        # It fails if the registry cannot be reached.
        (cd "$elsewhere" && cargo info --quiet serde >/dev/null)
        echo "$library is not compared: the registry has no release of it."
    fi
done
