"""A support agent: reads a question, asks its model, calls the tools that the model wants, and prints the answer.

It needs nothing but Python. With the `openai` package, `ask_model` would be one line, and everything else stays.
"""

import json
import os
import sys
import urllib.error
import urllib.request

from tools import DEFINITIONS, HERE, call_tool

PROMPT = (HERE / "prompts/support.md").read_text()
MODEL = os.environ.get("SUPPORT_MODEL", "gpt-5-mini")
MAX_TURNS = 6


def ask_model(messages):
    """Sends the conversation to the model, and returns its message."""
    # arraign sets OPENAI_BASE_URL to its port, as it does for the SDKs.
    url = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
    tools = [{"type": "function", "function": tool} for tool in DEFINITIONS]
    body = json.dumps({"model": MODEL, "messages": messages, "tools": tools}).encode()
    key = os.environ.get("OPENAI_API_KEY", "none")
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as response:
            return json.load(response)["choices"][0]["message"]
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{error}: {error.read().decode()}") from error


def answer(question):
    messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": question}]
    for _ in range(MAX_TURNS):
        message = ask_model(messages)
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for call in message["tool_calls"]:
            function = call["function"]
            result = call_tool(function["name"], function["arguments"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    raise SystemExit(f"the model wants more than {MAX_TURNS} turns")


if __name__ == "__main__":
    # arraign writes the case as JSON to standard input; by hand, the question is an argument.
    asked = sys.argv[1] if len(sys.argv) > 1 else json.load(sys.stdin)["query"]
    print(answer(asked))
