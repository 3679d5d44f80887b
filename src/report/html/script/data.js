// What the page holds: the rows of the list, and the verdicts, a line each. The verdicts stand last: the list is there
// before a browser has read them.

const block = (id) => document.getElementById(id).textContent;

const ROWS = JSON.parse(block("rows"));
const RULES = JSON.parse(block("rules"));
let lines = null;
const linesOf = (id) => block(id).slice(1, -1).split("\n");

// What a row is called in an address: half a character has no place there, and a merged run may hold two of a name.
function keyed(rows) {
  const times = new Map();
  for (const row of rows) {
    const name = row.name.replace(/\p{Surrogate}/gu, "\ufffd");
    const nth = (times.get(name) ?? 0) + 1;
    times.set(name, nth);
    row.key = nth > 1 ? `${name} (${nth})` : name;
  }
  return rows;
}

// Those whose trials are listed.
const HARNESSES = new Set(ROWS.map((row) => row.harness).filter(Boolean));

const BY_KEY = new Map(keyed(ROWS).map((row, index) => [row.key, index]));

// The verdict of a row: null where the page does not hold it. It is read when it is asked for.
function verdictOf(index) {
  lines ??= linesOf("verdicts");
  const verdict = lines[index] ? JSON.parse(lines[index]) : null;
  if (verdict) verdict.key = ROWS[index].key;
  verdict?.runs.forEach(readCalls);
  return verdict;
}

// A page holds a call as a list of its values, a report as a mapping.
function readCalls(run) {
  const read = ([name, arguments_, status, turn, written], at) => ({ index: at + 1, name, arguments: arguments_, status, turn, written });
  run.calls = run.calls.map((call, at) => (Array.isArray(call) ? read(call, at) : call));
  return run;
}

// A verdict holds the first calls of a run, and counts the others.
const callCount = (run) => run.calls.length + (run.calls_left_out ?? 0);

// What is searched: all of a row's words, in small letters.
function wordsOf(row) {
  row.words ??= [row.name, row.harness ?? "", row.variant ?? "", row.file, row.claim ?? "", row.description ?? "", ...Object.entries(row.metadata ?? {}).map(([key, value]) => `${key}=${value}`), row.agent?.model ?? "", row.agent?.agent ?? "", ...(row.broken ?? []), ...(row.tags ?? []), ...(row.badges ?? [])].join("\n").toLowerCase();
  return row.words;
}

const RANKS = { error: 0, fail: 0, undecided: 0, quarantined: 1, pass: 2, skipped: 3 };

const most = (figure) => (a, b) => (ROWS[b].agent?.[figure] ?? -1) - (ROWS[a].agent?.[figure] ?? -1) || a - b;

const ORDERS = {
  red: (a, b) => RANKS[ROWS[a].standing] - RANKS[ROWS[b].standing] || a - b,
  run: (a, b) => a - b,
  name: (a, b) => (ROWS[a].name < ROWS[b].name ? -1 : ROWS[a].name > ROWS[b].name ? 1 : a - b),
  score: (a, b) => (ROWS[a].score ?? 2) - (ROWS[b].score ?? 2) || a - b,
  slow: most("ms"), dear: most("usd"), tokens: most("tokens"), calls: most("calls"),
};

// The indices of the rows that hold all words and stand as one of `standings` (any, without `standings`).
function found(words, standings, order) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (row) => (!standings.size || standings.has(row.standing)) && wanted.every((word) => wordsOf(row).includes(word));
  const indices = [];
  ROWS.forEach((row, index) => fits(row) && indices.push(index));
  return indices.sort(ORDERS[order] ?? ORDERS.red);
}
