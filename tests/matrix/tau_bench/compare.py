"""Compares the verdicts with what tau-bench's own code says. Each run that differs is listed with its reason."""

import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
expected = json.loads((folder / "expected.json").read_text())
verdicts = {}
for file in (folder / "target/arraign").rglob("*.jsonl"):
    for line in file.read_text().splitlines():
        verdict = json.loads(line)
        if isinstance(verdict, dict) and "name" in verdict and "status" in verdict:
            verdicts[verdict["name"].split("::")[0]] = verdict
missing = sorted(set(expected) - set(verdicts))
assert not missing, f"no verdict: {missing}\n{(folder / 'run.txt').read_text()[-3000:]}"
equal, others = 0, []
for name, theirs in sorted(expected.items()):
    verdict = verdicts[name]
    if verdict["status"] == ("pass" if theirs["same"] else "fail"):
        equal += 1
        continue
    finding = verdict["findings"][0] if verdict["findings"] else {}
    why = finding.get("unfit") or [one["message"] for one in finding.get("violations", [])][:3] or verdict.get("errors")
    others.append((name, theirs, verdict["status"], why))
print(f"{equal} of {len(expected)} verdicts are those of tau-bench")
for name, theirs, status, why in others:
    print(f"{name} (task {theirs['task']}): tau-bench {'equal' if theirs['same'] else 'differs'}, here {status}: {why}")
    if theirs["errors"]:
        print(f"    expected actions that fail: {theirs['errors']}")
# Only an expected action that fails in silence there is another verdict here: an error. All that the runs have done is known,
# so an undecided one is a mistake, too.
wrong = [one for one in others if one[2] != "error" or not one[1]["errors"]]
sys.exit(f"{len(wrong)} verdicts are not explained" if wrong else 0)
