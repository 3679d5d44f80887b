"""In place of a model: a server with the replies of one that does what the prompt says. The cassettes were recorded from it.

It speaks OpenAI's Chat Completions, and prints its address.
"""

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def reply(messages):
    """The next message: calls of tools, or the answer."""
    question = next(message["content"] for message in messages if message["role"] == "user")
    results = [json.loads(message["content"]) for message in messages if message["role"] == "tool"]
    email = re.search(r"\S+@\S+\.com", question)
    if email and not results:
        return call(("find_orders", {"email": email[0]}))
    if email:
        return say(f"You have ordered {' and '.join(map(str, results[0]))}.")
    ids = [int(id) for id in re.findall(r"\d+", question)]
    if len(results) < len(ids):
        return call(*[("get_order", {"id": id}) for id in ids])
    if "refunded" in (results or [{}])[-1]:
        return say(f"I have refunded {results[-1]['refunded']:g} euros for order {ids[0]}.")
    if "refund" in question and results[0].get("days_ago", 99) <= 30:
        return call(("refund_order", {"id": ids[0], "reason": question.split(", ")[1].rstrip(".")}))
    if "refund" in question:
        return say(f"Order {ids[0]} is {results[0]['status']}. I can refund orders that were delivered at most 30 days ago.")
    return say(" ".join(map(describe, ids, results)) or "You are welcome!")


def describe(id, order):
    if "error" in order:
        return f"I cannot find order {id}."
    arrives = f" and arrives on {order['arrives']}" if "arrives" in order else ""
    return f"Order {id} is {order['status']}{arrives}."


def say(text):
    return {"role": "assistant", "content": text}


def call(*calls):
    functions = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in calls]
    calls = [{"id": f"call_{at}_{one['name']}", "type": "function", "function": one} for at, one in enumerate(functions)]
    return {"role": "assistant", "content": None, "tool_calls": calls}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = reply(body["messages"])
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
