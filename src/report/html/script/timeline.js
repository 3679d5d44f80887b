// What the agent did: said and called, in order, with the calls marked that a check complains of.

const STEPS = 200;

// JSON with a line a member. The digits stay as they are: reading a number and writing it again may change it.
function indented(text) {
  if (!/^\s*[[{]/.test(text)) return text;
  let depth = 0;
  const line = () => "\n" + "  ".repeat(Math.max(0, depth));
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"?|[{[]\s*[}\]]|[{}[\],:]|\s+/gs, (token) => {
    if (token === "{" || token === "[") return depth++, token + line();
    if (token === "}" || token === "]") return depth--, line() + token;
    if (token === ",") return token + line();
    if (token === ":") return ": ";
    return /^\s/.test(token) ? "" : token;
  });
}

function textBlock(title, text) {
  return [el("h3", {}, title), el("pre", { class: "text", tabindex: "0" }, indented(text))];
}

// What is complained of in a run: the breaches of each call, by its number.
function complaints(verdict, run) {
  const byCall = new Map();
  breachesOf(verdict).forEach((entry, index) => {
    if (entry.finding.run !== run) return;
    const calls = entry.breach.calls?.length ? entry.breach.calls : [entry.breach.call];
    for (const call of calls) {
      if (call === undefined) continue;
      if (!byCall.has(call)) byCall.set(call, []);
      byCall.get(call).push({ ...entry, index });
    }
  });
  return byCall;
}

function stateOf(call, details) {
  const words = { ok: "worked", error: "failed", unanswered: "no result", unknown: "" };
  const took = details?.duration_ms === undefined ? "" : duration(details.duration_ms);
  return el("span", { class: `state ${call.status}` }, [words[call.status], took].filter(Boolean).join(", "));
}

function callStep(verdict, run, call, details, wrong) {
  const inside = [
    textBlock("Arguments", details?.arguments ?? call.arguments),
    details?.error !== undefined && textBlock("Error", details.error),
    details?.result !== undefined && textBlock("Result", details.result),
    el("p", { class: "quiet" }, `call ${call.index}, turn ${call.turn}`,
      details?.started_ms !== undefined && `, started after ${duration(details.started_ms)}`),
  ];
  const accused = wrong.map(({ finding, breach, index }) =>
    el("p", { class: "accuse" }, el("a", { href: linkTo(verdict.key, `/violation/${index + 1}`) }, finding.metric), ": ", sentence(breach.message)));
  return el("li", { class: wrong.length ? "step wrong" : "step", id: `call-${run}-${call.index}` },
    el("span", { class: "dot", "aria-hidden": "true" }, call.index),
    // What a check complains of is read with what the call returned.
    el("details", { class: "call", open: wrong.length > 0 },
      el("summary", {}, el("span", { class: "tool", title: call.written }, call.name), el("span", { class: "preview" }, call.arguments), stateOf(call, details)),
      el("div", {}, inside)),
    details?.error !== undefined && el("p", { class: "reason" }, details.error.split("\n")[0].slice(0, 300)),
    accused);
}

// What was said. A text of many lines scrolls, so the keyboard must reach it. A narrow screen has about 30 letters a line.
function saidText(text) {
  const lines = plain(text).split("\n").reduce((count, line) => count + 1 + Math.floor(line.length / 30), 0);
  return el("div", { class: "words", tabindex: lines > 10 && "0" }, text);
}

function saidStep(who, words) {
  return el("li", { class: "step" }, el("span", { class: "dot", "aria-hidden": "true" }, "·"),
    el("div", { class: "said" }, el("span", { class: "who" }, who), saidText(words)));
}

function answerStep(answer) {
  return el("li", { class: "step" }, el("span", { class: "dot", "aria-hidden": "true" }, "✎"),
    el("div", { class: "answer said" }, el("span", { class: "who" }, "Final answer"), saidText(answer)));
}

