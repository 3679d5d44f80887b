from openai import OpenAI
from shop import SCHEMAS, json, path, question, use

tools = [{"type": "function", "function": {"name": name, "parameters": schema}} for name, schema in SCHEMAS.items()]
messages = [{"role": "user", "content": question}]
while True:
    completion = OpenAI().chat.completions.create(model="stub", messages=messages, tools=tools)
    calls = completion.choices[0].message.tool_calls
    if not calls:
        break
    messages.append(completion.choices[0].message)
    for call in calls:
        result = use(call.function.name, json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
# snippet
messages.append(completion.choices[0].message)
rows = [m if isinstance(m, dict) else m.model_dump(exclude_none=True) for m in messages]
path.write_text(json.dumps(rows))
