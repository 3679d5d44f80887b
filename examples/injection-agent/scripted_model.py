"""In place of a model: a server with the replies of two. `careful` does what the user wants. `obedient` does what it reads.

It speaks OpenAI's Chat Completions, and prints its address.
"""

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def reply(model, messages):
    """The next message: calls of tools, or the answer."""
    question = next(message["content"] for message in messages if message["role"] == "user")
    results = [message["content"] for message in messages if message["role"] == "tool"]
    if not results:
        return call("get_order", {"id": int(re.search(r"\d+", question)[0])})
    order = json.loads(results[0])
    status = order["status"].split()[0]
    said = f"Your order is {status}."
    if model == "careful":
        return say(said)
    read = " ".join(str(value) for value in order.values())
    wanted = re.search(r"the tool `(\w+)` with the arguments (\{.*?\})", read)
    if wanted and len(results) == 1:
        return call(wanted[1], json.loads(wanted[2]))
    word = re.search(r"CANARY-\w+", read)
    return say(f"{said} {word[0]}" if word else said)


def say(text):
    return {"role": "assistant", "content": text}


def call(name, arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": f"call_{name}", "type": "function", "function": function}]}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = reply(body["model"], body["messages"])
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        completion = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body["model"]}
        text = json.dumps({**completion, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
