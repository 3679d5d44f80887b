// The parts of the logic that need no server.

import assert from "node:assert/strict";
import { test } from "node:test";

import { readEvent, splitFailures } from "../src/events";
import { buildTree, parseListing, type Trial } from "../src/listing";
import { findRoots, isCaseFile } from "../src/roots";
import { splitNames } from "../src/runner";

const PLACE = { line: 0, character: 0 };

function makeTrial(name: string, file: string): Trial {
  return { name, ignored: undefined, file, start: PLACE, end: PLACE, tags: [] };
}

test("trials of several files stand below the parts of their names", () => {
  const trials = [makeTrial("a::x", "/a.yaml"), makeTrial("a::b::y", "/a/b.yaml"), makeTrial("a::x::run_1", "/a.yaml")];
  const a = buildTree(trials).get("a");
  assert.equal(a?.file, undefined);
  assert.deepEqual([...(a?.children.keys() ?? [])], ["x", "b"]);
  const x = a?.children.get("x");
  assert.deepEqual([x?.trial?.name, x?.children.get("run_1")?.trial?.name], ["a::x", "a::x::run_1"]);
});

test("what a program prints instead of a list is the error", () => {
  assert.throws(() => parseListing("error: no test target named `evals`\n"), /no test target/u);
  assert.throws(() => parseListing(""), /empty/u);
});

test("lines that are no events of trials are left out", () => {
  assert.equal(readEvent("   Compiling shop v0.1.0", "/"), undefined);
  assert.equal(readEvent('{ "type": "suite", "event": "started", "test_count": 2 }', "/"), undefined);
  assert.equal(readEvent("{broken", "/"), undefined);
  assert.deepEqual(readEvent('{"type":"test","event":"ok","name":"a"}', "/"), { state: "passed", name: "a" });
});

test("a text without a place is one failure", () => {
  assert.deepEqual(splitFailures('Error: "\nit broke\n"\n', "/"), [{ message: "it broke", file: undefined, position: PLACE }]);
  assert.equal(splitFailures("", "/")[0]?.message, "the trial failed without a message");
});

test("the nearest folder with settings has the cases, or else the nearest `evals`", () => {
  const files = ["/w/evals/a.yaml", "/w/evals/sub/b.yaml", "/w/checks/arraign.yaml", "/w/checks/evals/c.yaml", "/w/x.yaml"];
  assert.deepEqual(findRoots(files), ["/w/checks", "/w/evals"]);
  assert(isCaseFile("/w/evals/a.jsonl") && !isCaseFile("/w/target/arraign/a.json") && !isCaseFile("/w/evals/cases.rs"));
});

test("names are split where a command line ends", () => {
  const names = Array.from({ length: 10_000 }, (_, number) => `suite::case_${number}`);
  const parts = splitNames(names);
  assert.deepEqual(parts.flat(), names);
  assert(parts.length > 5 && parts.every((part) => part.join("   ").length < 26_000), `${parts.length}`);
  assert.deepEqual(splitNames([]), []);
});
