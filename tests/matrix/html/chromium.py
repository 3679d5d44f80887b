"""Chromium without a window, told what to do over a pipe."""

import base64
import json
import os
import subprocess
import tempfile


class Failure(Exception):
    """The page did what it must not, or not what it must."""


class Chromium:
    """One browser with one page."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()
        arguments = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
                     "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(arguments, pass_fds=(3, 4), preexec_fn=self._pipes(to_browser, from_browser),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.last, self.events, self.session = b"", 0, [], None
        page = self.ask("Target.createTarget", url="about:blank")
        self.session = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    @staticmethod
    def _pipes(to_browser, from_browser):
        def arrange():
            # The browser reads at 3 and writes at 4.
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)
        return arrange

    def ask(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def _read(self):
        while b"\0" not in self.buffer:
            more = os.read(self.answers, 1 << 16)
            if not more:
                raise Failure("the browser has ended")
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._read())

    def evaluate(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failure(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, path, route="", width=1400, height=900, scheme="light"):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self._navigate("about:blank")
        self._navigate(f"file://{os.path.abspath(path)}{route}")

    def _navigate(self, url):
        self.events = []
        self.ask("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def choose(self, selector, path):
        """Chooses a file, as a person does."""
        root = self.ask("DOM.getDocument")["root"]["nodeId"]
        node = self.ask("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.ask("DOM.setFileInputFiles", nodeId=node, files=[os.path.abspath(path)])

    def key(self, key, code=None, text=None):
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, code=code or key, **({"text": text} if text else {}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, code=code or key)

    def picture(self, path, whole=False, **clip):
        parameters = {"format": "png", "captureBeyondViewport": whole}
        if clip:
            parameters["clip"] = {"x": 0, "y": 0, "scale": 1, **clip}
        data = self.ask("Page.captureScreenshot", **parameters)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """What went wrong in the page since it was opened: exceptions, what its policy refused, what it asked of a network."""
        told = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                told.append(str(parameters["exceptionDetails"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                told.append(parameters["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" or method == "Page.javascriptDialogOpening":
                told.append(str(parameters))
            elif method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith("file:"):
                told.append(f"asks for {parameters['request']['url']}")
        return told

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()
