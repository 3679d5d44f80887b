"""The two checks written by hand."""

import json
import os
import pathlib

import pytest


@pytest.mark.parametrize("number", range(int(os.environ["CASES"])))
def test_order(number):
    run = json.loads(pathlib.Path(f"../arraign/evals/traces/{number}.json").read_text())
    calls = [call["function"] for message in run for call in message.get("tool_calls") or []]
    assert any(call["name"] == "get_order" and json.loads(call["arguments"])["order_id"] == str(1000 + number) for call in calls)
    assert f"TRK-{1000 + number}" in run[-1]["content"]
