import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { writeFileSync } from "node:fs";
import { getOrder, getQuote, path, question, z } from "./shop.mjs";

const order = z.object({ id: z.number() }), quote = z.object({ order_id: z.number(), city: z.string() });
const tools = [
  tool(getOrder, { name: "get_order", description: "Looks up an order.", schema: order }),
  tool(getQuote, { name: "get_quote", description: "Asks for the price of shipping.", schema: quote }),
];
const llm = new ChatOpenAI({ model: "stub", apiKey: "none", configuration: { baseURL: process.env.OPENAI_BASE_URL } });
const graph = createReactAgent({ llm, tools });
// snippet
import { mapChatMessagesToStoredMessages } from "@langchain/core/messages";
const state = await graph.invoke({ messages: [new HumanMessage(question)] });
writeFileSync(path, JSON.stringify(mapChatMessagesToStoredMessages(state.messages)));
