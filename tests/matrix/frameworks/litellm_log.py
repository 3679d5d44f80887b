import time

from shop import base, json, path, question, use

import litellm

# snippet
def write(kwargs, response, start, end):
    with open(path, "a") as log:
        log.write(json.dumps(kwargs["standard_logging_object"], default=str) + "\n")
litellm.success_callback = [write]
# end of the snippet

messages = [{"role": "user", "content": question}]
for number in (1, 2):
    completion = litellm.completion(model="openai/stub", messages=messages, api_base=f"{base}/v1", api_key="none")
    message = completion.choices[0].message
    messages.append(message.model_dump(exclude_none=True))
    for call in message.tool_calls or []:
        result = use(call.function.name, json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    # The callback runs in a thread of its own.
    for _ in range(100):
        if path.exists() and len(path.read_text().splitlines()) == number:
            break
        time.sleep(0.1)
