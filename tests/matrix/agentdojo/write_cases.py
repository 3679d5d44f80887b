"""Writes a case for each user task: its ground truth is the run, and the package's own environment after it what is expected.

Tasks that change their environment come first, so many of each suite as of the others.
"""

import itertools
import json
import pathlib
import sys

import suites

NOW = "2026-01-01T00:00:00"
folder = pathlib.Path(sys.argv[1])
few = int(sys.argv[2])
suites.stop_clock(NOW)


def make_calls(suite, task):
    """Returns the environment before and after the ground truth, and the calls with their results."""
    environment = task.init_environment(suite.load_and_inject_default_environment({}))
    before = suites.dump(environment)
    trace = []
    for one in task.ground_truth(environment):
        arguments = json.loads(json.dumps(one.model_dump(mode="json")["args"]))
        result, failed = suites.call(suite, environment, one.function, one.args)
        trace.append({"call": one.function, "args": arguments, "error" if failed else "result": result})
    return before, suites.dump(environment), trace


found = {}
for name, suite in suites.SUITES.items():
    tasks = [(name, task.ID, *make_calls(suite, task)) for task in suite.user_tasks.values()]
    # Stable: the order of the package within both halves.
    found[name] = sorted(tasks, key=lambda task: task[2] == task[3])
turns = itertools.zip_longest(*found.values())
chosen = sorted((task for turn in turns for task in turn if task), key=lambda task: task[2] == task[3])[:few]

(folder / "evals").mkdir()
expected = {}
for suite, task, before, after, trace in chosen:
    tools = sorted(tool.name for tool in suites.SUITES[suite].tools)
    program = {"exec": {"command": ["python3", "world.py", suite], "env": ["PYTHONHASHSEED", "PYTHONPATH", "TOOLS"]}}
    members = {f"/{member}": {"equals": value} for member, value in after.items()}
    # The comparison sees a change.
    unchanged = {"state": {"unchanged": [""]}}
    case = {
        "id": "world",
        "mocks": {"state": before, "now": NOW, "tools": {tool: program for tool in tools}},
        "trace": trace,
        "expect": [{"state": {"has": members}}, {"none_of": [unchanged]} if before != after else unchanged],
    }
    name = f"{suite}-{task}"
    (folder / f"evals/{name}.yaml").write_text(json.dumps(case) + "\n")
    expected[name] = {"changes": before != after, "calls": len(trace)}
(folder / "expected.json").write_text(json.dumps(expected))
changing = sum(one["changes"] for one in expected.values())
print(f"{len(expected)} user tasks of AgentDojo: the ground truth changes the environment of {changing}")
