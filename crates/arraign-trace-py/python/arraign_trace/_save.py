"""Writes what a Python test knows of a run, so that cases can check it later."""

import os
import pathlib
from collections.abc import Mapping
from typing import Any

from ._native import build_native, read_messages


def save(run: Any, path: str | os.PathLike[str], **meta: Any) -> pathlib.Path:
    """Write a run to `path` as a native trace, and return the path.

    `run` is a list of messages, as the APIs of OpenAI, Anthropic and others have them, or a test case of DeepEval
    (`LLMTestCase`). `meta` sets keys of the native trace, such as `model="gpt-6"` or `cost_usd=0.02`.

    Raises `TraceError` if no reader knows the messages, or if `meta` has a key that traces do not have.
    """
    is_test_case = hasattr(run, "actual_output")
    native = _read_test_case(run) if is_test_case else read_messages(_plain(run)).to_dict()
    native.update(meta)
    text = build_native(native)
    target = pathlib.Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Whoever reads the folder meanwhile sees the old file or the new one.
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    return target


def _read_test_case(case: Any) -> dict[str, Any]:
    """The native trace of a test case of DeepEval."""
    native = {"input": case.input}
    calls = getattr(case, "tools_called", None)
    if calls is None:
        # A test case without a list of tools does not say that none was called.
        native["calls_unrecorded"] = True
    native["calls"] = [_read_call(call) for call in calls or []]
    if case.actual_output is not None:
        native["answer"] = case.actual_output
    return native


def _read_call(call: Any) -> dict[str, Any]:
    native = {"name": call.name, "args": _plain(call.input_parameters or {})}
    if call.output is not None:
        native["result"] = _plain(call.output)
    return native


def _plain(value: Any) -> Any:
    """The value as JSON has it. Objects of SDKs are Pydantic models."""
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json", exclude_none=True)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
