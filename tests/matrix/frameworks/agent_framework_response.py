import asyncio

from agent_framework import Agent
from agent_framework.openai import OpenAIChatClient
from shop import get_order, get_quote, json, path, question

agent = Agent(client=OpenAIChatClient(model="stub"), tools=[get_order, get_quote])


async def main():
    # snippet
    path.write_text(json.dumps((await agent.run(question)).to_dict()))


asyncio.run(main())
