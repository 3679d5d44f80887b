// Drives yaml-language-server over its protocol, as an editor does.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const server = spawn(process.execPath, [process.argv[2], "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
const url = (path) => pathToFileURL(resolve(path)).href;
const schemas = {
  [url("docs/arraign.schema.json")]: "evals/**/*.yaml",
  [url("docs/arraign-workspace.schema.json")]: "evals/arraign.yaml",
};
const settings = { yaml: { schemas: {}, validate: true, hover: true, completion: true, schemaStore: { enable: false } } };

let buffer = Buffer.alloc(0);
let last = 0;
const answers = new Map();
const diagnosed = new Map();

server.stdout.on("data", (data) => {
  buffer = Buffer.concat([buffer, data]);
  for (;;) {
    const end = buffer.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(buffer.subarray(0, end).toString())[1]);
    if (buffer.length < end + 4 + length) return;
    take(JSON.parse(buffer.subarray(end + 4, end + 4 + length).toString()));
    buffer = buffer.subarray(end + 4 + length);
  }
});

function take(message) {
  if (message.method === "workspace/configuration") {
    const of = (item) => (item.section === "yaml" ? settings.yaml : {});
    send({ id: message.id, result: message.params.items.map(of) });
  } else if (message.method === "textDocument/publishDiagnostics") {
    diagnosed.get(message.params.uri)?.(message.params.diagnostics);
  } else if (message.method && message.id !== undefined) {
    send({ id: message.id, result: null });
  } else if (answers.has(message.id)) {
    answers.get(message.id)(message.result);
  }
}

