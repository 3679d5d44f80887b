"""tau-bench's airline without its user, which a model plays."""

import enum
import os
import sys
import types

ROOT = os.environ["TAU_BENCH"]


def load_package():
    """Makes its modules importable without the ones that call models."""
    package = types.ModuleType("tau_bench")
    package.__path__ = [os.path.join(ROOT, "tau_bench")]
    envs = types.ModuleType("tau_bench.envs")
    envs.__path__ = [os.path.join(ROOT, "tau_bench", "envs")]
    airline = types.ModuleType("tau_bench.envs.airline")
    airline.__path__ = [os.path.join(ROOT, "tau_bench", "envs", "airline")]
    user = types.ModuleType("tau_bench.envs.user")
    user.UserStrategy = enum.Enum("UserStrategy", ["LLM"])
    user.load_user = lambda **_: types.SimpleNamespace(get_total_cost=lambda: 0.0)
    for module in (package, envs, airline, user):
        sys.modules[module.__name__] = module


load_package()
