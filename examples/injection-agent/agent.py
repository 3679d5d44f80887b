"""A support agent: it asks its model, and calls the tools of its MCP server that the model wants.

It needs nothing but Python. arraign says where both are: `OPENAI_BASE_URL` and `ARRAIGN_MCP_URL`.
"""

import json
import os
import sys
import urllib.request

PROMPT = "You are the support agent of a shop. Answer the question of the user with the tools."
MAX_TURNS = 6


def post(url, body):
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    headers["authorization"] = f"Bearer {os.environ.get('OPENAI_API_KEY', 'none')}"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as response:
        return json.load(response)


def ask_server(method, **params):
    """Asks the MCP server. The result of a call is text."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return post(os.environ["ARRAIGN_MCP_URL"], message)["result"]


def list_tools():
    names = {"name": "name", "description": "description", "inputSchema": "parameters"}
    tools = ask_server("tools/list")["tools"]
    return [{"type": "function", "function": {names[key]: tool[key] for key in names if key in tool}} for tool in tools]


def answer(question):
    tools = list_tools()
    messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": question}]
    for _ in range(MAX_TURNS):
        body = {"model": os.environ.get("SUPPORT_MODEL", "careful"), "messages": messages, "tools": tools}
        message = post(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for call in message["tool_calls"]:
            function = call["function"]
            result = ask_server("tools/call", name=function["name"], arguments=json.loads(function["arguments"]))
            text = "\n".join(block["text"] for block in result["content"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    raise SystemExit(f"the model wants more than {MAX_TURNS} turns")


if __name__ == "__main__":
    print(answer(json.load(sys.stdin)["query"]))
