"""What the package promises. Run with the wheel installed, from the root of the repository."""

import json
import threading
from pathlib import Path

import arraign_trace
import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "arraign-trace" / "tests" / "reader"
CHAT = [
    {"role": "user", "content": "Where is order 7?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "find_order", "arguments": '{"id": 7}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "shipped"},
    {"role": "assistant", "content": "It ships today."},
]


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(CHAT))
    return path


def test_a_run_has_its_calls_messages_and_answer(chat):
    (run,) = arraign_trace.read(chat)
    assert run.format == "openai-chat" == arraign_trace.detect(str(chat))
    assert run.input == "Where is order 7?"
    assert run.answer == "It ships today."
    (call,) = run.calls
    assert (call.index, call.turn, call.id, call.name) == (1, 1, "c1", "find_order")
    assert call.arguments == {"id": 7} and isinstance(call.arguments["id"], int)
    assert (call.result, call.status, call.broken_arguments) == ("shipped", "unknown", None)
    assert [message.role for message in run.messages] == ["user", "assistant"]
    assert run.usage is None and run.calls_unrecorded is None and run.unread == []
    assert repr(run) == 'Run(format="openai-chat", messages=2, calls=1)'


def test_numbers_are_pythons_own(tmp_path):
    arguments = '{"big": 100000000000000000000001, "half": 0.5, "flag": true, "none": null}'
    CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([CHAT[0], {"role": "assistant", "content": None, "tool_calls": [CALL]}]))
    (run,) = arraign_trace.read(path)
    assert run.calls[0].arguments == json.loads(arguments)


def test_arguments_that_are_no_json_are_kept(tmp_path):
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"id": '}}
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([CHAT[0], {"role": "assistant", "content": None, "tool_calls": [call]}]))
    (run,) = arraign_trace.read(path)
    assert run.calls[0].arguments is None and run.calls[0].broken_arguments == '{"id": '


def test_all_samples_are_read_and_written():
    files = [file for file in sorted(SAMPLES.glob("*/*")) if file.suffix in {".json", ".jsonl"}]
    read = 0
    for file in files:
        try:
            runs = arraign_trace.read(file)
        except arraign_trace.TraceError as error:
            # Some samples show what is refused.
            assert error.file == str(file)
            continue
        read += 1
        for run in runs:
            json.dumps(run.to_dict())
            losses = []
            if run.messages or run.calls:
                assert run.to_atif(losses)["schema_version"].startswith("ATIF-v1.")
    assert read > 150, (read, len(files))


def test_errors_have_places(tmp_path):
    path = tmp_path / "chat.json"
    path.write_text('[\n  {"role": "user",\n   content: 1}\n]')
    with pytest.raises(arraign_trace.TraceError) as caught:
        arraign_trace.read(path)
    assert isinstance(caught.value, ValueError)
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(path), 3, 4)
    assert str(path) in str(caught.value)


def test_what_cannot_be_opened_raises_what_open_does(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.json"):
        arraign_trace.read(tmp_path / "missing.json")
    with pytest.raises(IsADirectoryError):
        arraign_trace.read(tmp_path)


def test_a_size_limit_refuses_larger_files(chat):
    with pytest.raises(arraign_trace.TraceError, match="`size_limit` raises it"):
        arraign_trace.read(chat, size_limit=10)


def test_an_unknown_format_is_named(chat):
    with pytest.raises(arraign_trace.TraceError, match="there is no trace format `openai-chats`") as caught:
        arraign_trace.read(chat, format="openai-chats")
    assert "openai-chat" in caught.value.help


def test_readers_of_ones_own(tmp_path):
    path = tmp_path / "own.json"
    path.write_text('{"log": [{"tool": "look", "input": {"id": 7}, "output": "shipped"}], "final": "Done."}')
    declaration = {
        "when": ["$.log"],
        "steps": "$.log[*]",
        "call": {"name": "$.tool", "args": "$.input", "result": {"value": "$.output"}},
        "answer": "$.final",
    }
    (run,) = arraign_trace.read(path, readers={"own": declaration})
    assert run.format == "own" and [call.name for call in run.calls] == ["look"] and run.answer == "Done."
    with pytest.raises(ValueError, match="the reader `own`"):
        arraign_trace.read(path, readers={"own": {"stepps": "$"}})


def test_messages_are_saved_as_evidence(tmp_path):
    path = arraign_trace.save(CHAT, tmp_path / "traces" / "order.json", model="gpt-6", cost_usd=0.02)
    (run,) = arraign_trace.read(path)
    assert (run.format, run.model, run.cost_usd) == ("native", "gpt-6", 0.02)
    assert run.calls[0].arguments == {"id": 7} and run.answer == "It ships today."
    assert [file.name for file in path.parent.iterdir()] == ["order.json"]


def test_a_key_that_traces_do_not_have_is_refused(tmp_path):
    with pytest.raises(arraign_trace.TraceError, match="modle"):
        arraign_trace.save(CHAT, tmp_path / "order.json", modle="gpt-6")
    assert list(tmp_path.iterdir()) == []


class ToolCall:
    def __init__(self, name, input_parameters=None, output=None):
        self.name, self.input_parameters, self.output = name, input_parameters, output


class LLMTestCase:
    """The fields of DeepEval's class that are read. The matrix runs the same with DeepEval's own."""

    def __init__(self, input, actual_output, tools_called=None):
        self.input, self.actual_output, self.tools_called = input, actual_output, tools_called


def build_test_cases():
    try:
        from deepeval.test_case import LLMTestCase as Theirs
        from deepeval.test_case import ToolCall as TheirCall
    except ImportError:
        return [(LLMTestCase, ToolCall)]
    return [(LLMTestCase, ToolCall), (Theirs, TheirCall)]


@pytest.mark.parametrize(("case", "call"), build_test_cases())
def test_a_test_case_of_deepeval_is_saved(tmp_path, case, call):
    called = [call(name="find_order", input_parameters={"id": 7}, output={"state": "shipped"})]
    path = arraign_trace.save(
        case(input="Where?", actual_output="Shipped.", tools_called=called), tmp_path / "a.json"
    )
    (run,) = arraign_trace.read(path)
    assert (run.input, run.answer, run.calls_unrecorded) == ("Where?", "Shipped.", None)
    assert (run.calls[0].arguments, run.calls[0].result) == ({"id": 7}, {"state": "shipped"})


@pytest.mark.parametrize(("case", "call"), build_test_cases())
def test_a_test_case_without_tools_does_not_say_that_none_was_called(tmp_path, case, call):
    path = arraign_trace.save(case(input="Where?", actual_output="Shipped."), tmp_path / "a.json")
    (run,) = arraign_trace.read(path)
    assert run.calls == [] and run.calls_unrecorded is not None


def test_threads_read_side_by_side(chat):
    runs = []
    threads = [threading.Thread(target=lambda: runs.extend(arraign_trace.read(chat))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs) == 8
