"""The question and the tools of the shop, for each framework."""
import json
import os
import sys
from pathlib import Path

path = Path(sys.argv[1])
base = os.environ["STUB"]
question = "Where is order 7?"
os.environ |= {
    "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{base}/v1", "ANTHROPIC_API_KEY": "none", "GOOGLE_API_KEY": "none",
    "GOOGLE_GEMINI_BASE_URL": base, "AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none", "AWS_REGION": "eu-west-1",
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": base, "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "LANGFUSE_PUBLIC_KEY": "none", "LANGFUSE_SECRET_KEY": "none", "LANGFUSE_BASE_URL": base, "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}


def get_order(id: int) -> str:
    """Looks up an order."""
    return '{"status": "shipped"}'


def get_quote(order_id: int, city: str) -> str:
    """Asks for the price of shipping."""
    raise RuntimeError("no carrier to " + city)


def use(name, arguments):
    """What the tool returns, or its error as text."""
    try:
        return {"get_order": get_order, "get_quote": get_quote}[name](**arguments)
    except RuntimeError as error:
        return f"Error: {error}"


SCHEMAS = {
    "get_order": {"type": "object", "properties": {"id": {"type": "integer"}}},
    "get_quote": {"type": "object", "properties": {"order_id": {"type": "integer"}, "city": {"type": "string"}}},
}
