"""The call is compared with a reference trajectory: the run has at least its calls, with the same arguments."""

import json
import os
import pathlib

import pytest
from agentevals.trajectory.match import create_trajectory_match_evaluator

evaluate = create_trajectory_match_evaluator(trajectory_match_mode="superset")


@pytest.mark.parametrize("number", range(int(os.environ["CASES"])))
def test_order(number):
    run = json.loads(pathlib.Path(f"../arraign/evals/traces/{number}.json").read_text())
    call = {"name": "get_order", "arguments": json.dumps({"order_id": str(1000 + number)})}
    reference = [{"role": "assistant", "content": "", "tool_calls": [{"function": call}]}]
    assert evaluate(outputs=run, reference_outputs=reference)["score"]
    assert f"TRK-{1000 + number}" in run[-1]["content"]
