// The two checks written by hand.
import { test } from "node:test";
import assert from "node:assert";
import { readFileSync } from "node:fs";

for (let number = 0; number < Number(process.env.CASES); number++) {
  test(`order ${number}`, () => {
    const run = JSON.parse(readFileSync(`../arraign/evals/traces/${number}.json`, "utf8"));
    const calls = run.flatMap((message) => message.tool_calls ?? []).map((call) => call.function);
    assert(calls.some((call) => call.name === "get_order" && JSON.parse(call.arguments).order_id === String(1000 + number)));
    assert(run.at(-1).content.includes(`TRK-${1000 + number}`));
  });
}
