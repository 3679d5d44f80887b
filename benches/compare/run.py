"""Times arraign beside other ways to test an agent: run.py CARGO_ARRAIGN [SIZES].

Each tool checks the same recorded runs offline: an answer of a model must contain a tracking number, and a tool must have
been called with the right order. The tables of docs/comparison.md are what this prints. The folder `peers` has what each
tool runs. The first run installs the tools from PyPI, the npm registry and crates.io into target/compare.
"""

import ctypes
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections import namedtuple

PEERS = pathlib.Path(__file__).resolve().parent / "peers"
HOME = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", PEERS.parents[2] / "target")).resolve() / "compare"
SIZES = (1, 100, 1000, 10000)
# A command is run this often, and the median counts. One that takes longer than SLOW seconds varies less, and is run once.
REPEATS, SLOW = 5, 10
# A tool that needs more CPU seconds than this is not run with more cases.
TOO_SLOW = 30
# No tool asks a model, reports its use or looks for a newer version.
ENVIRONMENT = {
    **os.environ,
    "CI": "1",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "EVALVIEW_TELEMETRY_DISABLED": "1",
    "LANGSMITH_TRACING": "false",
    "LANGSMITH_TEST_TRACKING": "false",
    "PROMPTFOO_CONFIG_DIR": str(HOME / "promptfoo/config"),
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
    # They are for the installation: no tool needs a browser.
    "PUPPETEER_SKIP_DOWNLOAD": "1",
    "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1",
}

# `install` is called if the program of `command` is missing. `version` is the command that tells it.
Tool = namedtuple("Tool", "command version install")
Cost = namedtuple("Cost", "wall cpu memory")
# What the tables call a tool, if it is not the name of its package.
LABELS = {"deepeval": "DeepEval", "evalview": "EvalView", "mira": "Mira", "node": "node:test"}


# The recorded runs, and the cases of the tools that have a format of their own.

def name_order(number):
    return f"{1000 + number}"


