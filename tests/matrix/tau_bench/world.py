"""Answers one call with the tool of tau-bench. The flights, which no tool changes, are no part of the state."""

import json
import os
import sys

sys.path.insert(0, os.environ["TOOLS"])
import airline  # noqa: E402, F401
from tau_bench.envs.airline.tools import ALL_TOOLS  # noqa: E402

asked = json.load(sys.stdin)
call, state = asked["call"], asked["state"]
with open(os.path.join(airline.ROOT, "tau_bench/envs/airline/data/flights.json")) as file:
    data = {"flights": json.load(file), **state}
tools = {tool.get_info()["function"]["name"]: tool for tool in ALL_TOOLS}
try:
    answer = tools[call["name"]].invoke(data=data, **call["arguments"])
except Exception as error:  # As its environment does.
    answer = f"Error: {error}"
del data["flights"]
json.dump({"state": data, "answer": answer, "failed": answer.startswith("Error")}, sys.stdout)
