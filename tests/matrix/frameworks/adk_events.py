import asyncio

from google.adk.agents import Agent
from google.adk.runners import InMemoryRunner
from google.genai import types
from shop import get_order, get_quote, json, path, question


def quote(order_id: int, city: str) -> dict:
    """Asks for the price of shipping."""
    try:
        return {"result": get_quote(order_id, city)}
    except RuntimeError as error:
        return {"error": str(error)}


quote.__name__ = "get_quote"
agent = Agent(name="shop", model="gemini-2.5-flash", tools=[get_order, quote])
runner = InMemoryRunner(agent=agent, app_name="shop")
message = types.Content(role="user", parts=[types.Part(text=question)])


async def main():
    user, session = "u", (await runner.session_service.create_session(app_name="shop", user_id="u")).id
    # snippet
    events = [event async for event in runner.run_async(user_id=user, session_id=session, new_message=message)]
    path.write_text(json.dumps([event.model_dump(mode="json", exclude_none=True) for event in events]))


asyncio.run(main())
