// An agent of a shop with one tool, by each of the SDKs in TypeScript.
//
// agent.mjs SDK [--stream]
//
// What it is told, and what its tool returns, is in the file `shop.json` of its folder.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const sdk = process.argv[2];
const streamed = process.argv.includes("--stream");
const require = createRequire(process.env.SDK_FOLDER + "/package.json");
const load = (name) => import(pathToFileURL(require.resolve(name)));
const shop = JSON.parse(readFileSync("shop.json"));
const question = JSON.parse(readFileSync(0)).query;
const { model, prompt } = shop;
const schema = { type: "object", properties: { id: { type: "integer" } }, required: ["id"], additionalProperties: false };
const descriptions = { get_order: "Looks up an order.", refund_order: "Refunds an order." };
const getOrder = async () => shop.result;
const describeTools = (key) => shop.tools.map((name) => ({ name, description: descriptions[name], [key]: schema }));

async function askChat() {
  const { default: OpenAI } = await load("openai");
  const chat = new OpenAI().chat.completions;
  const tools = describeTools("parameters").map((tool) => ({ type: "function", function: { ...tool, strict: true } }));
  const messages = [{ role: "system", content: prompt }, { role: "user", content: question }];
  for (;;) {
    const request = { model, messages, tools };
    const { message } = (streamed ? await chat.stream(request).finalChatCompletion() : await chat.create(request)).choices[0];
    if (!message.tool_calls?.length) return message.content;
    messages.push({ role: "assistant", tool_calls: message.tool_calls.map(({ id, type, function: { name, arguments: args } }) => ({ id, type, function: { name, arguments: args } })) });
    for (const call of message.tool_calls) messages.push({ role: "tool", tool_call_id: call.id, content: await getOrder() });
  }
}

async function askResponses() {
  const { default: OpenAI } = await load("openai");
  const { responses } = new OpenAI();
  const tools = describeTools("parameters").map((tool) => ({ type: "function", strict: true, ...tool }));
  const input = [{ role: "user", content: question }];
  for (;;) {
    const request = { model, instructions: prompt, input, tools };
    const { output, output_text } = streamed ? await responses.stream(request).finalResponse() : await responses.create(request);
    const calls = output.filter((item) => item.type === "function_call");
    if (!calls.length) return output_text;
    for (const { call_id, name, arguments: args } of calls) {
      input.push({ type: "function_call", call_id, name, arguments: args });
      input.push({ type: "function_call_output", call_id, output: await getOrder() });
    }
  }
}

async function askAnthropic() {
  const { default: Anthropic } = await load("@anthropic-ai/sdk");
  const client = new Anthropic();
  const messages = [{ role: "user", content: question }];
  for (;;) {
    const request = { model, max_tokens: 100, system: prompt, messages, tools: describeTools("input_schema") };
    const message = streamed ? await client.messages.stream(request).finalMessage() : await client.messages.create(request);
    if (message.stop_reason !== "tool_use") return message.content[0].text;
    messages.push({ role: "assistant", content: message.content });
    const uses = message.content.filter((block) => block.type === "tool_use");
    const results = uses.map(async ({ id }) => ({ type: "tool_result", tool_use_id: id, content: await getOrder() }));
    messages.push({ role: "user", content: await Promise.all(results) });
  }
}

async function askGemini() {
  const { GoogleGenAI } = await load("@google/genai");
  const config = { systemInstruction: prompt, tools: [{ functionDeclarations: describeTools("parametersJsonSchema") }] };
  // The proxy has only this version.
  const client = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY, apiVersion: "v1beta" });
  const contents = [{ role: "user", parts: [{ text: question }] }];
  for (;;) {
    const request = { model, contents, config };
    const replies = [];
    if (streamed) for await (const reply of await client.models.generateContentStream(request)) replies.push(reply);
    else replies.push(await client.models.generateContent(request));
    const calls = replies.flatMap((reply) => reply.functionCalls ?? []);
    if (!calls.length) return replies.map((reply) => reply.text ?? "").join("");
    contents.push({ role: "model", parts: calls.map((functionCall) => ({ functionCall })) });
    const result = await getOrder();
    contents.push({ role: "user", parts: calls.map(({ name }) => ({ functionResponse: { name, response: { result } } })) });
  }
}

async function askLanggraph() {
  const { HumanMessage } = await load("@langchain/core/messages");
  const { tool } = await load("@langchain/core/tools");
  const { createReactAgent } = await load("@langchain/langgraph/prebuilt");
  const { ChatOpenAI } = await load("@langchain/openai");
  const tools = describeTools("schema").map((one) => tool(getOrder, one));
  const graph = createReactAgent({ llm: new ChatOpenAI({ model }), tools, prompt });
  const input = { messages: [new HumanMessage(question)] };
  if (!streamed) return (await graph.invoke(input)).messages.at(-1).content;
  let said = "";
  for await (const [message] of await graph.stream(input, { streamMode: "messages" })) {
    if (message.getType() === "ai") said += message.content;
  }
  return said;
}

async function askAgents() {
  const { Agent, run, setTracingDisabled, tool } = await load("@openai/agents");
  setTracingDisabled(true);
  const tools = describeTools("parameters").map((one) => tool({ ...one, execute: getOrder }));
  const result = await run(new Agent({ name: "shop", instructions: prompt, model, tools }), question, { stream: streamed });
  if (streamed) await result.completed;
  return result.finalOutput;
}

// Vercel's AI SDK, with the provider that `choose` names.
async function askVercel(choose) {
  const { generateText, jsonSchema, stepCountIs, streamText, tool } = await load("ai");
  const described = describeTools("inputSchema").map(({ name, description }) =>
    [name, tool({ description, inputSchema: jsonSchema(schema), execute: getOrder })]);
  const request = { model: await choose(), system: prompt, prompt: question, tools: Object.fromEntries(described), stopWhen: stepCountIs(4) };
  return streamed ? await streamText({ ...request, onError: ({ error }) => { throw error; } }).text : (await generateText(request)).text;
}

const asks = {
  chat: askChat,
  responses: askResponses,
  anthropic: askAnthropic,
  gemini: askGemini,
  langgraph: askLanggraph,
  agents: askAgents,
  vercel_openai: () => askVercel(async () => (await load("@ai-sdk/openai")).openai(model)),
  vercel_anthropic: () => askVercel(async () => (await load("@ai-sdk/anthropic")).anthropic(model)),
  // This provider reads no variable.
  vercel_google: () => askVercel(async () => {
    const { createGoogleGenerativeAI } = await load("@ai-sdk/google");
    return createGoogleGenerativeAI({ baseURL: `${process.env.GOOGLE_GEMINI_BASE_URL}/v1beta` })(model);
  }),
};
console.log(await asks[sdk]());
