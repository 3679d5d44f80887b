import { Agent, run, setTracingDisabled, tool } from "@openai/agents";
import { writeFileSync } from "node:fs";
import { getOrder, getQuote, path, question, z } from "./shop.mjs";

setTracingDisabled(true);
const order = z.object({ id: z.number() }), quote = z.object({ order_id: z.number(), city: z.string() });
const agent = new Agent({
  name: "shop",
  model: "stub",
  tools: [
    tool({ name: "get_order", description: "Looks up an order.", parameters: order, execute: getOrder }),
    tool({ name: "get_quote", description: "Asks for the price of shipping.", parameters: quote, execute: getQuote }),
  ],
});
// snippet
const result = await run(agent, question);
writeFileSync(path, JSON.stringify(result.history));
