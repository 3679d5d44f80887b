// Drives rust-analyzer over its protocol, as VS Code does: the tree of tests, a run of one, and the lenses.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Client, url } from "./client.mjs";

const [crate, server] = process.argv.slice(2);
const file = (name) => join(crate, name);
const noted = new Set();

// Nothing but the tests is of interest: no check of the sources, no build scripts, no procedural macros.
const settings = {
  checkOnSave: false,
  cachePriming: { enable: false },
  cargo: { buildScripts: { enable: false } },
  files: { watcher: "server" },
  procMacro: { enable: false },
};
const answer = ({ method, params }) =>
  method === "workspace/configuration" ? params.items.map(() => settings) : null;
const commands = ["rust-analyzer.runSingle", "rust-analyzer.debugSingle"];
const experimental = { serverStatusNotification: true, testExplorer: true, commands: { commands } };
const client = new Client(server, [], { cwd: crate, answer });

/** Returns the ids of the tests below `parent`. */
async function discover(parent) {
  const { tests } = await client.request("experimental/discoverTest", { testId: parent });
  return tests;
}

/**
 * Runs the tests `include`, and returns the last state of each test that the server reports. On a busy machine the server
 * may count the end of an earlier run against this one, and then it ends a run before its reports. It is asked again once
 * the earlier ends have arrived: a request that comes at once would be ended in the same way.
 */
async function run(...include) {
  for (let attempt = 1; ; attempt += 1) {
    client.notifications.length = 0;
    await client.request("experimental/runTest", { include, exclude: [] });
    await client.waitFor(({ method }) => method === "experimental/endRunTest", "the end of the run");
    const changes = client.notifications.filter(({ method }) => method === "experimental/changeTestState");
    const states = new Map(changes.map(({ params }) => [params.testId, params.state]));
    const ended = states.size > 0 && [...states.values()].every(({ tag }) => tag !== "started");
    if (ended || attempt === 5) {
      return states;
    }
    await new Promise((done) => setTimeout(done, 1000));
  }
}

function holds(claim) {
  noted.add(claim);
}

await client.initialize(crate, { experimental, workspace: { configuration: true } }, settings);
await client.waitFor(({ method, params }) => method === "experimental/serverStatus" && params.quiescent, "ready");

// The tree: the target, a module for each file, a test for each case.
const roots = await discover(null);
assert(roots.some(({ id, kind }) => id === "evals" && kind === "test"), JSON.stringify(roots));
const before = (await discover("evals")).map(({ id }) => id);
assert.deepEqual(before.sort(), [
  "evals",
  "evals::first",
  "evals::first::order_status",
  "evals::late__orders",
  "evals::late__orders::no_0x20_refund",
]);
holds("discovery");

// The lenses, with the command that each of them runs.
const document = { uri: url(file("tests/evals.rs")), languageId: "rust", version: 1 };
client.notify("textDocument/didOpen", {
  textDocument: { ...document, text: readFileSync(file("tests/evals.rs"), "utf8") },
});
const lenses = await client.request("textDocument/codeLens", { textDocument: { uri: document.uri } });
const runs = lenses.filter(({ command }) => command.command === "rust-analyzer.runSingle");
const lens = runs.find(({ command }) => command.arguments[0].args.executableArgs[0] === "first::order_status");
assert(lens, JSON.stringify(runs));
const { args } = lens.command.arguments[0];
assert.deepEqual(args.cargoArgs, ["test", "--package", "editor_sample", "--test", "evals"]);
// Versions differ in the flags that they add.
assert(args.executableArgs.includes("--exact"), JSON.stringify(args));
execFileSync("cargo", [...args.cargoArgs, "--", ...args.executableArgs], { cwd: crate, stdio: "pipe" });
holds("lens");
const marks = await client.request("textDocument/diagnostic", { textDocument: { uri: document.uri } });
assert.deepEqual(marks.items, []);
holds("no diagnostics");

// A run of one case, of a case whose name is no identifier, and of a red one.
const green = await run("evals::first::order_status");
assert.deepEqual([...green.keys()], ["evals::first::order_status"]);
assert.equal(green.get("evals::first::order_status").tag, "passed");
const named = await run("evals::late__orders::no_0x20_refund");
const state = named.get("evals::late__orders::no_0x20_refund");
assert.equal(state?.tag, "failed", JSON.stringify([...named]));
assert(state.message.includes("`refund` is blocked"), state.message);
assert(state.message.includes(" --> evals/late-orders.yaml:4:"), state.message);
holds("runs");

// A case that is written while the server runs.
writeFileSync(file("evals/fresh.yaml"), readFileSync(file("evals/first.yaml")));
execFileSync("cargo", ["arraign", "ide"], { cwd: crate, stdio: "pipe" });
const deadline = Date.now() + 30_000;
let ids = [];
while (!ids.includes("evals::fresh::order_status") && Date.now() < deadline) {
  await new Promise((done) => setTimeout(done, 100));
  ids = (await discover("evals")).map(({ id }) => id);
}
assert(ids.includes("evals::fresh::order_status"), ids.join(" "));
const fresh = await run("evals::fresh");
assert.equal(fresh.get("evals::fresh::order_status").tag, "passed");
holds("a new case");

// Ten thousand cases.
const many = Array.from({ length: 100 }, (_, suite) =>
  Array.from({ length: 100 }, (_, number) => `            #[test]\n            fn case_${number}() {}\n`).join("")
    .replace(/^/, `        mod suite_${suite} {\n`).concat("        }\n"),
);
const text = readFileSync(file("evals/cases.rs"), "utf8");
writeFileSync(file("evals/cases.rs"), text.replace("    () => {\n", `    () => {\n${many.join("")}`));
const started = Date.now();
let count = 0;
while (count < 10_000 && Date.now() < started + 30_000) {
  count = (await discover("evals")).filter(({ kind, id }) => kind === "test" && id.includes("suite_")).length;
}
assert.equal(count, 10_000);
const asked = Date.now();
await discover("evals");
console.log(`10,000 cases: seen ${asked - started} ms after they were written, then listed in ${Date.now() - asked} ms`);
holds("ten thousand");

client.stop();
console.log(`${noted.size} claims about rust-analyzer hold`);
