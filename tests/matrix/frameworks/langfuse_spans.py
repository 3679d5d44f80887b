from shop import json, path, question, use

from langfuse import Langfuse, observe

# snippet
from opentelemetry.sdk.trace.export import ConsoleSpanExporter
langfuse = Langfuse(span_exporter=ConsoleSpanExporter(out=open(path, "w")))
# end of the snippet
from langfuse.openai import OpenAI


@observe(as_type="agent")
def shop(question):
    messages = [{"role": "user", "content": question}]
    while True:
        message = OpenAI().chat.completions.create(model="stub", messages=messages).choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            tool = observe(name=call.function.name, as_type="tool")(lambda **arguments: use(call.function.name, arguments))
            result = tool(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


shop(question)
langfuse.flush()
