"""Writes the verdicts of agentevals on small random pairs of trajectories, one JSON line each.

`verdicts` has a character for each mode of trajectories and each mode of arguments, in the order of the two lists below:
`y` for a match, `n` for none.

    python -m venv venv && venv/bin/pip install agentevals==0.0.9
    venv/bin/python tests/goldens/record_agentevals.py > tests/goldens/agentevals.jsonl
"""

import json
import random

from agentevals.trajectory.match import create_trajectory_match_evaluator

MODES = ["strict", "unordered", "subset", "superset"]
ARGUMENTS = ["exact", "ignore", "subset", "superset"]
EVALUATORS = {
    (mode, arguments): create_trajectory_match_evaluator(trajectory_match_mode=mode, tool_args_match_mode=arguments)
    for mode in MODES
    for arguments in ARGUMENTS
}


def draw_call(numbers):
    keys = numbers.sample("abc", numbers.randrange(3))
    return {"name": numbers.choice("fg"), "args": {key: numbers.randrange(2) for key in sorted(keys)}}


def vary_calls(numbers, calls):
    """Returns the calls with a few changes, so that verdicts of both kinds occur."""
    calls = [json.loads(json.dumps(call)) for call in calls]
    for call in calls:
        if numbers.random() < 0.3 and call["args"]:
            call["args"].pop(numbers.choice(sorted(call["args"])))
        elif numbers.random() < 0.3:
            call["args"][numbers.choice("abc")] = numbers.randrange(2)
    if numbers.random() < 0.3:
        numbers.shuffle(calls)
    if numbers.random() < 0.3 and calls:
        calls.pop()
    if numbers.random() < 0.3:
        calls.append(draw_call(numbers))
    return calls


def to_messages(calls):
    return [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "", "type": "function", "function": {"name": call["name"], "arguments": json.dumps(call["args"])}}],
        }
        for call in calls
    ]


def main():
    numbers = random.Random(1)
    for _ in range(200):
        reference = [draw_call(numbers) for _ in range(numbers.randrange(5))]
        run = vary_calls(numbers, reference)
        scores = [evaluate(outputs=to_messages(run), reference_outputs=to_messages(reference))["score"] for evaluate in EVALUATORS.values()]
        verdicts = "".join("y" if score else "n" for score in scores)
        print(json.dumps({"run": run, "reference": reference, "verdicts": verdicts}, separators=(",", ":")))


main()
