#!/usr/bin/env bash
# What a workflow of `cargo arraign init` uploads, held against the rules of GitHub's own uploader.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target}
command -v npm >/dev/null || { echo "no npm: skipped"; exit 0; }
[ -n "${PROGRAM_IS_BUILT:-}" ] || (cd "$here" && cargo build --package cargo-arraign)
program=$CARGO_TARGET_DIR/debug/cargo-arraign

tools=$CARGO_TARGET_DIR/uploader
mkdir -p "$tools"
(cd "$tools" && [ -d node_modules/@actions/artifact ] || npm install --silent --prefix "$tools" @actions/artifact@2)

project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cd "$project"
"$program" init
ARRAIGN_REPORT=markdown,junit,html,sarif ARRAIGN_OUT=$project/arraign-report "$program" run

cat >"$tools/check.cjs" <<'JS'
const fs = require('fs'), path = require('path');
const inner = path.join(__dirname, 'node_modules/@actions/artifact/lib/internal/upload');
const {getUploadZipSpecification} = require(path.join(inner, 'upload-zip-specification.js'));
const {validateArtifactName} = require(path.join(inner, 'path-and-artifact-name-validation.js'));
const root = process.argv[2];
const list = (folder) => fs.readdirSync(folder, {withFileTypes: true}).flatMap((entry) => {
  const below = path.join(folder, entry.name);
  return entry.isDirectory() ? list(below) : [below];
});
validateArtifactName('evals');
const files = list(root);
if (files.length < 4) throw new Error(`only ${files.length} files`);
console.log(getUploadZipSpecification(files, root).map((file) => file.destinationPath).join('\n'));
JS
node "$tools/check.cjs" "$project/arraign-report"
echo "GitHub's uploader takes all of them"
