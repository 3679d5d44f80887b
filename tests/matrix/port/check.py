"""Agents by the SDKs through the model port: recorded, replayed with the upstream gone, and found out when something changes.

check.py HOME PROGRAM LITELLM [CLIENT...]

HOME has the installed SDKs, and PROGRAM is cargo-arraign.
"""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from proxy import KEY, start_proxy

HERE = Path(__file__).parent
HOME, PROGRAM, LITELLM, *WANTED = sys.argv[1:]
HOME = Path(HOME)
PROJECT = HOME / "project"
QUESTION = "Where is order 7?"
SHOP = {"model": "shop-1", "prompt": "You answer for a shop.", "result": "shipped", "tools": ["get_order"]}

# A network in which there is only this machine: a replay needs no other.
ALONE = ["unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]

# What is changed, and what the message must then say. Each protocol has a word of its own for a prompt.
CHANGES = {
    "prompt": ({"prompt": "You answer for a pirate."}, ['"You answer for a shop." -> "You answer for a pirate."']),
    "result": ({"result": "lost at sea"}, ["tool result", "shipped", "lost at sea"]),
    "tools": ({"tools": ["get_order", "refund_order"]}, ["tool `refund_order` is new"]),
    "model": ({"model": "shop-2"}, ["shop-1", "shop-2"]),
}
CAN_BE_ALONE = shutil.which("unshare") and subprocess.run([*ALONE, "true"], stderr=subprocess.DEVNULL).returncode == 0
PYTHON = ["chat", "responses", "anthropic", "gemini", "langgraph", "agents"]
NODE = [*PYTHON, "vercel_openai", "vercel_anthropic", "vercel_google"]
KEYS = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"]


def list_clients():
    """The command of each client."""
    python = {f"python_{sdk}": [HOME / "python/bin/python", HERE / "agent.py", sdk] for sdk in PYTHON}
    node = {f"node_{sdk}": ["node", HERE / "agent.mjs", sdk] for sdk in NODE}
    rig = HOME / "rig-agent"
    rust = {"rust_rig": [rig]} if rig.exists() else {}
    return {name: command for name, command in (python | node | rust).items() if not WANTED or name in WANTED}


def write_suite(clients):
    """A case for each client, streamed and not."""
    cases = []
    for name, command in clients.items():
        for form in ["whole", "streamed"]:
            option = {"whole": [], "streamed": ["--stream"]}[form]
            agent = {"command": [*map(str, command), *option], "env": [*KEYS, "SDK_FOLDER", "SUPPORT_MODEL"], "model": True, "timeout": "10m"}
            expect = [{"tool_called": "get_order"}, {"contains": "shipped"}, {"tool_calls_at_most": 1}]
            cases.append({"id": f"{name}_{form}", "input": QUESTION, "agent": agent, "expect": expect})
    (PROJECT / "evals/port.yaml").write_text(json.dumps({"tests": cases}))
    return [case["id"] for case in cases]


def run(mode, changes, **variables):
    """The verdict of each case."""
    shop = SHOP | changes
    (PROJECT / "shop.json").write_text(json.dumps(shop))
    # The same for the agent of examples/rig-agent.
    tools = [{"name": name, "description": name, "parameters": {"type": "object", "properties": {}}} for name in shop["tools"]]
    order = {"id": 7, "status": shop["result"]}
    for file, text in {"prompts/support.md": shop["prompt"], "tools.json": json.dumps(tools), "data/orders.json": json.dumps([order])}.items():
        (PROJECT / file).parent.mkdir(exist_ok=True)
        (PROJECT / file).write_text(text)
    shutil.rmtree(PROJECT / "out", ignore_errors=True)
    kept = {name: os.environ[name] for name in ["PATH", "HOME"]}
    variables |= {"ARRAIGN_AGENT_MODE": mode, "ARRAIGN_OUT": "out", "SDK_FOLDER": str(HOME / "node"), "SUPPORT_MODEL": shop["model"]}
    alone = ALONE if mode == "replay" and CAN_BE_ALONE else []
    command = [*alone, PROGRAM, "run", "--allow-exec", "--", "--test-threads", "2"]
    ran = subprocess.run(command, cwd=PROJECT, env=kept | variables, capture_output=True, text=True)
    (HOME / f"{mode}{''.join(changes)}.log").write_text(ran.stdout + ran.stderr)
    lines = [line for file in (PROJECT / "out").rglob("*.jsonl") for line in file.read_text().splitlines()]
    verdicts = [verdict for verdict in map(json.loads, lines) if "status" in verdict]
    return {verdict["name"].split("::")[1]: verdict for verdict in verdicts}


def is_miss(verdict, words):
    """Whether the trial is undecided, and its message contains the words."""
    text = "".join(finding.get("unfit", "") for finding in verdict["findings"]).split("its standard error")[0]
    return verdict["status"] == "undecided" and all(word in text for word in words)


def check_all():
    shutil.rmtree(PROJECT, ignore_errors=True)
    (PROJECT / "evals").mkdir(parents=True)
    ids = write_suite(list_clients())
    with start_proxy(HOME, LITELLM) as url:
        addresses = {"OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url, "GOOGLE_GEMINI_BASE_URL": url}
        rounds = {"recorded": run("record", {}, **addresses, **dict.fromkeys(KEYS, KEY))}
    rounds["replayed"] = run("replay", {})
    table = {id: [rounds[round].get(id, {}).get("status") == "pass" for round in rounds] for id in ids}
    for name, (change, words) in CHANGES.items():
        rounds[name] = run("replay", change)
        for id in ids:
            table[id].append(id in rounds[name] and is_miss(rounds[name][id], words))
    for file in PROJECT.rglob("*.*"):
        assert KEY not in file.read_text(), f"{file} contains the key"
    print("replays ran", "without a network" if CAN_BE_ALONE else "with the network: there is no unshare, or it is not allowed")
    print(f"{'':32}" + "".join(f"{name:>10}" for name in rounds))
    for id, row in table.items():
        print(f"{id:32}" + "".join(f"{'ok' if good else 'NO':>10}" for good in row))
    return all(all(row) for row in table.values())


sys.exit(0 if check_all() else f"tests/matrix/port/check.py: see {HOME}/*.log")
