import asyncio

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from shop import base, get_order, get_quote, json, path, question

llm = OpenAILike(model="stub", api_base=f"{base}/v1", api_key="none", is_chat_model=True, is_function_calling_model=True)
agent = FunctionAgent(tools=[get_order, get_quote], llm=llm, streaming=False)


async def main():
    # snippet
    handler = agent.run(question)
    events = [event.model_dump(mode="json") async for event in handler.stream_events()]
    path.write_text(json.dumps(events))


asyncio.run(main())
