// The columns of the list, and the list in groups: by model, by agent, by file or by what the metadata of cases say.

// What the agent used. A column that no case has a figure for is left out.
const FIGURES = [
  ["calls", "Calls", (value) => number(Math.round(value * 10) / 10)],
  ["tokens", "Tokens", (value) => COMPACT.format(value)],
  ["usd", "Cost", dollars],
  ["ms", "Latency", duration],
].filter(([key]) => ROWS.some((row) => row.agent?.[key] !== undefined));

const HAS_MODELS = ROWS.some((row) => row.agent?.model);

const HAS_VARIANTS = ROWS.some((row) => row.variant);

// Only scorecards make a score.
const HAS_SCORES = ROWS.some((row) => row.score !== undefined);

// The metadata by which cases can be grouped, and filtered by a click on a group.
const MOST_KEYS = 20;
const METADATA = [...new Set(ROWS.flatMap((row) => Object.keys(row.metadata ?? {})))].sort().slice(0, MOST_KEYS);

const GROUPS = {
  ...(HAS_VARIANTS && { variant: (row) => row.variant ?? "no variant" }),
  model: (row) => row.agent?.model ?? "no model recorded",
  agent: (row) => row.agent?.agent ?? "no agent recorded",
  file: (row) => row.file,
  ...Object.fromEntries(METADATA.map((key) => [`metadata.${key}`, (row) => row.metadata?.[key] ?? `no ${key}`])),
};

function headOfTable(first, second) {
  const names = [[first], [second], HAS_VARIANTS && second === "Case" && ["Variant"], HAS_MODELS && second === "Case" && ["Model"], HAS_SCORES && ["Score", "number"], ...FIGURES.map(([key, title]) => [title, `number ${key}`])];
  return el("tr", { role: "row" }, names.filter(Boolean).map(([name, kind]) => el("th", { role: "columnheader", class: kind }, name)));
}

function meanOf(rows, value) {
  const values = rows.map(value).filter((one) => one !== undefined);
  return values.length ? values.reduce((sum, one) => sum + one, 0) / values.length : undefined;
}

// A cell with its name, which a narrow screen shows in place of the head of the table.
function figureCell(key, name, text) {
  return el("td", { role: "cell", class: `number ${key}`, "data-name": name }, text);
}

function figureCells(value) {
  return FIGURES.map(([key, title, shown]) => figureCell(key, title, value(key) === undefined ? "" : shown(value(key))));
}

// One group: how many of its cases passed, and the means of their figures.
function groupRow(name, rows, go) {
  const ran = rows.filter((row) => row.standing !== "skipped");
  const passed = ran.filter((row) => row.standing === "pass").length;
  const score = meanOf(ran, (row) => row.score);
  return el("tr", { role: "row" },
    el("td", { role: "cell", class: "share" }, ran.length ? [`${passed} of ${ran.length} passed`, bar(passed / ran.length, "pass")] : `${rows.length} skipped`),
    el("td", { role: "cell" }, el("button", { type: "button", class: "link", title: `Show only ${name}`, onclick: go }, breakable(name))),
    HAS_SCORES && figureCell("score", "Score", score === undefined ? "" : percent(score)),
    figureCells((key) => meanOf(ran, (row) => row.agent?.[key])));
}

// The rows of each group, those with the most red ones first.
function grouped(indices, groupOf) {
  const groups = new Map();
  for (const index of indices) {
    const name = groupOf(ROWS[index]);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(index);
  }
  const red = (list) => list.filter((index) => RANKS[ROWS[index].standing] === 0).length;
  return [...groups].map(([name, list]) => [name, list, red(list)]).sort((a, b) => b[2] - a[2] || (a[0] < b[0] ? -1 : 1));
}
