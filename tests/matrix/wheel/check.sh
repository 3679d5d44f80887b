#!/usr/bin/env bash
# The wheel that pip installs: made of the program, installed from its file alone into an environment of its own, and used
# in an empty folder.
set -euo pipefail
cd "$(dirname "$0")/../../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ -n "${PROGRAM_IS_BUILT:-}" ] || cargo build --quiet --workspace --all-features --bin cargo-arraign
program=$target/debug/cargo-arraign
wheel=$(python3 tools/wheel.py "$program" "$(rustc -vV | sed -n 's/^host: //p')" "$folder")
python3 -m venv "$folder/environment"
"$folder/environment/bin/pip" install --quiet --no-index --disable-pip-version-check "$wheel"
cmp "$program" "$folder/environment/bin/cargo-arraign"
# What pip checks when it removes a package: every file is recorded.
"$folder/environment/bin/pip" show --files cargo-arraign >"$folder/files"
grep -q 'bin/cargo-arraign' "$folder/files"

mkdir "$folder/project"
cd "$folder/project"
# Nothing but the environment is on the path: neither cargo nor a crate is needed.
PATH=$folder/environment/bin:/usr/bin:/bin
cargo-arraign init >/dev/null
cargo-arraign run >"$folder/green"
grep -q '^test first::order_status ... ok' "$folder/green"
sed -i 's/# - call: {tool: cancel/- call: {tool: cancel/' evals/first.yaml
code=0
cargo-arraign run >/dev/null 2>&1 || code=$?
[ "$code" = 101 ] || { echo "a red trial ends with $code"; exit 1; }
cd /
"$folder/environment/bin/pip" uninstall --quiet --yes cargo-arraign
[ ! -e "$folder/environment/bin/cargo-arraign" ]
echo "$(basename "$wheel"): $(($(stat -c %s "$wheel") / 1048576)) MiB"
