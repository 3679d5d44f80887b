from openai import OpenAI
from shop import SCHEMAS, json, path, question, use

tools = [{"type": "function", "name": name, "parameters": schema} for name, schema in SCHEMAS.items()]
input_items = [{"role": "user", "content": question}]
while True:
    response = OpenAI().responses.create(model="stub", input=input_items, tools=tools)
    calls = [item for item in response.output if item.type == "function_call"]
    if not calls:
        break
    input_items += [item.model_dump(exclude_none=True) for item in response.output]
    for call in calls:
        result = use(call.name, json.loads(call.arguments))
        input_items.append({"type": "function_call_output", "call_id": call.call_id, "output": result})
# snippet
items = input_items + [item.model_dump(exclude_none=True) for item in response.output]
path.write_text(json.dumps(items))