function send(message) {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function ask(method, params) {
  const id = ++last;
  send({ id, method, params });
  return new Promise((done) => answers.set(id, done));
}

/** Opens `text`, in which `|` is the cursor, and says what the server marks in it. */
async function open(name, text, schema = "docs/arraign.schema.json") {
  return openAt(url(`evals/${name}.yaml`), `# yaml-language-server: $schema=${url(schema)}\n${text}`);
}

async function openAt(uri, full) {
  const at = full.indexOf("|");
  const before = full.slice(0, Math.max(at, 0)).split("\n");
  const position = { line: before.length - 1, character: before.at(-1).length };
  const marks = new Promise((done) => diagnosed.set(uri, done));
  const document = { uri, languageId: "yaml", version: 1, text: full.replace("|", "") };
  send({ method: "textDocument/didOpen", params: { textDocument: document } });
  return { place: { textDocument: { uri }, position }, marks: await marks };
}

async function completes(name, text, ...wanted) {
  const { place } = await open(name, text);
  const { items } = await ask("textDocument/completion", place);
  const labels = items.map((item) => item.label);
  for (const label of wanted) assert(labels.includes(label), `${name}: no ${label} among ${labels}`);
  return items;
}

async function lacks(name, text, ...unwanted) {
  const items = await completes(name, text);
  const labels = items.map((item) => item.label).filter((label) => unwanted.includes(label));
  assert.deepEqual(labels, [], name);
}

async function shows(name, text, wanted) {
  const { place } = await open(name, text);
  const hover = await ask("textDocument/hover", place);
  const shown = JSON.stringify(hover?.contents ?? null);
  assert(shown.includes(wanted), `${name}: ${shown}`);
}

/** The one mark in `text` says `wanted` of the text under it. */
async function marks(name, text, under, wanted, schema) {
  const { marks } = await open(name, text, schema);
  assert.equal(marks.length, 1, `${name}: ${JSON.stringify(marks)}`);
  const [{ message, range }] = marks;
  const line = `\n${text}`.split("\n")[range.start.line];
  assert.equal(line.slice(range.start.character, range.end.character), under, `${name}: ${message}`);
  assert(message.includes(wanted), `${name}: ${message}`);
}

async function isClean(name, text, schema) {
  const { marks } = await open(name, text, schema);
  assert.deepEqual(marks, [], name);
}

const client = {
  workspace: { configuration: true },
  textDocument: {
    hover: { contentFormat: ["markdown"] },
    completion: { completionItem: { snippetSupport: true } },
  },
};
await ask("initialize", { processId: process.pid, rootUri: url("."), capabilities: client });
send({ method: "initialized", params: {} });
send({ method: "workspace/didChangeConfiguration", params: { settings } });

const late = setTimeout(() => {
  console.error("the server did not answer within a minute");
  process.exit(1);
}, 60_000);

await completes("keys", "tests:\n  - id: a\n    |", "trace", "metric", "expect", "expected", "eval", "verification");
await completes("metric", "id: a\nmetric: |", "args_valid", "contains", "sequence_valid");
await completes("setting", "id: a\nmetric: contains\n|", "value", "case_sensitive");
await completes("check", "expect:\n  - |", "tool_blocklist", "no_pii");
await completes("suite", "tests: []\n|", "defaults", "gate", "output");
const roots = ["suite", "tests", "defaults", "dataset", "gate", "judge", "prices", "id", "expect"];
await completes("root", "|", ...roots);
await completes("root_word", "te|", ...roots);
await completes("root_started", "suite: a\n|", ...roots.filter((key) => key !== "suite"));
await lacks("root_case", "id: a\n|", "tests", "gate");
await marks("root_typo", "tset: []\n", "tset", "tset");
await isClean("root_empty", "");
await completes("rule", "metric: sequence_valid\nrules:\n  - |", "type");
await completes("rule_of_type", "metric: sequence_valid\nrules:\n  - type: before\n    |", "first", "then");
await lacks("rule_of_type_only", "metric: sequence_valid\nrules:\n  - type: before\n    |", "tool", "within", "pattern");
await marks("rule_key", "metric: sequence_valid\nrules:\n  - {type: before, first: a, then: b, tool: c}\n", "tool", "tool");

// The snippets, with their places filled in, are cases without a mistake.
const snippets = (await completes("snippets", "tests:\n  - |")).filter(({ label }) => label.startsWith("case: "));
assert.equal(snippets.length, 5, snippets.map(({ label }) => label).join());
for (const [number, { label, textEdit }] of snippets.entries()) {
  const text = textEdit.newText.replace(/\$\{\d+:([^}]*)\}/g, "$1").replaceAll("\n", "\n  ");
  await isClean(`snippet_${number}`, `tests:\n  - ${text}\n`);
  assert.match(text, /^id: name\n +trace: traces\/file.json\n +expect:\n/, label);
}
await shows("hover_setting", "id: a\nmetric: contains\nca|se_sensitive: true\n", "letter case counts");
await shows("hover_check", "expect:\n  - tool_bl|ocklist: [rm]\n", "none of these tools is called");
await shows("hover_key", "tests:\n  - {id: a, expe|ct_verdict: fail}\n", "The expected verdict");
await shows("hover_value", "tests:\n  - {id: a, expe|ct_verdict: fail}\n", "Something is violated");
await marks("typo", "tests:\n  - id: a\n    tiimeout: 3s\n    expect: [safe: {}]\n", "tiimeout", "tiimeout");
await marks("typo_metric", "id: a\nmetric: contains\nvalue: x\ncase_sensitiv: true\n", "case_sensitiv", "case_sensitiv");
await marks("typo_check", "expect:\n  - tool_blocklst: [rm]\n", "tool_blocklst", "tool_blocklst");
await marks("type", "id: a\ntier: smok\nexpect: [safe: {}]\n", "smok", "smoke");
await isClean("suite_with_metric", "defaults: {metric: contains}\ntests:\n  - {id: a, value: x, trace: [{say: x}]}\n");
const workspace = "docs/arraign-workspace.schema.json";
await marks("workspace", "weigts: {}\n", "weigts", "weigts", workspace);
await isClean("workspace_clean", "prices: {gpt-4o: {input: 2.5, output: 10}}\n", workspace);

// What `cargo arraign init` writes, in a project that the server knows nothing else of.
const project = mkdtempSync(join(tmpdir(), "arraign-"));
mkdirSync(join(project, "evals"));
copyFileSync("docs/arraign.schema.json", join(project, "arraign.schema.json"));
const first = readFileSync("crates/cargo-arraign/src/init/first.yaml", "utf8");
const { marks: none } = await openAt(url(join(project, "evals/first.yaml")), first);
assert.deepEqual(none, [], "first");
const slip = first.replace("- required_tools", "- requird_tools");
const { marks: one } = await openAt(url(join(project, "evals/slip.yaml")), slip);
assert.equal(one.length, 1, JSON.stringify(one));
assert(one[0].message.includes("requird_tools"), one[0].message);
rmSync(project, { recursive: true });

clearTimeout(late);
server.kill();
console.log("30 claims about the schema in yaml-language-server hold");
