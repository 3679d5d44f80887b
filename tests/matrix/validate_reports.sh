#!/usr/bin/env bash
# The reports of one red run, with a hostile trace in it, as other people's programs read them: Microsoft's SARIF Multitool, the
# schema of Ant's JUnit task, junitparser, Python's jsonschema. What is not installed is installed below the target folder, once.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target}
tools=$CARGO_TARGET_DIR/validators
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT

for needed in npm python3; do
    if ! command -v "$needed" >/dev/null; then
        echo "skipped: $needed is not installed"
        exit 0
    fi
done
if [ ! -d "$tools/node_modules/@microsoft/sarif-multitool" ]; then
    npm install --no-audit --no-fund --ignore-scripts --prefix "$tools" @microsoft/sarif-multitool@5.7.0
fi
if ! "$tools/python/bin/python" -c 'import jsonschema, junitparser, lxml' 2>/dev/null; then
    python3 -m venv "$tools/python"
    "$tools/python/bin/pip" install --quiet jsonschema==4.26.0 junitparser==5.0.3 lxml==6.1.3
fi

cargo test --no-run --test cli
arraign() { # what the verdicts come to is red
    local code=0
    (cd "$here/tests/report" && ARRAIGN_OUT=$reports "$CARGO_TARGET_DIR/debug/cargo-arraign" "$@") >"$reports/shown" || code=$?
    if [ "$code" != 101 ]; then
        cat "$reports/shown"
        echo "cargo arraign $1: expected exit code 101, got $code"
        exit 1
    fi
}
arraign run
arraign report --format json,jsonl,junit,markdown,sarif --summary "$reports/summary.json"

# Its exit code says only that it could read the file.
multitool=$(echo "$tools"/node_modules/@microsoft/sarif-multitool-*/Sarif.Multitool)
chmod u+x "$multitool"
said=$("$multitool" validate "$reports/report.sarif" --rule-kind 'Sarif;Ghas' --level Error)
if ! grep -q 'Analysis completed successfully' <<<"$said" || grep -E ': (error|fail) ' <<<"$said"; then
    echo "$said"
    echo 'the SARIF log is not valid'
    exit 1
fi

"$tools/python/bin/python" - "$reports" "$here" <<'PYTHON'
import json, sys
from jsonschema import Draft202012Validator
from junitparser import Error, Failure, JUnitXml, Skipped
from lxml import etree

reports, here = sys.argv[1:]
whole = json.load(open(f"{reports}/report.json"))
lines = [json.loads(line) for line in open(f"{reports}/report.jsonl", newline="\n")]
assert lines == whole["verdicts"], "JSON Lines hold other verdicts"

def validator(name):
    published = json.load(open(f"{here}/docs/{name}.schema.json"))
    Draft202012Validator.check_schema(published)
    return Draft202012Validator(published)

validator("report").validate(whole)
validator("summary").validate(json.load(open(f"{reports}/summary.json")))
for line in lines:
    validator("verdict").validate(line)

schema = etree.XMLSchema(etree.parse(f"{here}/tests/matrix/schemas/JUnit.xsd"))
schema.assertValid(etree.parse(f"{reports}/report.junit.xml"))

ended = [result for suite in JUnitXml.fromfile(f"{reports}/report.junit.xml") for case in suite for result in case.result]
cases = sum(len(list(suite)) for suite in JUnitXml.fromfile(f"{reports}/report.junit.xml"))
count = lambda kind: sum(isinstance(result, kind) for result in ended)
totals = whole["totals"]
assert cases == totals["cases"] + totals["skipped"], (cases, totals)
assert count(Failure) == totals["failed"] > 0, (ended, totals)
assert count(Error) == totals["undecided"] + totals["errors"] > 0, (ended, totals)
assert count(Skipped) == totals["skipped"], (ended, totals)
print(f"valid: {cases} test cases in JUnit, {len(lines)} verdicts in JSON")
PYTHON
results=$(grep -o '"ruleIndex"' "$reports/report.sarif" | wc -l)
echo "valid: $results results in SARIF"
