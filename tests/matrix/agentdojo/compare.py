"""Compares the verdicts with the package's environments. Each task that differs is listed with its reason."""

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
            verdicts[verdict["name"]] = verdict
wrong = []
for name in sorted(expected):
    verdict = verdicts.get(f"{name}::world")
    assert verdict, f"no verdict: {name}\n{(folder / 'run.txt').read_text()[-3000:]}"
    if verdict["status"] != "pass":
        why = verdict.get("errors") or [one.get("unfit") or one.get("violations") for one in verdict["findings"]]
        wrong.append(f"{name} is {verdict['status']}: {str(why)[:600]}")
calls = sum(one["calls"] for one in expected.values())
print(f"{len(expected) - len(wrong)} of {len(expected)} environments are those of AgentDojo, after {calls} calls")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
