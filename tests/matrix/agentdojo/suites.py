"""AgentDojo's suites without the parts that call models, and their environments as JSON."""

import datetime
import sys
import types
from typing import Annotated

from pydantic import BaseModel, TypeAdapter


def load_package():
    """Makes its modules importable without the clients of models."""
    import agentdojo

    folder = agentdojo.__path__[0]
    for name in ("agent_pipeline", "agent_pipeline.llms"):
        module = types.ModuleType(f"agentdojo.{name}")
        module.__path__ = [f"{folder}/{name.replace('.', '/')}"]
        sys.modules[module.__name__] = module
    google = types.ModuleType("agentdojo.agent_pipeline.llms.google_llm")
    google.EMPTY_FUNCTION_NAME = "<empty-function>"
    logging = types.ModuleType("agentdojo.logging")
    logging.Logger = object
    for module in (google, logging):
        sys.modules[module.__name__] = module


load_package()
from agentdojo.agent_pipeline.tool_execution import tool_result_to_str  # noqa: E402
from agentdojo.default_suites.v1.tools import cloud_drive_client, email_client  # noqa: E402
from agentdojo.functions_runtime import FunctionsRuntime  # noqa: E402
from agentdojo.task_suite.load_suites import get_suites  # noqa: E402

SUITES = get_suites("v1.2.2")


def stop_clock(now):
    """Lets the tools that note the time note this one."""

    class Stopped(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.datetime.fromisoformat(now)

    stopped = types.SimpleNamespace(**{**vars(datetime), "datetime": Stopped})
    for module in (cloud_drive_client, email_client):
        module.datetime = stopped


def dump(environment):
    return environment.model_dump(mode="json")


def restore(kind, dumped):
    """Makes an environment of its dump. The package's own way back begins anew with the first emails, events and files."""
    model = kind.model_validate(dumped)
    for name, field in kind.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            value = restore(field.annotation, dumped[name])
        else:
            value = TypeAdapter(Annotated[field.annotation, field]).validate_python(dumped[name])
        setattr(model, name, value)
    for name in kind.model_fields:
        # What is there from the beginning is one object in both fields of the package.
        present = getattr(model, name.removeprefix("initial_"), None)
        if name.startswith("initial_") and isinstance(present, dict):
            setattr(model, name, [present.get(one.id_, one) for one in getattr(model, name)])
    return model


def call(suite, environment, name, arguments):
    """Makes a call as the package's pipelines do. Returns the text of the result, and whether the tool failed."""
    result, error = FunctionsRuntime(suite.tools).run_function(environment, name, arguments)
    return (error, True) if error else (tool_result_to_str(result), False)
