"""A scripted model in the forms of Anthropic's Messages and OpenAI's Responses: it writes `notes.txt` in the working folder, and says so.

    python model.py PORT
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CLAUDE_USAGE = {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
OPENAI_USAGE = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}
DONE = "I wrote the notes."


def find_folder(text, pattern):
    return re.search(pattern, text.replace("\\n", "\n")).group(1)


def answer_claude(body, text):
    """The block of the reply to Claude Code, and why the model stops."""
    tools = [tool.get("name") for tool in body.get("tools") or []]
    blocks = [block for message in body["messages"] if isinstance(message["content"], list) for block in message["content"]]
    if "Write" not in tools or any(block.get("type") == "tool_result" for block in blocks):
        return {"type": "text", "text": DONE}, "end_turn"
    folder = find_folder(text, r"[Ww]orking directory: (\S+)")
    arguments = {"file_path": f"{folder}/notes.txt", "content": "hello\n"}
    return {"type": "tool_use", "id": "toolu_1", "name": "Write", "input": arguments}, "tool_use"


def answer_codex(body, text):
    """The item of the reply to Codex."""
    tools = [tool.get("name") for tool in body.get("tools") or []]
    if "exec_command" not in tools or any(item.get("type") == "function_call_output" for item in body["input"]):
        return {"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": DONE}]}
    folder = find_folder(text, r"<cwd>([^<]+)</cwd>")
    arguments = {"cmd": f"echo hello > {folder}/notes.txt"}
    return {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "exec_command", "arguments": json.dumps(arguments)}


def stream_claude(body, text):
    block, stop = answer_claude(body, text)
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": CLAUDE_USAGE}
    if not body.get("stream"):
        return None, {**message, "content": [block], "stop_reason": stop}
    if block["type"] == "text":
        start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": CLAUDE_USAGE},
        {"type": "message_stop"},
    ], None


def stream_codex(body, text):
    item = answer_codex(body, text)
    response = {"id": "resp_1", "object": "response", "model": body["model"], "output": []}
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**response, "status": "completed", "output": [item], "usage": OPENAI_USAGE}},
    ], None


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
        form = {"messages": stream_claude, "responses": stream_codex}.get(path.rsplit("/", 1)[-1])
        if form is None:
            return self.reply(b'{"input_tokens": 10}')
        events, whole = form(json.loads(text), text)
        if events is None:
            return self.reply(json.dumps(whole).encode())
        lines = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        return self.reply(lines.encode(), "text/event-stream")


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Model).serve_forever()
