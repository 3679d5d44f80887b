"""Reads the recorded runs of AI agents: more than 30 trace formats become one model of messages and tool calls."""

from ._native import Call, Message, Run, TraceError, UnreadPart, Usage, detect, formats, read
from ._save import save

__all__ = [
    "Call",
    "Message",
    "Run",
    "TraceError",
    "UnreadPart",
    "Usage",
    "detect",
    "formats",
    "read",
    "save",
]