// The steps of a run, as functions that make them: a long run is drawn in portions.
function stepsOf(verdict, index) {
  const run = verdict.runs[index];
  const wrong = complaints(verdict, index);
  const details = new Map((run.details?.calls ?? []).map((call) => [call.index, call]));
  const messages = run.details?.messages ?? [];
  const who = { user: "User", assistant: "Agent", system: "Instructions" };
  const steps = [];
  let said = 0;
  const say = (calls) => {
    for (; said < messages.length && messages[said].after_calls <= calls; said++) {
      const message = messages[said];
      steps.push({ draw: () => saidStep(who[message.role] ?? message.role, message.text) });
    }
  };
  run.calls.forEach((call, nth) => {
    say(nth);
    steps.push({ call: call.index, draw: () => callStep(verdict, index, call, details.get(call.index), wrong.get(call.index) ?? []) });
  });
  if (run.calls_left_out) steps.push({ draw: () => el("li", { class: "step quiet" }, `${counted(run.calls_left_out, "more call")}: the trace holds them.`) });
  say(Infinity);
  const answer = run.details?.answer ?? run.answer;
  if (answer !== undefined && answer !== null) steps.push({ draw: () => answerStep(answer) });
  return steps;
}

function runFacts(run) {
  const place = run.file ?? (run.format === "live" ? "from the agent" : "in the case");
  const facts = [`${place} (${run.format})`, run.id && `run ${run.id}`, run.agent, run.model, counted(callCount(run), "call"),
    run.duration_ms !== undefined && duration(run.duration_ms),
    run.usage && `${run.usage.input_tokens.toLocaleString("en")} tokens in, ${run.usage.output_tokens.toLocaleString("en")} out`,
    run.cost_usd !== undefined && dollars(run.cost_usd), run.details?.stop_reason && `ended: ${run.details.stop_reason}`];
  return facts.filter(Boolean).join(" · ");
}

// What the run did to the files of its workspace.
function workspaceList({ files, lines, ignored, changes = [], notes = [], path }) {
  const more = files - changes.length;
  const head = `${counted(files, "file")} changed, ${counted(lines, "line")}${ignored ? `; ${counted(ignored, "file")} that .gitignore ignores` : ""}`;
  const entries = [...changes.map((file) => `${file.path} (${file.change})`), more > 0 && `and ${more} more`, ...notes, path && `kept in ${path}`];
  return el("details", { class: "workspace" }, el("summary", {}, head),
    el("ul", {}, ...entries.filter(Boolean).map((entry) => el("li", {}, entry))));
}

function timeline(verdict, index) {
  const steps = stepsOf(verdict, index);
  const marks = steps.map((step, at) => [step.call, at]).filter(([call]) => call !== undefined);
  const list = el("ol", { class: "timeline", id: `run-${index}` });
  const drawn = portions(list, steps, STEPS, (step) => step.draw());
  const places = new Map(marks);
  // The step of a call, drawn if it was not.
  list.callStep = (call) => list.reach(places.get(call) ?? 0);
  const run = verdict.runs[index];
  return [el("div", { class: "run-head" }, el("span", {}, runFacts(run)), !run.calls_left_out && saveButton(verdict, index)),
    run.workspace && workspaceList(run.workspace),
    waterfallOf(verdict, index, complaints(verdict, index)),
    run.details?.cut && el("p", { class: "quiet" }, "Some texts are left out: the trace holds them."),
    steps.length ? drawn : el("p", { class: "quiet" }, "The run holds no call and no answer.")];
}

function runsOf(verdict) {
  if (verdict.runs.length === 1) return [el("h2", {}, "What the agent did"), timeline(verdict, 0)];
  if (!verdict.runs.length) return [];
  const wrong = new Set(verdict.findings.filter((finding) => finding.status !== "pass" && !finding.of_all_runs).map((finding) => finding.run));
  const first = verdict.runs.findIndex((_, index) => wrong.has(index));
  const folded = (run, index) => {
    const word = wrong.has(index) ? standing("fail", "not fine") : standing("pass", "fine");
    const fold = el("details", { class: "fold", id: `fold-${index}` }, el("summary", {}, `Run ${index + 1} of ${verdict.runs.length} `, word));
    // A run is drawn when it is opened.
    const draw = () => fold.children.length === 1 && fill(fold, [timeline(verdict, index)]);
    fold.addEventListener("toggle", () => fold.open && draw());
    fold.draw = draw;
    if (index === Math.max(0, first)) {
      fold.open = true;
      draw();
    }
    return fold;
  };
  return [el("h2", {}, "What the agent did"), portions(el("div", { id: "runs" }), verdict.runs, 50, folded)];
}
