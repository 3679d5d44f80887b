"""Measures what small hostile files cost: limits.py CARGO_ARRAIGN [ROW].

Each row writes a project and runs a command on it. The output is the size of its files, how the command ended, its CPU seconds
and the memory of its largest process. Tests hold the counts behind these figures; this gives seconds and megabytes of a release
build: `cargo build --release --package cargo-arraign --all-features`.
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ANSWER = "{input: hi, trace: {calls: [look], answer: done}"


def call(number, name=None):
    arguments = json.dumps({"id": number, "path": f"src/file_{number % 97}.rs"})
    return {"id": f"c{number}", "type": "function", "function": {"name": name or f"tool_{number % 12}", "arguments": arguments}}


def chat(calls):
    messages = [{"role": "user", "content": "Mend it."}]
    for number in range(calls):
        messages.append({"role": "assistant", "content": None, "tool_calls": [call(number)]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"line {number}: ok"})
    return json.dumps([*messages, {"role": "assistant", "content": "Done."}])


def session(megabytes):
    """A session of Claude Code."""
    lines = [{"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": "Mend it."}}]
    size, number = 0, 0
    while size < megabytes << 20:
        text = f"{number} " + "fn main() { println!(\"hello\"); }\n" * 120
        use = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": f"src/{number}.rs"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        stamp = {"sessionId": "s", "timestamp": "2026-11-01T10:00:00.000Z"}
        said = {"role": "assistant", "model": "claude", "id": f"m{number}", "content": [use], "stop_reason": "tool_use",
                "usage": {"input_tokens": 10, "output_tokens": 5}}
        lines.append({"type": "assistant", "uuid": f"a{number}", "message": said, **stamp})
        lines.append({"type": "user", "uuid": f"b{number}", "message": {"role": "user", "content": [result]}, **stamp})
        size += len(text) + 700
        number += 1
    end = {"role": "assistant", "model": "claude", "id": "end", "content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn"}
    lines.append({"type": "assistant", "uuid": "end", "sessionId": "s", "message": end})
    return "".join(json.dumps(line) + "\n" for line in lines)


def cases(count, keys=""):
    return "".join(f"  - {{id: c{number}{keys}}}\n" for number in range(count))


def bans(count):
    return "[" + ", ".join(f"{{not_called: tool_{number}}}" for number in range(count)) + "]"


def schema_case(schema, answer):
    checks = json.dumps([{"json_schema": {"schema": schema}}])
    return f"trace: {{calls: [look], answer: {json.dumps(json.dumps(answer))}}}\nexpect: {checks}\n"


def suite(defaults, count):
    return f"defaults: {defaults}\ntests:\n{cases(count)}"


def shared_log(count):
    runs = [{"id": f"r{number}", "input": f"please: where is order {number}?", "calls": ["look"], "answer": "ok"} for number in range(count)]
    tests = "".join(f"  - {{id: c{number}, input: 'where is order {number}?'}}\n" for number in range(count))
    text = f"defaults: {{trace: traces/log.jsonl, expect: [{{tool_called: look}}]}}\ntests:\n{tests}"
    return {"evals/s.yaml": text, "evals/traces/log.jsonl": "".join(json.dumps(run) + "\n" for run in runs)}


def rules(count, calls):
    listed = ", ".join(f"{{type: immediately_before, first: a{number}, then: b}}" for number in range(count))
    trace = json.dumps({"calls": ["b"] * calls, "answer": "x"})
    return {"evals/s.yaml": f"trace: traces/t.json\nexpect: [{{sequence_valid: {{rules: [{listed}]}}}}]\n", "evals/traces/t.json": trace}


def readers(count):
    listed = "".join(f"  r{number}: {{detect: $.x{number}, calls: $.y, name: $.n}}\n" for number in range(count))
    return {"evals/arraign.yaml": f"readers:\n{listed}", "evals/s.yaml": "trace: {calls: [a]}\nexpect: [{tool_called: a}]\n"}


def history(runs, trials):
    """A history of so many runs of so many trials, as `ARRAIGN_HISTORY` writes it."""
    lines = []
    for run in range(runs):
        day = f"2026-{1 + run // 28 % 12:02}-{1 + run % 28:02}"
        head = f'{{"schema_version":1,"run":"{day}T03-20-03Z-{run}","commit":"{run:040x}","time":"{day}T03:20:03Z","harness":"evals","trial":"'
        for trial in range(trials):
            verdict, score = ("fail", 0) if (run * 7 + trial) % 10 == 0 else ("pass", 1)
            lines.append(f'{head}suite_{trial % 40}::case_{trial}","verdict":"{verdict}","score":{score},"cost_usd":0.{trial:05},'
                         f'"duration_ms":{trial + run}.5,"case_hash":"{trial:016x}"}}\n')
    return "".join(lines)


def one(text):
    return {"evals/s.yaml": text}


RUN = ["run", "evals"]
NUMBERS = [{"const": number} for number in range(1_000)]
ROWS = {
    "from-trace, 300 calls": (lambda: {"t.json": chat(300)}, ["from-trace", "t.json", "--out", "c.yaml"]),
    "from-trace, 1,000 calls": (lambda: {"t.json": chat(1_000)}, ["from-trace", "t.json", "--out", "c.yaml"]),
    "from-trace, 10,000 calls": (lambda: {"t.json": chat(10_000)}, ["from-trace", "t.json", "--out", "c.yaml"]),
    "init --from, 10,000 calls": (lambda: {"t.json": chat(10_000), "Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n", "src/lib.rs": ""}, ["init", ".", "--from", "t.json"]),
    "defaults, 500 bans x 2,000": (lambda: one(suite(f"{{trace: {{calls: [look], answer: x}}, expect: {bans(500)}}}", 2_000)), RUN),
    "defaults, 500 bans x 1,500": (lambda: one(suite(f"{{trace: {{calls: [look], answer: x}}, expect: {bans(500)}}}", 1_500)), RUN),
    "defaults, 1,000 bans x 5,000": (lambda: one(suite(f"{{trace: {{calls: [look]}}, expect: {bans(1_000)}}}", 5_000)), RUN),
    "defaults, metadata of 300 kB x 10,000": (lambda: one(suite(f"{{metadata: {{x: {'y' * 300_000}}}, trace: {{calls: [look]}}, expect: [{{tool_called: look}}]}}", 10_000)), RUN),
    "oneOf of 1,000, 2,000 numbers": (lambda: one(schema_case({"items": {"oneOf": NUMBERS}}, list(range(5_000, 7_000)))), RUN),
    "oneOf of 2,000, 5,000 numbers": (lambda: one(schema_case({"items": {"oneOf": [{"const": n} for n in range(2_000)]}}, list(range(5_000, 10_000)))), RUN),
    "enum of 10,000 x 10,000": (lambda: one(schema_case({"items": {"enum": [{"a": n} for n in range(10_000)]}}, [{"a": n} for n in range(10_000, 20_000)])), RUN),
    "required of 40,000 names": (lambda: one(schema_case({"required": [f"n{n}" for n in range(40_000)]}, {})), RUN),
    "allOf x 300": (lambda: one(schema_case({"allOf": [{"items": {"type": "string"}}] * 300}, list(range(10_000)))), RUN),
    "dependentRequired, 182 kB": (lambda: one(schema_case({"dependentRequired": {f"a{n}": [f"b{m}" for m in range(100)] for n in range(100)}}, {f"a{n}": 1 for n in range(100)})), RUN),
    "pattern that backtracks, 60 kB": (lambda: one(schema_case({"type": "string", "pattern": "(?=(a+)+$)(a*)*b"}, "a" * 60_000)), RUN),
    "300 rules x 100,000 calls": (lambda: rules(300, 100_000), RUN),
    "9,000 cases on one log": (lambda: shared_log(9_000), RUN),
    "CSV of 100,000 columns": (lambda: {"evals/s.yaml": "cases: rows.csv\ntrace: {calls: [look], answer: x}\nexpect: [{tool_called: look}]\n",
                                        "evals/rows.csv": "id," + ",".join(f"c{n}" for n in range(100_000)) + "\n1," + ",".join("v" for _ in range(100_000)) + "\n"}, RUN),
    "ROUGE, words: 5000": (lambda: one("trace: {calls: [look], answer: " + " ".join(f"w{n % 50}" for n in range(20_000)) + "}\nexpect: [{similarity: {to: " + " ".join(f"w{n % 49}" for n in range(20_000)) + ", words: 5000, min_rouge: 0.01}}]\n"), RUN),
    "40,000 forbidden texts": (lambda: one("trace: {calls: [look], answer: " + "x" * 20_000 + "}\nexpect: [{forbidden_substrings: [" + ", ".join(f"secret{n}" for n in range(40_000)) + "]}]\n"), RUN),
    "3,000 declared readers": (lambda: readers(3_000), RUN),
    "history of 1,000,000 lines": (lambda: {"history.jsonl": history(1_000, 1_000)}, ["history", "--file", "history.jsonl"]),
    "Claude Code session of 50 MB, explain": (lambda: {"t.jsonl": session(50)}, ["explain", "t.jsonl"]),
    "Claude Code session of 100 MB, explain": (lambda: {"t.jsonl": session(100)}, ["explain", "t.jsonl", "--size-limit", "200MB"]),
    "Claude Code session of 100 MB, run": (lambda: {"evals/traces/t.jsonl": session(100), "evals/s.yaml": "trace: traces/t.jsonl\nexpect: [{tool_called: Read}]\n"}, [*RUN, "--size-limit", "200MB"]),
}


def measure(program, build, arguments):
    with tempfile.TemporaryDirectory() as folder:
        # The kernel counts what this process holds for the one that it starts, so another one holds the texts.
        writer = os.fork()
        if writer == 0:
            for name, text in build().items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            os._exit(0)
        assert os.waitpid(writer, 0)[1] == 0, "the files cannot be written"
        size = sum(file.stat().st_size for file in pathlib.Path(folder).rglob("*") if file.is_file())
        out = {**os.environ, "ARRAIGN_OUT": f"{folder}/out"}
        started = subprocess.Popen([program, "arraign", *arguments], cwd=folder, env=out, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        stderr = started.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(started.pid, 0)
        written = sum(file.stat().st_size for file in pathlib.Path(folder, "out").rglob("*") if file.is_file())
        said = next((line for line in stderr.splitlines() if "error" in line), "")
        return size, os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024, written >> 20, said


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    # A row must not take the machine with it.
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    print(f"{'row':42} {'kB':>8} {'exit':>4} {'CPU s':>6} {'MB':>5} {'verdicts MB':>11}")
    for row, (build, arguments) in ROWS.items():
        if wanted in row:
            size, code, seconds, memory, written, said = measure(program, build, arguments)
            print(f"{row:42} {size // 1000:8} {code:4} {seconds:6.2f} {memory:5} {written:11}  {said[:90]}", flush=True)


main()
