from shop import get_order, get_quote, json, path, question
from strands import Agent, tool
from strands.models import BedrockModel

model = BedrockModel(model_id="stub", region_name="eu-west-1", streaming=False)
agent = Agent(model=model, tools=[tool(get_order), tool(get_quote)], callback_handler=None)
agent(question)
# snippet
path.write_text(json.dumps(agent.messages))
