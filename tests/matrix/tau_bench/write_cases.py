"""Writes a case for each recorded run, and what tau-bench's own code says of its database.

Its expected actions are the calls of `after`. Of the database, what the run, the expected actions or each other name is in the
state and in the database that tau-bench's code compares: no tool changes anything else.
"""

import copy
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.dirname(__file__))
import airline  # noqa: E402
from tau_bench.envs.airline.data import load_data  # noqa: E402
from tau_bench.envs.airline.env import MockAirlineDomainEnv  # noqa: E402
from tau_bench.types import Action  # noqa: E402

folder = pathlib.Path(sys.argv[1])
few = int(sys.argv[2])
runs = json.loads(pathlib.Path(airline.ROOT, "historical_trajectories/gpt-4o-airline.json").read_text())
runs = sorted(enumerate(runs), key=lambda entry: len(json.dumps(entry[1]["traj"])))[:few]
whole = load_data()


def calls_of(run):
    for message in run["traj"]:
        for call in message.get("tool_calls") or []:
            yield call["function"]["name"], json.loads(call["function"]["arguments"])


def step(env, name, arguments):
    """Makes a call as the environment does, whatever its tool says."""
    return env.step(Action(name=name, kwargs=arguments)).observation


def judge(env, run):
    env.task = env.tasks[run["task_id"]]
    env.actions = []
    texts = [json.dumps([name, arguments]) for name, arguments in calls_of(run)]
    state = cut_state(texts + [json.dumps(action.kwargs) for action in env.task.actions])
    env.data_load_func = lambda: copy.deepcopy(state)
    env.data = env.data_load_func()
    env.terminate_tools = ["transfer_to_human_agents"]
    # A tool that ends the conversation asks for the reward, which resets the database.
    env.terminate_tools, terminate = [], env.terminate_tools
    for name, arguments in calls_of(run):
        step(env, name, arguments)
    env.terminate_tools = terminate
    before = copy.deepcopy(env.data)
    theirs = env.calculate_reward()
    # `info` has the database's part only without expected outputs, so that the hashes are compared as there.
    gold = env.get_data_hash()
    env.data = before
    same = env.get_data_hash() == gold
    if hasattr(theirs.info, "r_actions"):
        assert theirs.info.r_actions == same
    env.data = env.data_load_func()
    changes = env.get_data_hash() != gold
    errors = []
    env.actions = []
    for action in env.task.actions:
        if action.name not in terminate:
            observation = step(env, action.name, action.kwargs)
            if observation.startswith("Error"):
                errors.append(f"{action.name}: {observation}")
    del state["flights"]
    return same, changes, errors, state, [action for action in env.task.actions if action.name not in terminate]


def cut_state(texts):
    """What these texts name, and what that names: flights, users and reservations."""
    state = {"flights": {}, "users": {}, "reservations": {}}
    while texts:
        words = set(re.findall(r"\w+", "\n".join(texts)))
        texts = []
        for kind, found in state.items():
            for key in (words & whole[kind].keys()) - found.keys():
                found[key] = whole[kind][key]
                texts.append(json.dumps(found[key]))
    return {kind: dict(sorted(found.items())) for kind, found in state.items()}


def as_today(messages):
    """The runs were recorded when the addresses of users had a `province`, which is called `state` today."""
    for message in messages:
        if message["role"] == "tool" and message.get("name") == "get_user_details":
            message = {**message, "content": message["content"].replace('"province": ', '"state": ')}
        yield message


(folder / "evals").mkdir()
(folder / "evals/traces").mkdir()
tools = ["book_reservation", "calculate", "cancel_reservation", "get_reservation_details", "get_user_details",
         "list_all_airports", "search_direct_flight", "search_onestop_flight", "send_certificate", "think",
         "transfer_to_human_agents", "update_reservation_baggages", "update_reservation_flights",
         "update_reservation_passengers"]
# A run without calls shows by the offered tools that its writer records calls.
offered = [{"type": "function", "function": {"name": tool}} for tool in tools]
program = {"exec": {"command": ["python3", "world.py"], "env": ["TAU_BENCH", "TOOLS"]}}
expected = {}
env = MockAirlineDomainEnv(task_index=0)
for number, run in runs:
    same, changes, errors, state, gold = judge(env, run)
    # Expected actions that change nothing expect the database to stay as it is.
    after = {"after": [{action.name: action.kwargs} for action in gold]} if changes else {"unchanged": [""]}
    case = {
        "id": "state",
        "input_match": False,
        "mocks": {"state": state, "tools": {tool: program for tool in tools}},
        "trace": f"traces/run-{number:03}.json",
        "expect": [{"state": after}],
    }
    name = f"run-{number:03}"
    (folder / f"evals/{name}.yaml").write_text(json.dumps(case) + "\n")
    (folder / f"evals/traces/{name}.json").write_text(json.dumps({"messages": list(as_today(run["traj"])), "tools": offered}))
    expected[name] = {"same": same, "changes": changes, "errors": errors, "reward": run["reward"], "task": run["task_id"]}
(folder / "expected.json").write_text(json.dumps(expected))
print(f"{len(runs)} runs: by tau-bench, the database is the expected one after {sum(one['same'] for one in expected.values())}")