def make_run(number, called=None, told=None):
    """The messages of a run: it calls the tool with the order `called` and tells the number of `told`."""
    order = name_order(number)
    called, told = called or order, told or order
    call = {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": json.dumps({"order_id": called})}}
    return [
        {"role": "user", "content": f"Where is my order {order}?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps({"status": "shipped", "tracking": f"TRK-{order}"})},
        {"role": "assistant", "content": f"Order {order} has shipped. Its tracking number is TRK-{told}."},
    ]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_arraign(folder, runs):
    case = ("  - id: order_{0}\n    input: Where is my order {0}?\n    trace: traces/{1}.json\n    expect:\n"
            "      - call: {{tool: get_order, args: {{order_id: \"{0}\"}}}}\n      - contains: TRK-{0}\n")
    cases = (case.format(name_order(number), number) for number in range(len(runs)))
    write(folder / "evals/orders.yaml", "tests:\n" + "".join(cases))
    for number, run in enumerate(runs):
        write(folder / f"evals/traces/{number}.json", json.dumps(run))


def write_promptfoo(folder, runs):
    check = ("JSON.parse(output).calls.some((call) => "
             "call.name === 'get_order' && JSON.parse(call.arguments).order_id === context.vars.order)")
    tests = [{"vars": {"number": number, "order": name_order(number)},
              "assert": [{"type": "javascript", "value": check}, {"type": "contains", "value": f"TRK-{name_order(number)}"}]}
             for number in range(len(runs))]
    config = {"prompts": ["Where is my order {{order}}?"], "providers": ["file://provider.js"], "tests": tests}
    write(folder / "promptfooconfig.json", json.dumps(config))


def write_evalview(folder, runs):
    case = ("name: order-{0}\ninput:\n  query: Where is my order {0}?\nexpected:\n  tools: [get_order]\n"
            "  output:\n    contains: [TRK-{0}]\nthresholds:\n  min_score: 70\n")
    day = "2026-01-01T00:00:00"
    for number in range(len(runs)):
        name, order = f"order-{name_order(number)}", name_order(number)
        step = {"step_id": "c1", "step_name": "get_order", "tool_name": "get_order", "parameters": {"order_id": order},
                "output": "", "success": True, "metrics": {"latency": 0, "cost": 0}}
        trace = {"session_id": name, "start_time": day, "end_time": day, "steps": [step],
                 "final_output": make_run(number)[-1]["content"], "metrics": {"total_cost": 0, "total_latency": 0}}
        golden = {"metadata": {"test_name": name, "blessed_at": day, "score": 85}, "trace": trace, "tool_sequence": ["get_order"]}
        write(folder / f"tests/{name}.yaml", case.format(order))
        write(folder / f".evalview/golden/{name}.golden.json", json.dumps(golden))


WRITERS = {"arraign": write_arraign, "promptfoo": write_promptfoo, "evalview": write_evalview}


def write_all(folder, runs, tools):
    """A folder for each tool. Those without a format of their own read the runs of arraign's."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in tools:
        (folder / name).mkdir(parents=True)
        if (PEERS / name).exists():
            shutil.copytree(PEERS / name, folder / name, dirs_exist_ok=True)
        if name in WRITERS:
            WRITERS[name](folder / name, runs)
        if (HOME / name / "node_modules").exists():
            (folder / name / "node_modules").symlink_to(HOME / name / "node_modules")


# The tools.

def install_from_pypi(name):
    subprocess.run([sys.executable, "-m", "venv", HOME / name], check=True)
    subprocess.run([HOME / name / "bin/pip", "install", "--quiet", "pytest", name], check=True)


def install_from_npm(name, *packages):
    # Without a package.json in this folder, npm installs into one above it.
    write(HOME / name / "package.json", "{}")
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", *packages]
    subprocess.run(command, check=True, cwd=HOME / name, env=ENVIRONMENT)


def install_mira():
    """The eval is compiled once; how many runs it reads is told when it runs."""
    shutil.copytree(PEERS / "mira", HOME / "mira", dirs_exist_ok=True)
    subprocess.run(["cargo", "build", "--quiet", "--release", "--target-dir", "target"], check=True, cwd=HOME / "mira")


def list_tools(program):
    def tell_package(name):
        return [HOME / name / "bin/python", "-c", f"import importlib.metadata as all; print(all.version('{name}'))"]

    def tell_module(name):
        return ["node", "-p", f"JSON.parse(fs.readFileSync('{HOME}/{name}/node_modules/{name}/package.json')).version"]

    def use_pytest(name):
        command = [HOME / name / "bin/pytest", "-q", "-p", "no:cacheprovider"]
        return Tool(command, tell_package(name), lambda: install_from_pypi(name))

    mira = HOME / "mira/target/release/orders"
    vitest, promptfoo = (HOME / name / "node_modules/.bin" / command
                         for name, command in (("vitest-evals", "vitest"), ("promptfoo", "promptfoo")))
    return {
        "arraign": Tool([program, "run"], [program, "--version"], None),
        "mira": Tool([mira], ["cargo", "pkgid", "--manifest-path", HOME / "mira/Cargo.toml", "mira-eval"], install_mira),
        "node": Tool(["node", "--test"], ["node", "--version"], None),
        "pytest": use_pytest("pytest"),
        "agentevals": use_pytest("agentevals"),
        "evalview": use_pytest("evalview"),
        "vitest-evals": Tool([vitest, "run", "--reporter=vitest-evals/reporter"], tell_module("vitest-evals"),
                             lambda: install_from_npm("vitest-evals", "vitest-evals", "vitest")),
        "promptfoo": Tool([promptfoo, "eval", "-c", "promptfooconfig.json", "--no-cache", "--no-progress-bar", "--no-table"],
                          tell_module("promptfoo"), lambda: install_from_npm("promptfoo", "promptfoo")),
        "deepeval": Tool([HOME / "deepeval/bin/deepeval", "test", "run", "test_orders.py", "--skip-on-missing-params"],
                         tell_package("deepeval"), lambda: install_from_pypi("deepeval")),
    }


def install(tools):
    """Installs what is missing, and leaves out what cannot be installed."""
    for name, tool in list(tools.items()):
        if shutil.which(tool.command[0]):
            continue
        if tool.install is None:
            sys.exit(f"{tool.command[0]} is not there")
        print(f"installing {name}", file=sys.stderr)
        try:
            tool.install()
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            del tools[name]


def find_version(tool):
    told = subprocess.run(tool.version, capture_output=True, text=True, env=ENVIRONMENT).stdout
    return re.search(r"\d+\.\d+\S*|$", told).group()


# The measurement.

def adopt_orphans():
    """A process whose parent ends first becomes a child of this program, and is counted as well. Linux alone can do this."""
    if platform.system() == "Linux":
        set_child_subreaper = 36
        ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def run(tool, folder, size):
    """The exit code of one run, and its cost: seconds, CPU seconds of all processes, MiB of the largest one."""
    start, cpu, memory = time.perf_counter(), 0, 0
    environment = {**ENVIRONMENT, "CASES": str(size)}
    with open(folder / "output.txt", "w") as output:
        child = subprocess.Popen(tool.command, cwd=folder, env=environment, stdout=output, stderr=output)
    while True:
        try:
            pid, status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return child.returncode, Cost(wall, cpu, memory)
        cpu += usage.ru_utime + usage.ru_stime
        memory = max(memory, usage.ru_maxrss / 1024)
        if pid == child.pid:
            wall = time.perf_counter() - start
            child.returncode = os.waitstatus_to_exitcode(status)


def measure(tool, folder, size):
    """The median cost of runs that must be green; None if one is not."""
    costs = []
    while len(costs) < REPEATS and (not costs or costs[0].wall < SLOW):
        code, cost = run(tool, folder, size)
        if code != 0:
            print((folder / "output.txt").read_text()[-2000:], file=sys.stderr)
            return None
        costs.append(cost)
    return Cost(*map(statistics.median, zip(*costs)))


def refuse_wrong_runs(tools):
    """Each tool must fail for a run that calls the tool with another order, and for one that tells another number."""
    for what in ("called", "told"):
        write_all(HOME / what, [make_run(0, **{what: "4711"})], tools)
        for name, tool in tools.items():
            code, _ = run(tool, HOME / what / name, 1)
            if code == 0:
                sys.exit(f"{name} passes a run that {what} another order")


def print_table(title, labels, sizes, show):
    print(f"\n| {title} | " + " | ".join(f"{size:,}" for size in sizes) + " |\n|---|" + "---|" * len(sizes))
    for name, label in labels.items():
        print(f"| {label} | " + " | ".join(show(name, size) for size in sizes) + " |")


def main(program, *sizes):
    sizes = [int(size) for size in sizes] or SIZES
    HOME.mkdir(parents=True, exist_ok=True)
    tools = list_tools(str(pathlib.Path(program).resolve()))
    install(tools)
    labels = {name: f"{LABELS.get(name, name)} {find_version(tool)}" for name, tool in tools.items()}
    adopt_orphans()
    refuse_wrong_runs(tools)
    costs, remarks = {}, {}
    for size in sizes:
        write_all(HOME / f"{size}", [make_run(number) for number in range(size)], tools)
        for name in [name for name in tools if name not in remarks]:
            cost = measure(tools[name], HOME / f"{size}" / name, size)
            if cost is None:
                if name == "arraign":
                    sys.exit(f"{labels[name]} failed with {size:,} cases")
                remarks[name] = f"{labels[name]} failed with {size:,} cases, and is not run with more."
                continue
            costs[name, size] = cost
            print(f"{labels[name]}, {size:,}: {cost.wall:.2f} s, CPU {cost.cpu:.3f} s, {cost.memory:.0f} MiB", file=sys.stderr)
            if cost.cpu > TOO_SLOW and size != max(sizes):
                remarks[name] = f"{labels[name]} took {cost.cpu:.0f} CPU seconds for {size:,} cases, and is not run with more."

    def show_cpu(name, size):
        if (name, size) not in costs:
            return "–"
        cpu = costs[name, size].cpu
        ratio = cpu / costs["arraign", size].cpu
        return f"{cpu:.3f}" if name == "arraign" else f"{cpu:.3f} ({ratio:.{0 if ratio >= 10 else 1}f}×)"

    def show_memory(name, size):
        return f"{costs[name, size].memory:.0f}" if (name, size) in costs else "–"

    print(f"{time.strftime('%Y-%m-%d')}, {platform.system()} {platform.machine()}, {os.cpu_count()} CPUs")
    print_table("CPU seconds for this many cases", labels, sizes, show_cpu)
    print_table("MiB for this many cases", labels, sizes, show_memory)
    print("", *remarks.values(), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
