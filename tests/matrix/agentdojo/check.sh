#!/usr/bin/env bash
# The templates of the pack `injection` that are AgentDojo's are those of the package, by hash. After the ground truth of a user
# task, the state behind `exec` mock tools that are the package's own is the package's own environment. It needs Python 3.10 and a
# network. FEW=5 takes so many user tasks in place of 40.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
target=${CARGO_TARGET_DIR:-$here/target}
export PYTHONDONTWRITEBYTECODE=1

python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
    { echo 'tests/matrix/agentdojo/check.sh: skipped, there is no Python 3.10'; exit 0; }
tools=$target/agentdojo
[ -d "$tools/python" ] || python3 -m venv "$tools/python"
# The sources alone: the texts are constants in them, and what runs models is not needed.
rm -rf "$tools/package"
"$tools/python/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$tools/package" agentdojo==0.1.35
"$tools/python/bin/pip" install --quiet --disable-pip-version-check deepdiff docstring-parser 'pydantic[email]' pyyaml

"$tools/python/bin/python" - "$tools/package" "$here" <<'PYTHON'
import ast, hashlib, pathlib, sys
import yaml

package, here = map(pathlib.Path, sys.argv[1:])
theirs = {}
for file in sorted((package / "agentdojo/attacks").glob("*.py")):
    for one in ast.parse(file.read_text()).body:
        if not isinstance(one, ast.ClassDef):
            continue
        for node in ast.walk(one):
            # A constant of the class, or the text that it passes to the class of fixed texts.
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "_JB_STRING":
                theirs[one.name] = ast.literal_eval(node.value)
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "__init__" and node.args:
                if isinstance(node.args[0], ast.Constant):
                    theirs[one.name] = node.args[0].value

pack = yaml.safe_load((here / "src/attack/injection.yaml").read_text())
ours = [template for template in pack["templates"] if template["source"].startswith("agentdojo ")]
lines = []
for template in ours:
    source, version, name = template["source"].split()
    assert version == "0.1.35" and template["license"] == "MIT", template["id"]
    text = theirs.pop(name)
    assert hashlib.sha256(text.encode()).digest() == hashlib.sha256(template["text"].encode()).digest(), template["id"]
    lines.append(f"{hashlib.sha256(text.encode()).hexdigest()}  {template['id']}\n")
assert not theirs, f"templates of the package that the pack lacks: {sorted(theirs)}"
assert "".join(lines) == (here / "tests/matrix/agentdojo/templates.sha256").read_text()
licence = next(package.glob("agentdojo-*.dist-info/licenses/LICENSE*")).read_text()
assert " ".join(licence.split()) in " ".join(pack["notice"].split()), "the notice is not that of the package"
print(f"{len(ours)} templates and their notice are AgentDojo's")
PYTHON

# Some tools put sets into lists: with one seed, in one order.
export PYTHONHASHSEED=0 PYTHONPATH=$tools/package TOOLS=$here/tests/matrix/agentdojo PATH=$tools/python/bin:$PATH
program=${ARRAIGN:-$target/debug/cargo-arraign}
[ -n "${ARRAIGN:-}" ] || (cd "$here" && cargo build --quiet -p cargo-arraign --features live)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$TOOLS/write_cases.py" "$work" "${FEW:-40}"
cp "$TOOLS/world.py" "$work/"
# Cases that fail are listed with their reasons.
(cd "$work" && "$program" arraign run --allow-exec > run.txt 2>&1) || true
python3 "$TOOLS/compare.py" "$work"
