"""An agent by the official Python SDK: calls the tools that its arguments name, and prints the results.

agent.py [trace] [stdio] TOOL={...}...
"""

import asyncio
import json
import os
import sys

from mcp import Client, MCPError, StdioServerParameters

WORDS = sys.argv[1:]


def find_server():
    url = os.environ["ARRAIGN_MCP_URL"]
    if "stdio" not in WORDS:
        return url
    return StdioServerParameters(command=os.environ["MOCKS_EXE"], args=["mcp"], env={"ARRAIGN_MCP_URL": url})


async def main():
    calls, said = [], []
    async with Client(find_server()) as client:
        said.append("offered: " + " ".join(tool.name for tool in (await client.list_tools()).tools))
        for word in WORDS:
            if "=" not in word:
                continue
            name, arguments = word.split("=", 1)
            arguments = json.loads(arguments)
            try:
                result = await client.call_tool(name, arguments)
                text = " ".join(getattr(block, "text", block.type) for block in result.content)
                said.append(("failed: " if result.is_error else "") + text)
            except MCPError as error:
                said.append(f"refused: {error}")
            calls.append({"name": name, "arguments": arguments, "result": said[-1]})
    answer = "\n".join(said)
    print(json.dumps({"calls": calls, "answer": answer}) if "trace" in WORDS else answer)


asyncio.run(main())
