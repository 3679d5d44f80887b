"""A metric of one's own, as a team writes it that asks no model."""

import json
import os
import pathlib

import pytest
from deepeval import assert_test
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase, ToolCall


class CallsAndAnswer(BaseMetric):
    threshold, async_mode, include_reason = 1.0, False, True

    def measure(self, case, *_, **__):
        called = [(call.name, call.input_parameters) for call in case.tools_called]
        missing = [call.name for call in case.expected_tools if (call.name, call.input_parameters) not in called]
        self.success = not missing and case.expected_output in case.actual_output
        self.score, self.reason = float(self.success), ", ".join(missing)
        return self.score

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "calls and answer"


@pytest.mark.parametrize("number", range(int(os.environ["CASES"])))
def test_order(number):
    run = json.loads(pathlib.Path(f"../arraign/evals/traces/{number}.json").read_text())
    calls = [call["function"] for message in run for call in message.get("tool_calls") or []]
    case = LLMTestCase(
        input=run[0]["content"], actual_output=run[-1]["content"], expected_output=f"TRK-{1000 + number}",
        tools_called=[ToolCall(name=call["name"], input_parameters=json.loads(call["arguments"])) for call in calls],
        expected_tools=[ToolCall(name="get_order", input_parameters={"order_id": str(1000 + number)})])
    assert_test(case, [CallsAndAnswer()], run_async=False)
