// When each call ran, and the run as a file.

const TIMED = 60;

function timeBar(from, length, whole, wrong) {
  const picture = svg("svg", { class: wrong ? "span fail" : "span", viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" });
  // A call too short to be seen is a stroke.
  picture.append(svg("rect", { x: ((from / whole) * 1000).toFixed(1), width: Math.max(3, (length / whole) * 1000).toFixed(1), height: 10 }));
  return picture;
}

// The calls over time, if their times are recorded.
function waterfallOf(verdict, index, wrong) {
  const run = verdict.runs[index];
  const timed = (run.details?.calls ?? []).filter((call) => call.started_ms !== undefined && call.duration_ms !== undefined);
  if (timed.length < 2) return [];
  const end = Math.max(1, run.duration_ms ?? 0, ...timed.map((call) => call.started_ms + call.duration_ms));
  const row = (call) => el("li", {},
    el("a", { href: linkTo(verdict.key, `/call/${index + 1}/${call.index}`) }, `${call.index} `, breakable(run.calls[call.index - 1]?.name ?? "")),
    timeBar(call.started_ms, call.duration_ms, end, wrong.has(call.index)),
    el("span", { class: "took" }, `${duration(call.duration_ms)} from ${duration(call.started_ms)}`));
  return el("figure", { class: "card waterfall" }, el("figcaption", {}, `Calls over the ${duration(end)} of the run`), portions(el("ol", {}), timed, TIMED, row));
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// A text as it is if it is JSON, whose digits then stay as they are, or as a string.
const written = (text) => (/^\s*[[{]/.test(text) && isJson(text) ? text : JSON.stringify(text));
const mapping = (pairs) => `{${pairs.filter(([, value]) => value !== undefined).map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(", ")}}`;

function callEntry(call, details) {
  const text = details?.arguments ?? call.arguments;
  const arguments_ = isJson(text) ? ["args", text] : ["args_unrecorded", text ? "true" : undefined];
  const outcome = details?.error !== undefined ? ["error", JSON.stringify(details.error)] : ["result", details?.result === undefined ? undefined : written(details.result)];
  return mapping([["call", JSON.stringify(call.name)], ["written", call.written && JSON.stringify(call.written)], ["turn", call.turn],
    arguments_, outcome, ["status", outcome[1] === undefined ? JSON.stringify(call.status) : undefined],
    ["started_ms", details?.started_ms], ["duration_ms", details?.duration_ms]]);
}

// The run in the `native` form, which `cargo arraign explain` and cases read.
function traceOf(run) {
  const details = new Map((run.details?.calls ?? []).map((call) => [call.index, call]));
  const messages = run.details?.messages ?? [];
  const says = { user: "user", assistant: "say", system: "system" };
  const entries = [];
  let said = 0;
  const say = (calls) => {
    for (; said < messages.length && messages[said].after_calls <= calls; said++) {
      const { role, text } = messages[said];
      if (says[role]) entries.push(mapping([[says[role], JSON.stringify(text)]]));
    }
  };
  run.calls.forEach((call, nth) => {
    say(nth);
    entries.push(callEntry(call, details.get(call.index)));
  });
  say(Infinity);
  const answer = run.details?.answer ?? run.answer;
  if (answer !== undefined && answer !== null) entries.push(mapping([["say", JSON.stringify(answer)]]));
  const facts = ["id", "agent", "model", "cost_usd", "duration_ms"].map((key) => [key, run[key] === undefined ? undefined : JSON.stringify(run[key])]);
  const { input_tokens, output_tokens, partial } = run.usage ?? {};
  const usage = run.usage && JSON.stringify({ input_tokens, output_tokens, ...(partial ? { partial } : {}) });
  return mapping([...facts, ["usage", usage], ["steps", `[\n  ${entries.join(",\n  ")}\n]`]]) + "\n";
}

// Gives a text to the reader as a file.
function saveFile(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function saveButton(verdict, index) {
  const name = `${verdict.name.replace(/[^\p{L}\p{N}_-]+/gu, "-")}.json`;
  const save = () => saveFile(name, "application/json", traceOf(verdict.runs[index]));
  return el("button", { type: "button", class: "plain save", onclick: save }, "Save as a trace (JSON)");
}
