from pydantic_ai import Agent, ModelRetry
from pydantic_ai.models.openai import OpenAIChatModel
from shop import get_order, get_quote, path, question

agent = Agent(OpenAIChatModel("stub"))
agent.tool_plain(get_order)


@agent.tool_plain(name="get_quote")
def quote(order_id: int, city: str) -> str:
    try:
        return get_quote(order_id, city)
    except RuntimeError as error:
        raise ModelRetry(str(error))


# snippet
result = agent.run_sync(question)
path.write_bytes(result.all_messages_json())
