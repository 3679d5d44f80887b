"""A model on the loopback, for the proxy in front of it: it calls `get_order`, and says what the result says.

It speaks Chat Completions, also as a stream, and prints its port.
"""
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

number = count(1)


def answer(messages):
    """The delta of the whole reply, and why it ends."""
    result = next((message["content"] for message in reversed(messages) if message["role"] == "tool"), None)
    if result is None:
        function = {"name": "get_order", "arguments": '{"id": 7}'}
        return {"tool_calls": [{"id": f"call_{next(number)}", "type": "function", "function": function}]}, "tool_calls"
    [status] = re.findall(r"shipped|lost at sea", json.dumps(result))
    return {"content": f"Order 7: {status}."}, "stop"


def split(delta):
    """The delta in pieces: the arguments of a call, and a text, come in two."""
    if "content" in delta:
        text = delta["content"]
        return [{"role": "assistant", "content": text[:5]}, {"content": text[5:]}]
    [call] = delta["tool_calls"]
    text = call["function"]["arguments"]
    first = {"index": 0, **call, "function": {"name": call["function"]["name"], "arguments": text[:3]}}
    rest = {"index": 0, "function": {"arguments": text[3:]}}
    return [{"role": "assistant", "content": None, "tool_calls": [first]}, {"tool_calls": [rest]}]


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        delta, reason = answer(body["messages"])
        head = {"id": f"chatcmpl-{next(number)}", "created": 1, "model": body["model"]}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        if not body.get("stream"):
            message = {"role": "assistant", "content": None, **delta}
            choice = {"index": 0, "message": message, "finish_reason": reason}
            self.reply("application/json", json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage}))
            return
        head["object"] = "chat.completion.chunk"
        chunks = [{**head, "choices": [{"index": 0, "delta": piece, "finish_reason": None}]} for piece in split(delta)]
        chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        chunks.append({**head, "choices": [], "usage": usage})
        lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
        self.reply("text/event-stream", "".join(lines) + "data: [DONE]\n\n")

    def reply(self, kind, text):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, flush=True)
server.serve_forever()
