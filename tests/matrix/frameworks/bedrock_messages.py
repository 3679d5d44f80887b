import boto3
from shop import SCHEMAS, json, path, question, use

client = boto3.client("bedrock-runtime", region_name="eu-west-1")
tools = [{"toolSpec": {"name": name, "inputSchema": {"json": schema}}} for name, schema in SCHEMAS.items()]
messages = [{"role": "user", "content": [{"text": question}]}]
while True:
    response = client.converse(modelId="stub", messages=messages, toolConfig={"tools": tools})
    messages.append(response["output"]["message"])
    if response["stopReason"] != "tool_use":
        break
    results = []
    for part in messages[-1]["content"]:
        call = part["toolUse"]
        result = use(call["name"], call["input"])
        status = "error" if result.startswith("Error") else "success"
        results.append({"toolResult": {"toolUseId": call["toolUseId"], "content": [{"text": result}], "status": status}})
    messages.append({"role": "user", "content": results})
# snippet
path.write_text(json.dumps(messages))
