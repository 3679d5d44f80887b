import asyncio

from semantic_kernel import Kernel
from semantic_kernel.connectors.ai import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import ChatHistory
from semantic_kernel.functions import kernel_function
from shop import get_order, get_quote, path, question

kernel = Kernel()
kernel.add_functions("shop", {"get_order": kernel_function(get_order), "get_quote": kernel_function(get_quote)})
chat_history = ChatHistory()
chat_history.add_user_message(question)
settings = OpenAIChatPromptExecutionSettings(function_choice_behavior=FunctionChoiceBehavior.Auto())


async def main():
    service = OpenAIChatCompletion(ai_model_id="stub", api_key="none")
    reply = await service.get_chat_message_content(chat_history, settings, kernel=kernel)
    chat_history.add_message(reply)
    # snippet
    path.write_text(chat_history.serialize())


asyncio.run(main())
