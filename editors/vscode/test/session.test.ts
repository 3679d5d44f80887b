// The extension's logic with the real server and its trials.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";

import type { TrialEvent } from "../src/events";
import { buildTree, parseListing, type Listing } from "../src/listing";
import { findRoots, nameFileIn } from "../src/roots";
import { runTrials, type RunOptions, type TrialProgram } from "../src/runner";
import { CASES, Session } from "./server";

const FILE = "evals/shop/orders.yaml";
const SLOW = `agent: {command: [sh, -c, "sleep 60"]}
tests:
  - {id: waits, input: hello, expect: [no_failed_calls: {}]}
`;

interface ListAnswer {
  success: boolean;
  output: string;
  runner: TrialProgram;
}

const session = new Session({ [FILE]: CASES });
let runner: TrialProgram;
let listing: Listing;

before(async () => {
  await session.start();
  const [root] = findRoots([session.path(FILE)]);
  assert.equal(root, session.path("evals"));
  const answer = await session.execute<ListAnswer>("arraign.list", { uri: uriOf(nameFileIn(root)) });
  runner = answer.runner;
  listing = parseListing(answer.output);
});

after(() => session.end());

function uriOf(path: string): string {
  return session.uri(path.slice(session.folder.length + 1));
}

/** Runs trials, and returns their events and the rest of the output. */
async function run(options: Partial<RunOptions>): Promise<{ events: TrialEvent[]; output: string[] }> {
  const events: TrialEvent[] = [];
  const output: string[] = [];
  const all = { names: undefined, includeIgnored: false, signal: new AbortController().signal, ...options };
  const onEvent = (event: TrialEvent) => events.push(event);
  await runTrials(runner, all, { onEvent, onOutput: (line) => output.push(line) });
  return { events, output };
}

function nameStates(events: readonly TrialEvent[]): string[] {
  return events.filter(({ state }) => state !== "started").map(({ state, name }) => `${name} ${state}`);
}

test("the server lists the cases with their places", () => {
  assert.equal(listing.root, session.path("evals"));
  const cases = listing.trials.map(({ name, ignored, start, tags }) => ({ name, ignored, line: start.line, tags }));
  assert.deepEqual(cases, [
    { name: "shop::orders::asks first", ignored: undefined, line: 1, tags: [] },
    { name: "shop::orders::no_refund", ignored: undefined, line: 5, tags: ["money"] },
    { name: "shop::orders::later", ignored: "not yet", line: 11, tags: [] },
  ]);
  const orders = buildTree(listing.trials).get("shop")?.children.get("orders");
  assert.equal(orders?.file, session.path(FILE));
  assert.deepEqual([...(orders.children.keys())], ["asks first", "no_refund", "later"]);
  assert.equal(orders.children.get("later")?.trial?.name, "shop::orders::later");
});

test("a run of all cases reports each of them", async () => {
  const { events } = await run({});
  assert.deepEqual(nameStates(events).sort(), [
    "shop::orders::asks first passed",
    "shop::orders::later skipped",
    "shop::orders::no_refund failed",
  ]);
});

test("a red case has a message for each violation, at its line of YAML", async () => {
  const { events } = await run({ names: ["shop::orders::no_refund"] });
  const [started, failed] = events;
  assert.deepEqual(started, { state: "started", name: "shop::orders::no_refund" });
  assert(failed?.state === "failed" && events.length === 2, JSON.stringify(events));
  const [refund, sorry] = failed.failures;
  assert.match(refund?.message ?? "", /^error\[forbidden_tools\]: `refund` is forbidden/u);
  assert.equal(refund?.file, session.path(FILE));
  assert.deepEqual(refund.position, { line: 9, character: 26 });
  assert.match(sorry?.message ?? "", /^error\[contains\]/u);
  assert.equal(sorry?.position.line, 10);
});

test("an ignored case runs by itself", async () => {
  const { events } = await run({ names: ["shop::orders::later"], includeIgnored: true });
  assert.deepEqual(nameStates(events), ["shop::orders::later passed"]);
});

test("the server marks the lines of a run that another process has made", async () => {
  await session.open(FILE, CASES);
  await run({ names: ["shop::orders::no_refund"] });
  const found = await session.waitForDiagnostics(FILE, (found) => found.length === 2);
  assert.deepEqual(found.map(({ code, range }) => [code, range.start.line]), [["forbidden_tools", 9], ["contains", 10]]);
});

test("the lenses' commands take the file and the name", async () => {
  await session.open(FILE, CASES);
  const argument = { uri: session.uri(FILE), name: "shop::orders::no_refund" };
  const debugged = await session.execute<ListAnswer>("arraign.debugTrace", argument);
  assert.match(debugged.output, /no trace in a file/u);
  const ran = await session.execute<ListAnswer>("arraign.run", argument);
  assert.equal(ran.success, false);
});

test("a folder with a mistake has its message instead of a list", async () => {
  const broken = new Session({ "evals/a.yaml": "tests:\n  - {id: a, expct: []}\n" });
  await broken.start();
  const answer = await broken.execute<ListAnswer>("arraign.list", { uri: broken.uri("evals/a.yaml") });
  assert.throws(() => parseListing(answer.output), /unknown key `expct`/u);
  await broken.end();
});

test("a run that somebody stops ends at once, with the agents that it has started", async () => {
  writeFileSync(session.path("evals/slow.yaml"), SLOW);
  process.env["ARRAIGN_AGENT_MODE"] = "live";
  const stop = new AbortController();
  const started = Date.now();
  const names = ["slow::waits"];
  const onEvent = ({ state }: TrialEvent) => {
    if (state === "started") stop.abort();
  };
  const handlers = { onEvent, onOutput: () => undefined };
  await runTrials(runner, { names, includeIgnored: false, signal: stop.signal }, handlers);
  delete process.env["ARRAIGN_AGENT_MODE"];
  assert(stop.signal.aborted, "the trial has started");
  assert(Date.now() - started < 30_000, `${Date.now() - started} ms`);
});
