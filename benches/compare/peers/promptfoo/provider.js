const fs = require("node:fs");

// Returns the recorded run instead of asking a model.
module.exports = class {
  id() { return "recorded"; }
  async callApi(prompt, context) {
    const run = JSON.parse(fs.readFileSync(`${__dirname}/../arraign/evals/traces/${context.vars.number}.json`, "utf8"));
    const calls = run.flatMap((message) => message.tool_calls ?? []).map((call) => call.function);
    return { output: JSON.stringify({ answer: run.at(-1).content, calls }) };
  }
};
