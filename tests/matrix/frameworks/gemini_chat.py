from google import genai
from google.genai import types
from shop import SCHEMAS, base, json, path, question, use

client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=base))
functions = [types.FunctionDeclaration(name=name, parameters_json_schema=schema) for name, schema in SCHEMAS.items()]
config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=functions)])
chat = client.chats.create(model="stub", config=config)
response = chat.send_message(question)
while response.function_calls:
    results = [(call.name, use(call.name, call.args)) for call in response.function_calls]
    parts = [types.Part.from_function_response(name=name, response={"result": result}) for name, result in results]
    response = chat.send_message(parts)
# snippet
contents = [content.model_dump(mode="json", exclude_none=True) for content in chat.get_history()]
path.write_text(json.dumps(contents))
