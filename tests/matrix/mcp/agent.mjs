// An agent by the official TypeScript SDK: calls the tools that its arguments name, and prints the results.
//
// agent.mjs [trace] [stdio] TOOL={...}...
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.SDK_FOLDER + "/package.json");
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");

const words = process.argv.slice(2);
const url = process.env.ARRAIGN_MCP_URL;
const transport = words.includes("stdio")
    ? new StdioClientTransport({ command: process.env.MOCKS_EXE, args: ["mcp"], env: { ARRAIGN_MCP_URL: url } })
    : new StreamableHTTPClientTransport(new URL(url));
const client = new Client({ name: "agent", version: "1.0.0" });
await client.connect(transport);
const { tools } = await client.listTools();
const said = ["offered: " + tools.map((tool) => tool.name).join(" ")];
const calls = [];
for (const word of words.filter((word) => word.includes("="))) {
    const name = word.slice(0, word.indexOf("="));
    const args = JSON.parse(word.slice(name.length + 1));
    try {
        const result = await client.callTool({ name, arguments: args });
        const text = result.content.map((block) => block.text ?? block.type).join(" ");
        said.push((result.isError ? "failed: " : "") + text);
    } catch (error) {
        said.push(`refused: ${error.message}`);
    }
    calls.push({ name, arguments: args, result: said.at(-1) });
}
await client.close();
const answer = said.join("\n");
console.log(words.includes("trace") ? JSON.stringify({ calls, answer }) : answer);
