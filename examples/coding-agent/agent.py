"""A coding agent that speaks the Agent Client Protocol. Its model is a few lines: it does what the skill says, as a real one would."""

import json
import os
import sys

SKILL = "skills/fix-a-bug/SKILL.md"


class Agent:
    def __init__(self):
        self.asked = 0
        self.calls = 0

    def send(self, **message):
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    def read(self):
        line = sys.stdin.readline()
        return json.loads(line) if line else None

    def ask(self, method, **params):
        """Asks the client, and waits for its answer."""
        self.asked += 1
        self.send(id=self.asked, method=method, params={"sessionId": "s1", **params})
        while "method" in (message := self.read()):
            pass
        return message.get("result", {})

    def update(self, what, **update):
        self.send(method="session/update", params={"sessionId": "s1", "update": {"sessionUpdate": what, **update}})

    def call(self, name, kind, arguments, work):
        """Makes a call: asks whether it may, does it, and tells what came of it."""
        self.calls += 1
        call = {"toolCallId": f"c{self.calls}", "title": f"{name} {arguments['path']}", "kind": kind, "name": name}
        self.update("tool_call", status="pending", rawInput=arguments, **call)
        options = [
            {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ]
        outcome = self.ask("session/request_permission", toolCall=call, options=options)["outcome"]
        result = work() if outcome.get("optionId") == "yes" else None
        status = "failed" if result is None else "completed"
        self.update("tool_call_update", toolCallId=call["toolCallId"], status=status, rawOutput=result)
        return result

    def show(self, path):
        path = f"{self.folder}/{path}"
        return self.call("Read", "read", {"path": path}, lambda: self.ask("fs/read_text_file", path=path)["content"])

    def write(self, path, text):
        path = f"{self.folder}/{path}"
        work = lambda: self.ask("fs/write_text_file", path=path, content=text) or "written"
        return self.call("Write", "edit", {"path": path, "content": text}, work)

    def prompt(self):
        skill = self.show(SKILL) or ""
        code = self.show("src/cart.py") or ""
        self.write("src/cart.py", code.replace("prices[1:]", "prices"))
        if "CHANGELOG.md" in skill:
            log = self.show("CHANGELOG.md") or ""
            self.write("CHANGELOG.md", log + "- The cart left out the first price.\n")
        text = "The cart left out the first price. It adds up now."
        self.update("agent_message_chunk", content={"type": "text", "text": text})

    def run(self):
        while (message := self.read()) is not None:
            match message.get("method"):
                case "initialize":
                    result = {"protocolVersion": 1, "agentInfo": {"name": "example", "version": "1"}}
                case "session/new":
                    self.folder = message["params"]["cwd"]
                    assert os.path.isdir(self.folder)
                    result = {"sessionId": "s1"}
                case "session/prompt":
                    self.prompt()
                    result = {"stopReason": "end_turn"}
                case _:
                    continue
            self.send(id=message["id"], result=result)


Agent().run()
