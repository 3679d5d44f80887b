"""EvalView's command asks an agent in each run. Its loader, evaluator, golden traces and diff also check a run that is
there already. Its cases know names of tools alone: arguments are compared with the golden trace."""

import asyncio
import json
import pathlib

import pytest
from evalview.core.diff import DiffEngine
from evalview.core.loader import TestCaseLoader
from evalview.core.types import ExecutionTrace
from evalview.evaluators.evaluator import Evaluator

CASES = TestCaseLoader.load_from_directory("tests")
NO_TIME = "2026-01-01T00:00:00"
NO_COST = {"latency": 0, "cost": 0}
evaluator, differ = Evaluator(skip_llm_judge=True), DiffEngine()


def read_trace(path):
    run = json.loads(path.read_text())
    results = {message["tool_call_id"]: message["content"] for message in run if message["role"] == "tool"}
    calls = [call for message in run for call in message.get("tool_calls") or []]
    steps = [{"step_id": call["id"], "step_name": call["function"]["name"], "tool_name": call["function"]["name"],
              "parameters": json.loads(call["function"]["arguments"]), "output": results[call["id"]], "success": True,
              "metrics": NO_COST} for call in calls]
    return ExecutionTrace.model_validate({
        "session_id": path.stem, "start_time": NO_TIME, "end_time": NO_TIME, "steps": steps,
        "final_output": run[-1]["content"], "metrics": {"total_cost": 0, "total_latency": 0}})


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_order(case, evalview_golden_store):
    number = int(case.name.removeprefix("order-")) - 1000
    trace = read_trace(pathlib.Path(f"../arraign/evals/traces/{number}.json"))
    result = asyncio.run(evaluator.evaluate(case, trace))
    assert result.passed
    # A text that is missing lowers the score; it does not fail the case by itself.
    assert not result.evaluations.output_quality.contains_checks.failed
    diff = differ.compare(evalview_golden_store.load_golden(case.name), trace, result.score)
    assert not diff.tool_diffs, diff.summary()
