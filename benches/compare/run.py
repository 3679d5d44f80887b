"""Times arraign beside other ways to test an agent: run.py CARGO_ARRAIGN [SIZES].

Each tool checks the same recorded runs offline: an answer of a model must contain a tracking number, and a tool must have
been called with the right order. The table of docs/comparison.md is what this prints. The tools are installed into
target/compare on the first run, from PyPI and the npm registry.
"""

import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "compare"
# How often each command runs: large sizes vary less.
REPEATS = {1: 3, 100: 3}
# No tool asks a model, reports its use or looks for a newer version.
ENVIRONMENT = {
    **os.environ,
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
    "PROMPTFOO_CONFIG_DIR": str(HOME / "promptfoo"),
    "CI": "1",
}


def messages(number):
    order = f"{1000 + number}"
    call = {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": json.dumps({"order_id": order})}}
    return [
        {"role": "user", "content": f"Where is my order {order}?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps({"status": "shipped", "tracking": f"TRK-{order}"})},
        {"role": "assistant", "content": f"Order {order} has shipped. Its tracking number is TRK-{order}."},
    ]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_arraign(folder, size):
    case = ("  - id: order_{0}\n    input: Where is my order {0}?\n    trace: traces/{1}.json\n    expect:\n"
            "      - call: {{tool: get_order, args: {{order_id: \"{0}\"}}}}\n      - contains: TRK-{0}\n")
    write(folder / "evals/orders.yaml", "tests:\n" + "".join(case.format(1000 + n, n) for n in range(size)))
    for number in range(size):
        write(folder / f"evals/traces/{number}.json", json.dumps(messages(number)))


PYTEST = '''import json, pathlib, pytest

@pytest.mark.parametrize("number", range(SIZE))
def test_order(number):
    run = json.loads(pathlib.Path(f"../arraign/evals/traces/{number}.json").read_text())
    calls = [call["function"] for message in run for call in message.get("tool_calls") or []]
    assert any(call["name"] == "get_order" and json.loads(call["arguments"])["order_id"] == str(1000 + number) for call in calls)
    assert f"TRK-{1000 + number}" in run[-1]["content"]
'''

DEEPEVAL = '''import json, pathlib, pytest
from deepeval import assert_test
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase, ToolCall

class CallsAndAnswer(BaseMetric):
    """Deterministic, as a team writes it that asks no model."""
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

@pytest.mark.parametrize("number", range(SIZE))
def test_order(number):
    run = json.loads(pathlib.Path(f"../arraign/evals/traces/{number}.json").read_text())
    calls = [call["function"] for message in run for call in message.get("tool_calls") or []]
    assert_test(LLMTestCase(
        input=run[0]["content"], actual_output=run[-1]["content"], expected_output=f"TRK-{1000 + number}",
        tools_called=[ToolCall(name=call["name"], input_parameters=json.loads(call["arguments"])) for call in calls],
        expected_tools=[ToolCall(name="get_order", input_parameters={"order_id": str(1000 + number)})]), [CallsAndAnswer()], run_async=False)
'''

NODE = '''import { test } from "node:test";
import assert from "node:assert";
import { readFileSync } from "node:fs";

for (let number = 0; number < SIZE; number++) {
  test(`order ${number}`, () => {
    const run = JSON.parse(readFileSync(`../arraign/evals/traces/${number}.json`, "utf8"));
    const calls = run.flatMap((message) => message.tool_calls ?? []).map((call) => call.function);
    assert(calls.some((call) => call.name === "get_order" && JSON.parse(call.arguments).order_id === String(1000 + number)));
    assert(run.at(-1).content.includes(`TRK-${1000 + number}`));
  });
}
'''

PROVIDER = '''const fs = require("node:fs");

// Returns the recorded run instead of asking a model.
module.exports = class {
  id() { return "recorded"; }
  async callApi(prompt, context) {
    const run = JSON.parse(fs.readFileSync(`${__dirname}/../arraign/evals/traces/${context.vars.number}.json`, "utf8"));
    const calls = run.flatMap((message) => message.tool_calls ?? []).map((call) => call.function);
    return { output: JSON.stringify({ answer: run.at(-1).content, calls }) };
  }
};
'''


def write_promptfoo(folder, size):
    check = "JSON.parse(output).calls.some((call) => call.name === 'get_order' && JSON.parse(call.arguments).order_id === context.vars.order)"
    tests = [{"vars": {"number": number, "order": f"{1000 + number}"},
              "assert": [{"type": "javascript", "value": check}, {"type": "contains", "value": f"TRK-{1000 + number}"}]}
             for number in range(size)]
    config = {"prompts": ["Where is my order {{order}}?"], "providers": ["file://provider.js"], "tests": tests}
    write(folder / "promptfooconfig.json", json.dumps(config))
    write(folder / "provider.js", PROVIDER)


def prepare(program, size):
    folder = HOME / f"{size}"
    shutil.rmtree(folder, ignore_errors=True)
    write_arraign(folder / "arraign", size)
    write(folder / "pytest/test_orders.py", PYTEST.replace("SIZE", str(size)))
    write(folder / "deepeval/test_orders.py", DEEPEVAL.replace("SIZE", str(size)))
    write(folder / "node/orders.test.mjs", NODE.replace("SIZE", str(size)))
    write_promptfoo(folder / "promptfoo", size)
    python, promptfoo = HOME / "python/bin", HOME / "node/node_modules/.bin/promptfoo"
    return folder, {
        "arraign": [program, "run"],
        "pytest": [python / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:deepeval"],
        "node": ["node", "--test"],
        "deepeval": [python / "deepeval", "test", "run", "test_orders.py", "--skip-on-missing-params"],
        "promptfoo": [promptfoo, "eval", "-c", "promptfooconfig.json", "--no-cache", "--no-progress-bar", "--no-table"],
    }


def install():
    if not (HOME / "python/bin/deepeval").exists():
        subprocess.run([sys.executable, "-m", "venv", HOME / "python"], check=True)
        subprocess.run([HOME / "python/bin/pip", "install", "--quiet", "deepeval", "pytest"], check=True)
    if not (HOME / "node/node_modules/.bin/promptfoo").exists():
        (HOME / "node").mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "PUPPETEER_SKIP_DOWNLOAD": "1", "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"}
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", HOME / "node", "promptfoo"],
                       check=True, env=environment)


def measure(command, folder):
    """Wall-clock seconds, CPU seconds and peak memory in MiB of one run, which must be green."""
    start = time.perf_counter()
    with open(folder / "output.txt", "w") as output:
        child = subprocess.Popen([str(part) for part in command], cwd=folder, env=ENVIRONMENT, stdout=output, stderr=output)
        _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} ended with {child.returncode}: {(folder / 'output.txt').read_text()[-2000:]}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def find_version(command):
    told = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=ENVIRONMENT).stdout.split()
    return next((word.lstrip("v") for word in told if word.lstrip("v")[:1].isdigit()), "?")


def main(program, *sizes):
    program = str(pathlib.Path(program).resolve())
    HOME.mkdir(parents=True, exist_ok=True)
    install()
    python = HOME / "python/bin"
    versions = {
        "arraign": find_version([program, "--version"]),
        "pytest": find_version([python / "pytest", "--version"]),
        "node": find_version(["node", "--version"]),
        "deepeval": find_version([python / "python", "-c", "import importlib.metadata as m; print(m.version('deepeval'))"]),
        "promptfoo": find_version([HOME / "node/node_modules/.bin/promptfoo", "--version"]),
    }
    print(f"{time.strftime('%Y-%m-%d')}, {platform.system()} {platform.machine()}, {os.cpu_count()} CPUs\n")
    print("| tool | cases | seconds | CPU seconds | MiB |\n|---|---|---|---|---|")
    for size in [int(size) for size in sizes] or [1, 100, 1000]:
        folder, commands = prepare(program, size)
        for tool, command in commands.items():
            runs = [measure(command, folder / tool) for _ in range(REPEATS.get(size, 1))]
            wall, cpu, memory = (statistics.median(column) for column in zip(*runs))
            print(f"| {tool} {versions[tool]} | {size:,} | {wall:.2f} | {cpu:.2f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
