// One case in two runs: what the agent did then and now, call by call and answer by answer.

// More pairs than this are compared one by one, since an alignment would take a second.
const ALIGNED = 400000;

// The pairs of an alignment with the fewest edits; one side of a pair is null where the other has nothing like it. Equal
// entries cost nothing, similar ones one edit, and others stand alone.
function aligned(old, now, cost) {
  if (old.length * now.length > ALIGNED) return Array.from({ length: Math.max(old.length, now.length) }, (_, at) => [old[at] ?? null, now[at] ?? null]);
  const width = now.length + 1;
  const costs = new Float64Array((old.length + 1) * width);
  // From the end, so that the walk below goes forward.
  for (let i = old.length; i >= 0; i--) {
    for (let j = now.length; j >= 0; j--) {
      const skip = Math.min(i < old.length ? costs[(i + 1) * width + j] + 1 : Infinity, j < now.length ? costs[i * width + j + 1] + 1 : Infinity);
      const both = i < old.length && j < now.length ? costs[(i + 1) * width + j + 1] + cost(old[i], now[j]) : Infinity;
      costs[i * width + j] = i === old.length && j === now.length ? 0 : Math.min(skip, both);
    }
  }
  const pairs = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const here = costs[i * width + j];
    if (i < old.length && j < now.length && here === costs[(i + 1) * width + j + 1] + cost(old[i], now[j])) pairs.push([old[i++], now[j++]]);
    else if (i < old.length && here === costs[(i + 1) * width + j] + 1) pairs.push([old[i++], null]);
    else pairs.push([null, now[j++]]);
  }
  return pairs;
}

const sameCall = (a, b) => a.name === b.name && a.arguments === b.arguments && a.status === b.status;
const callCost = (a, b) => (sameCall(a, b) ? 0 : a.name === b.name ? 1 : Infinity);
const wordCost = (a, b) => (a === b ? 0 : Infinity);

// A text with what the other one does not have marked. `side` is 0 for the earlier text.
function markedText(pairs, side) {
  const parts = [];
  for (const pair of pairs) {
    if (pair[side] === null) continue;
    const differs = pair[0] !== pair[1];
    if (parts.at(-1)?.differs === differs) parts.at(-1).text += pair[side];
    else parts.push({ differs, text: pair[side] });
  }
  return parts.map(({ differs, text }) => (differs && text.trim() ? el("mark", { class: side ? "now" : "then" }, text) : text));
}

function sidesOf(old, now) {
  const words = [old, now].map((text) => text.match(/\s+|[^\s]+/g) ?? []);
  const pairs = aligned(...words, wordCost);
  return [0, 1].map((side) => markedText(pairs, side));
}

function callSide(verdict, run, call, text, side) {
  if (!call) return el("td", { role: "cell", class: "none", "data-name": side ? "Now" : "Before" }, "no such call");
  const name = el("code", {}, call.name);
  const title = side ? el("a", { href: linkTo(verdict.key, `/call/${run + 1}/${call.index}`) }, name) : name;
  return el("td", { role: "cell", "data-name": side ? "Now" : "Before" }, title, call.status === "error" && el("span", { class: "state error" }, " failed"),
    el("div", { class: "arguments" }, text));
}

function callPair(verdict, run, [then, now]) {
  const same = then && now && sameCall(then, now);
  const texts = then && now && !same ? sidesOf(indented(then.arguments), indented(now.arguments)) : [then?.arguments, now?.arguments];
  const word = same ? "same" : then && now ? "changed" : then ? "only before" : "only now";
  return el("tr", { role: "row", class: same ? "same" : "differs" }, el("th", { role: "rowheader" }, word),
    callSide(verdict, run, then, texts[0], 0), callSide(verdict, run, now, texts[1], 1));
}

function besideTable(name, rows) {
  const head = ["", "Before", "Now"].map((title) => (title ? el("th", { role: "columnheader" }, title) : el("td", { role: "cell" })));
  const body = el("tbody", { role: "rowgroup" });
  const table = el("table", { role: "table", class: "beside", "aria-label": name }, el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, head)), body);
  return [table, body];
}

function pairOfRuns(verdict, then, now, run) {
  const [figures, figureRows] = besideTable("What the agent used", null);
  const facts = [["model", (one) => one.model], ["calls", (one) => String(callCount(one))], ["tokens", (one) => one.usage && COMPACT.format(one.usage.input_tokens + one.usage.output_tokens)],
    ["cost", (one) => (one.cost_usd === undefined ? undefined : dollars(one.cost_usd))], ["latency", (one) => (one.duration_ms === undefined ? undefined : duration(one.duration_ms))]];
  for (const [name, value] of facts) {
    const sides = [value(then), value(now)];
    if (sides.some(Boolean)) figureRows.append(el("tr", { role: "row", class: sides[0] === sides[1] ? "same" : "differs" }, el("th", { role: "rowheader" }, name),
      sides.map((text, side) => el("td", { role: "cell", "data-name": side ? "Now" : "Before" }, text ?? "not recorded"))));
  }
  const [calls, callRows] = besideTable("Calls");
  const drawn = portions(callRows, aligned(then.calls, now.calls, callCost), 100, (pair) => callPair(verdict, run, pair));
  const answers = [then, now].map((one) => one.details?.answer ?? one.answer ?? "");
  const [answer, answerRows] = besideTable("Answers");
  answerRows.append(el("tr", { role: "row", class: answers[0] === answers[1] ? "same" : "differs" }, el("th", { role: "rowheader" }, answers[0] === answers[1] ? "same answer" : "answer"),
    sidesOf(...answers).map((text, side) => el("td", { role: "cell", class: "words", "data-name": side ? "Now" : "Before" }, answers[side] ? text : "no answer"))));
  return [figures, then.calls.length + now.calls.length > 0 && [calls, drawn.slice(1)], answer];
}

// The section of a case that is compared.
function besideOf(verdict, index) {
  const runs = other?.runsOf(index);
  if (!runs) return [];
  const heading = el("h2", { id: "beside", tabindex: "-1" }, `Beside ${other.name}`);
  if (runs === "same") return [heading, el("p", { class: "quiet" }, "The agent made the same calls and gave the same answer.")];
  runs.forEach(readCalls);
  const pairs = Array.from({ length: Math.min(runs.length, verdict.runs.length) }, (_, at) => at);
  const draw = (run) => el("div", {}, pairs.length > 1 && el("h3", {}, `Run ${run + 1}`), pairOfRuns(verdict, runs[run], verdict.runs[run], run));
  const uneven = runs.length !== verdict.runs.length && el("p", { class: "quiet" }, `${counted(runs.length, "run")} before, ${verdict.runs.length} now.`);
  return [heading, uneven, pairs.length > 0 && portions(el("div", {}), pairs, 5, draw)];
}
