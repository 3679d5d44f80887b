"""A model on the loopback: it calls two tools at once, one of which fails, and answers when it sees their results.

It speaks OpenAI's Chat Completions and Responses, Anthropic's Messages, Gemini's generateContent and Bedrock's Converse.
It prints its port.
"""
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

CALLS = [("call_1", "get_order", {"id": 7}), ("call_2", "get_quote", {"order_id": 7, "city": "Oslo"})]
ANSWER = "Order 7 has shipped."


number = count(1)


def chat(body):
    answered = any(message["role"] == "tool" for message in body["messages"])
    calls = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for id, name, arguments in CALLS
    ]
    message = {"role": "assistant", "content": ANSWER} if answered else {
        "role": "assistant", "content": None, "tool_calls": calls
    }
    choice = {"index": 0, "message": message, "finish_reason": "stop" if answered else "tool_calls", "logprobs": None}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return {"id": f"chat_{next(number)}", "object": "chat.completion", "created": 1, "model": "stub", "choices": [choice], "usage": usage}


def responses(body):
    items = body["input"] if isinstance(body["input"], list) else []
    answered = any(item.get("type") == "function_call_output" for item in items)
    text = {"type": "output_text", "text": ANSWER, "annotations": [], "logprobs": []}
    message = {"type": "message", "id": f"msg_{next(number)}", "role": "assistant", "status": "completed", "content": [text]}
    calls = [
        {"type": "function_call", "id": f"fc_{id}", "call_id": id, "name": name, "arguments": json.dumps(arguments), "status": "completed"}
        for id, name, arguments in CALLS
    ]
    usage = {
        "input_tokens": 100, "output_tokens": 20, "total_tokens": 120,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
    }
    return {
        "id": f"resp_{next(number)}", "object": "response", "created_at": 1, "model": "stub", "status": "completed",
        "output": [message] if answered else calls, "usage": usage, "parallel_tool_calls": True, "tool_choice": "auto",
        "tools": [], "error": None, "incomplete_details": None, "instructions": None, "metadata": {}, "temperature": 1.0, "top_p": 1.0,
    }


def anthropic(body):
    answered = any("tool_result" in json.dumps(message["content"]) for message in body["messages"])
    calls = [{"type": "tool_use", "id": f"toolu_{id}", "name": name, "input": arguments} for id, name, arguments in CALLS]
    return {
        "id": f"msg_{next(number)}", "type": "message", "role": "assistant", "model": "stub", "stop_sequence": None,
        "content": [{"type": "text", "text": ANSWER}] if answered else calls,
        "stop_reason": "end_turn" if answered else "tool_use", "usage": {"input_tokens": 100, "output_tokens": 20},
    }


def gemini(body):
    answered = "functionResponse" in json.dumps(body["contents"])
    calls = [{"functionCall": {"name": name, "args": arguments}} for _, name, arguments in CALLS]
    content = {"role": "model", "parts": [{"text": ANSWER}] if answered else calls}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage, "modelVersion": "stub"}


def bedrock(body):
    answered = "toolResult" in json.dumps(body["messages"])
    calls = [{"toolUse": {"toolUseId": id, "name": name, "input": arguments}} for id, name, arguments in CALLS]
    return {
        "output": {"message": {"role": "assistant", "content": [{"text": ANSWER}] if answered else calls}},
        "stopReason": "end_turn" if answered else "tool_use", "metrics": {"latencyMs": 1},
        "usage": {"inputTokens": 100, "outputTokens": 20, "totalTokens": 120},
    }


REPLIES = {"/chat/completions": chat, "/responses": responses, "/messages": anthropic, ":generateContent": gemini, "/converse": bedrock}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply = next((reply for end, reply in REPLIES.items() if self.path.split("?")[0].endswith(end)), None)
        text = json.dumps(reply(body) if reply else {"error": {"message": self.path}}).encode()
        self.send_response(200 if reply else 404)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, flush=True)
server.serve_forever()
