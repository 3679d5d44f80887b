import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { createHarness, describeEval, toolCalls } from "vitest-evals";

// Returns the recorded run instead of asking an agent.
const harness = createHarness({
  name: "recorded",
  run: async ({ input }) => {
    const run = JSON.parse(readFileSync(`../arraign/evals/traces/${input}.json`, "utf8"));
    return { output: run.at(-1).content, events: run.flatMap(toEvents) };
  },
});

function toEvents({ role, content, tool_calls = [], tool_call_id }) {
  if (role === "tool") {
    return [{ type: "tool_result", toolCallId: tool_call_id, content }];
  }
  const calls = tool_calls.map(({ id, function: { name, arguments: text } }) => {
    return { type: "tool_call", id, name, arguments: JSON.parse(text) };
  });
  return content === null ? calls : [{ type: "message", role, content }, ...calls];
}

describeEval("orders", { harness }, (it) => {
  it.for(Array.from({ length: Number(process.env.CASES) }, (_, number) => number))("order %i", async (number, { run }) => {
    const result = await run(number);
    const call = { name: "get_order", arguments: { order_id: String(1000 + number) } };
    expect(toolCalls(result)).toContainEqual(expect.objectContaining(call));
    expect(result.output).toContain(`TRK-${1000 + number}`);
  });
});
