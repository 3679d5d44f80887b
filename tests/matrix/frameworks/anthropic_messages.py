from anthropic import Anthropic
from shop import SCHEMAS, base, json, path, question, use

tools = [{"name": name, "input_schema": schema} for name, schema in SCHEMAS.items()]
messages = [{"role": "user", "content": question}]
while True:
    response = Anthropic(base_url=base).messages.create(model="stub", max_tokens=100, messages=messages, tools=tools)
    if response.stop_reason != "tool_use":
        break
    messages.append({"role": "assistant", "content": response.content})
    results = [(block.id, use(block.name, block.input)) for block in response.content if block.type == "tool_use"]
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": result, "is_error": result.startswith("Error")}
        for id, result in results
    ]
    messages.append({"role": "user", "content": results})
# snippet
messages.append({"role": "assistant", "content": response.content})
path.write_text(json.dumps(messages, default=lambda block: block.model_dump()))
