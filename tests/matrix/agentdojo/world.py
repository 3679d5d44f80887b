"""Answers one call with the tool of the package: `world.py SUITE`."""

import json
import os
import sys

sys.path.insert(0, os.environ["TOOLS"])
import suites  # noqa: E402

asked = json.load(sys.stdin)
suite = suites.SUITES[sys.argv[1]]
suites.stop_clock(asked["now"])
environment = suites.restore(suite.environment_type, asked["state"])
answer, failed = suites.call(suite, environment, asked["call"]["name"], asked["call"]["arguments"])
json.dump({"state": suites.dump(environment), "answer": answer, "failed": failed}, sys.stdout)
