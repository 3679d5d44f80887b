"""What the agent can do: the functions behind tools.json."""

import json
from pathlib import Path

HERE = Path(__file__).parent
DEFINITIONS = json.loads((HERE / "tools.json").read_text())
ORDERS = {order["id"]: order for order in json.loads((HERE / "data/orders.json").read_text())}


def get_order(id):
    return ORDERS.get(id) or {"error": f"there is no order {id}"}


def find_orders(email):
    return [order["id"] for order in ORDERS.values() if order["email"] == email]


def refund_order(id, reason):
    return {"refunded": ORDERS[id]["price"]}


def call_tool(name, arguments):
    """Calls a tool with arguments in JSON. A mistake is told to the model."""
    try:
        function = {"get_order": get_order, "find_orders": find_orders, "refund_order": refund_order}[name]
        return json.dumps(function(**json.loads(arguments)))
    except (KeyError, TypeError, ValueError) as error:
        return json.dumps({"error": f"{type(error).__name__}: {error}"})
