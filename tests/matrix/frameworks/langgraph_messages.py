from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import ToolNode, create_react_agent
from shop import get_order, get_quote, json, path, question

tools = ToolNode([tool(get_order), tool(get_quote)], handle_tool_errors=True)
graph = create_react_agent(ChatOpenAI(model="stub"), tools)
# snippet
from langchain_core.messages import messages_to_dict
state = graph.invoke({"messages": [("user", question)]})
path.write_text(json.dumps(messages_to_dict(state["messages"])))
