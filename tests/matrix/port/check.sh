#!/usr/bin/env bash
# The model port and the clients that others wrote: agents by their SDKs are recorded from LiteLLM's proxy, replayed when it is gone, and
# found out when their prompt, a tool's result, their tools or their model change. Installs into the target folder.
#
# `ARRAIGN_RIG=1` also builds the agent in Rust, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/../../.."
for tool in python3 npm; do
    command -v "$tool" >/dev/null || { echo "tests/matrix/port/check.sh: skipped, there is no $tool"; exit 0; }
done
mkdir -p "${CARGO_TARGET_DIR:-target}/port/node" "${CARGO_TARGET_DIR:-target}/frameworks"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)

bash tests/matrix/servers.sh install
litellm=$target/servers/$(sha256sum tests/matrix/servers/requirements.txt | cut -c1-16)/python/bin/litellm
# The same versions as in tests/matrix/frameworks.
[ -d "$target/frameworks/models" ] || python3 -m venv "$target/frameworks/models"
"$target/frameworks/models/bin/pip" install --quiet --disable-pip-version-check -r tests/matrix/frameworks/models.txt
ln -sfn ../frameworks/models "$target/port/python"
cp tests/matrix/port/package.json "$target/port/node"
(cd "$target/port/node" && npm install --silent --no-audit --no-fund)
if [ -n "${ARRAIGN_RIG:-}" ]; then
    (cd examples/rig-agent && CARGO_TARGET_DIR=$target/examples cargo build --quiet --locked --tests)
    ln -sfn ../examples/debug/rig-agent "$target/port/rig-agent"
fi

[ -n "${PROGRAM_IS_BUILT:-}" ] || cargo build --package cargo-arraign --all-features
PYTHONDONTWRITEBYTECODE=1 python3 tests/matrix/port/check.py "$target/port" "$target/debug/cargo-arraign" "$litellm" "$@"
echo 'tests/matrix/port/check.sh: the SDKs agree with the model port'
