import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, tool } from "ai";
import { writeFileSync } from "node:fs";
import { getOrder, getQuote, path, question, z } from "./shop.mjs";

const model = createOpenAI({ apiKey: "none", baseURL: `${process.env.STUB}/v1` }).chat("stub");
const order = z.object({ id: z.number() }), quote = z.object({ order_id: z.number(), city: z.string() });
const tools = {
  get_order: tool({ description: "Looks up an order.", inputSchema: order, execute: getOrder }),
  get_quote: tool({ description: "Asks for the price of shipping.", inputSchema: quote, execute: getQuote }),
};
const messages = [{ role: "user", content: question }];
// snippet
const result = await generateText({ model, tools, messages, stopWhen: stepCountIs(9) });
const said = result.responseMessages ?? result.response.messages;
writeFileSync(path, JSON.stringify([...messages, ...said]));
