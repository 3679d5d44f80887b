import asyncio

from agents import Agent, Runner, function_tool
from shop import get_order, get_quote, json, path, question

agent = Agent(name="shop", model="stub", tools=[function_tool(get_order), function_tool(get_quote)])


async def main():
    # snippet
    result = await Runner.run(agent, question)
    path.write_text(json.dumps(result.to_input_list()))


asyncio.run(main())
