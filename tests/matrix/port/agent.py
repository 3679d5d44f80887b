"""An agent of a shop with one tool, by each of the SDKs in Python.

agent.py SDK [--stream]

What it is told, and what its tool returns, is in the file `shop.json` of its folder.
"""

import asyncio
import json
import sys
from pathlib import Path

SDK = sys.argv[1]
STREAMED = "--stream" in sys.argv
QUESTION = json.load(sys.stdin)["query"]
SHOP = json.loads(Path("shop.json").read_text())
PROMPT, MODEL = SHOP["prompt"], SHOP["model"]
SCHEMA = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"], "additionalProperties": False}
DESCRIPTIONS = {"get_order": "Looks up an order.", "refund_order": "Refunds an order."}


def get_order(id: int) -> str:
    """Looks up an order."""
    return SHOP["result"]


def refund_order(id: int) -> str:
    """Refunds an order."""
    return "refunded"


FUNCTIONS = [globals()[name] for name in SHOP["tools"]]


def describe_tools(key):
    return [{"name": name, "description": DESCRIPTIONS[name], key: SCHEMA} for name in SHOP["tools"]]


def ask_chat():
    from openai import OpenAI

    chat = OpenAI().chat.completions
    tools = [{"type": "function", "function": {**tool, "strict": True}} for tool in describe_tools("parameters")]
    messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": QUESTION}]
    while True:
        request = {"model": MODEL, "messages": messages, "tools": tools}
        if STREAMED:
            with chat.stream(**request) as stream:
                message = stream.get_final_completion().choices[0].message
        else:
            message = chat.create(**request).choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
        for call in message.tool_calls:
            result = get_order(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def ask_responses():
    from openai import OpenAI

    responses = OpenAI().responses
    tools = [{"type": "function", "strict": True, **tool} for tool in describe_tools("parameters")]
    items = [{"role": "user", "content": QUESTION}]
    while True:
        request = {"model": MODEL, "instructions": PROMPT, "input": items, "tools": tools}
        if STREAMED:
            with responses.stream(**request) as stream:
                response = stream.get_final_response()
        else:
            response = responses.create(**request)
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        for call in calls:
            items.append({"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments})
            result = get_order(**json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": result})


def ask_anthropic():
    from anthropic import Anthropic

    client = Anthropic()
    messages = [{"role": "user", "content": QUESTION}]
    while True:
        request = {"model": MODEL, "max_tokens": 100, "system": PROMPT, "messages": messages}
        request["tools"] = describe_tools("input_schema")
        if STREAMED:
            with client.messages.stream(**request) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(**request)
        if message.stop_reason != "tool_use":
            return message.content[0].text
        messages.append({"role": "assistant", "content": message.content})
        uses = [block for block in message.content if block.type == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": use.id, "content": get_order(**use.input)} for use in uses]
        messages.append({"role": "user", "content": results})


def ask_gemini():
    from google import genai
    from google.genai import types

    functions = [types.FunctionDeclaration(**tool) for tool in describe_tools("parameters_json_schema")]
    tools = [types.Tool(function_declarations=functions)]
    # The proxy has only this version.
    client = genai.Client(http_options=types.HttpOptions(api_version="v1beta"))
    config = types.GenerateContentConfig(system_instruction=PROMPT, tools=tools)
    contents = [types.Content(role="user", parts=[types.Part(text=QUESTION)])]
    while True:
        request = {"model": MODEL, "contents": contents, "config": config}
        models = client.models
        replies = list(models.generate_content_stream(**request)) if STREAMED else [models.generate_content(**request)]
        calls = [call for reply in replies for call in reply.function_calls or []]
        if not calls:
            return "".join(reply.text or "" for reply in replies)
        contents.append(types.Content(role="model", parts=[types.Part(function_call=call) for call in calls]))
        results = [(call.name, {"result": get_order(**call.args)}) for call in calls]
        parts = [types.Part.from_function_response(name=name, response=result) for name, result in results]
        contents.append(types.Content(role="user", parts=parts))


def ask_langgraph():
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from langgraph.prebuilt import create_react_agent

    graph = create_react_agent(ChatOpenAI(model=MODEL, streaming=STREAMED), [tool(one) for one in FUNCTIONS], prompt=PROMPT)
    return graph.invoke({"messages": [("user", QUESTION)]})["messages"][-1].content


def ask_agents():
    from agents import Agent, Runner, function_tool, set_tracing_disabled

    set_tracing_disabled(True)
    agent = Agent(name="shop", instructions=PROMPT, model=MODEL, tools=[function_tool(one) for one in FUNCTIONS])

    async def run():
        if not STREAMED:
            return await Runner.run(agent, QUESTION)
        result = Runner.run_streamed(agent, QUESTION)
        async for _ in result.stream_events():
            pass
        return result

    return asyncio.run(run()).final_output


print(globals()[f"ask_{SDK}"]())
