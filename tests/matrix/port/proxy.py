"""LiteLLM's proxy with `model.py` behind it: it speaks the protocols of all providers. Ends with the block."""
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent

# What the proxy wants to be told, and no file may hold.
KEY = "sk-litellm-12345678"

# Its first answer takes many times as long as all others.
PATIENCE = 300


@contextmanager
def start_proxy(folder, litellm):
    """Starts both, and yields the address."""
    processes = []
    try:
        model = subprocess.Popen([sys.executable, HERE / "model.py"], stdout=subprocess.PIPE, text=True)
        processes.append(model)
        settings = {
            "model": "hosted_vllm/*", "api_base": f"http://127.0.0.1:{model.stdout.readline().strip()}/v1", "api_key": "none",
            "use_chat_completions_api": True,
        }
        (folder / "litellm.yaml").write_text(json.dumps({
            "model_list": [{"model_name": "*", "litellm_params": settings}],
            "general_settings": {"master_key": KEY}, "router_settings": {"num_retries": 0},
            "litellm_settings": {"drop_params": True},
        }))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        log = (folder / "litellm.log").open("w")
        command = [litellm, "--config", "litellm.yaml", "--host", "127.0.0.1", "--port", str(port)]
        # Else it looks for prices on the network.
        variables = os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        processes.append(subprocess.Popen(command, cwd=folder, env=variables, stdout=log, stderr=log))
        url = f"http://127.0.0.1:{port}"
        warm_up(url)
        yield url
    finally:
        for process in processes:
            process.kill()
            process.wait()


def warm_up(url):
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hello"}]}).encode()
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    request = urllib.request.Request(f"{url}/v1/chat/completions", body, headers)
    started = time.monotonic()
    while True:
        try:
            urllib.request.urlopen(request, timeout=60).read()
            return
        except (OSError, urllib.error.URLError) as error:
            if time.monotonic() - started > PATIENCE:
                raise SystemExit(f"LiteLLM's proxy does not answer: {error}") from error
            time.sleep(0.5)
