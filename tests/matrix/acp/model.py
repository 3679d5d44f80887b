"""A scripted model in the form of Anthropic's API: it writes `notes.txt` in the working folder, and says so.

    python model.py PORT
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USAGE = {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def answer(body, text):
    """The block of the reply, and why the model stops."""
    tools = [tool.get("name") for tool in body.get("tools") or []]
    blocks = [block for message in body["messages"] if isinstance(message["content"], list) for block in message["content"]]
    if "Write" not in tools or any(block.get("type") == "tool_result" for block in blocks):
        return {"type": "text", "text": "I wrote the notes."}, "end_turn"
    folder = re.search(r"[Ww]orking directory: (\S+)", text.replace("\\n", "\n")).group(1)
    arguments = {"file_path": f"{folder}/notes.txt", "content": "hello\n"}
    return {"type": "tool_use", "id": "toolu_1", "name": "Write", "input": arguments}, "tool_use"


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, body, kind="application/json"):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self):
        self.reply(b"")

    def do_GET(self):
        self.reply(b"{}")

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        path = self.path.split("?")[0]
        if not path.endswith("/messages"):
            return self.reply(b'{"input_tokens": 10}')
        body = json.loads(text)
        block, stop = answer(body, text)
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": USAGE}
        if not body.get("stream"):
            return self.reply(json.dumps({**message, "content": [block], "stop_reason": stop}).encode())
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": USAGE},
            {"type": "message_stop"},
        ]
        lines = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        return self.reply(lines.encode(), "text/event-stream")


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Model).serve_forever()
