// This run beside another one: the one that the page was told of, or one whose report a person chooses, `report.html` or
// `report.json`. The file is read where it lies; nothing leaves the browser.

const COMPARED = 10;

// A score that moved by less than this is shown as the same number.
const MOVED = 0.0005;

const CHANGES = { regressed: "Passed before, not now", improved: "Passes now", changed: "Changed", new: "New", not_run: "Not run" };

// What is compared with: its name, and the runs of a row. Null as long as nothing is.
let other = null;

// The text of a block of data in another page, in which no `<` can stand.
function blockIn(page, id) {
  const at = page.indexOf(`id="${id}">`);
  return at < 0 ? "" : page.slice(at + `id="${id}">`.length, page.indexOf("<", at));
}

// The rows of a page or of a report, each with its line: the verdict as it is written there.
function rowsIn(text) {
  if (text.includes('id="rows">')) {
    const lines = blockIn(text, "verdicts").slice(1, -1).split("\n");
    return JSON.parse(blockIn(text, "rows")).map((row, index) => ({ ...row, read: () => (lines[index] ? JSON.parse(lines[index]) : null) }));
  }
  return JSON.parse(text).verdicts.map((verdict) => {
    const { name, harness, status, passed, earlier_attempts, statistics } = verdict;
    // As in the rows of this page: a share of checks is no score, and neither is the zero of a trial that broke off.
    const score = verdict.scorecards?.length && !verdict.errors?.length ? verdict.score : undefined;
    const claim = passed ? undefined : verdict.findings.flatMap((finding) => finding.violations)[0]?.message ?? verdict.errors?.[0]?.message;
    return {
      name, harness, score, claim, standing: passed ? "pass" : status === "error" || status === "undecided" ? status : "fail",
      badges: earlier_attempts?.length || (statistics?.passed && statistics.failed) ? ["flaky"] : [], read: () => structuredClone(verdict),
    };
  });
}

// Two test targets may have trials of one name.
const idOf = ({ name, harness }) => `${harness ?? ""}\n${name}`;
const ran = (rows) => new Map(rows.filter((row) => row.standing !== "skipped").map((row) => [idOf(row), row]));
// A quarantined failure is a failure of the agent.
const seen = (row) => row && { standing: row.standing === "quarantined" ? "fail" : row.standing, score: row.score, flaky: row.badges?.includes("flaky") };
const NOW = ran(ROWS);
const isFlaky = ({ before, after }) => before?.flaky || after?.flaky;

function changeOf(before, after) {
  if (!before) return "new";
  if (!after) return "not_run";
  const [was, is] = [before, after].map((side) => side.standing === "pass");
  if (was !== is) return is ? "improved" : "regressed";
  const moved = Math.abs((after.score ?? 0) - (before.score ?? 0)) >= MOVED;
  return before.standing !== after.standing || moved ? "changed" : "same";
}

// The trials that changed from `rows`, and those that are flaky.
function comparedWith(rows) {
  const [old, now] = [ran(rows), NOW];
  const trials = [...new Set([...now.keys(), ...old.keys()])].map((id) => {
    const { name, harness } = now.get(id) ?? old.get(id);
    const [before, after] = [seen(old.get(id)), seen(now.get(id))];
    return { name, harness, change: changeOf(before, after), before, after };
  });
  return trials.filter((trial) => trial.change !== "same" || isFlaky(trial));
}

// Why it is red: now, or in the other run.
function claimOf({ before, after }, row) {
  if (row?.claim && after?.standing !== "pass") return el("div", { class: "claim" }, sentence(row.claim));
  return before?.claim && el("div", { class: "claim" }, "before: ", sentence(before.claim));
}

function trialOf(trial) {
  const row = NOW.get(idOf(trial));
  const name = row ? el("a", { href: linkTo(row.key, trial.before ? "/beside" : "") }, nameOf(trial.name)) : el("span", {}, nameOf(trial.name));
  const harness = HARNESSES.size > 1 && trial.harness && el("span", { class: "tag" }, trial.harness);
  const side = (of) => of && [standing(of.standing), of.score !== undefined && ` ${percent(of.score)}`, of.flaky && " flaky"];
  const { before, after } = trial;
  return el("li", {}, el("span", {}, name, harness), el("span", { class: "sides" }, side(before), before && after && " → ", side(after)),
    claimOf(trial, row));
}

// What passed before and does not now stands open; the rest is unfolded by who wants it.
function comparison(trials, leftOut) {
  const kinds = Object.entries(CHANGES).map(([change, title]) => [change, title, trials.filter((trial) => trial.change === change)]);
  kinds.push(["flaky", "Flaky", trials.filter(isFlaky)]);
  const body = kinds.filter(([, , list]) => list.length).map(([kind, title, list]) => el("details", { class: kind, open: kind === "regressed" },
    el("summary", {}, el("h3", {}, `${title}: ${list.length}`)), portions(el("ul", { class: "compared" }), list, COMPARED, trialOf)));
  if (!body.length) return el("p", {}, "Every case ended as it did there, with the same score.");
  return [body, leftOut > 0 && el("p", { class: "quiet" }, `and ${leftOut} more`)];
}

function showComparison(name, trials, leftOut = 0) {
  const close = el("button", { type: "button", class: "plain", onclick: () => (byId("comparison").hidden = true) }, "Close");
  return tell([el("h2", {}, `Compared with ${name}`), close], comparison(trials, leftOut));
}

function tell(heading, body) {
  const section = byId("comparison");
  section.hidden = false;
  section.replaceChildren();
  fill(section, [el("div", { class: "head" }, heading), body]);
  return section;
}

// What a person has asked for is what they look at next.
function goToComparison(section) {
  section.scrollIntoView();
  section.focus({ preventScroll: true });
}

function startComparison() {
  const told = JSON.parse(block("compared"));
  if (told) {
    // The runs stand behind this script: they are read when a case is opened.
    let lines = null;
    other = { name: told.name, runsOf: (index) => JSON.parse((lines ??= linesOf("earlier"))[index] || "null") };
    showComparison(told.name, told.trials, told.left_out);
  }
  const input = byId("other");
  byId("compare").hidden = false;
  byId("compare").addEventListener("click", () => input.click());
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (!file) return;
    try {
      const rows = rowsIn(await file.text());
      const trials = comparedWith(rows);
      const old = ran(rows);
      other = { name: file.name, runsOf: (index) => old.get(idOf(ROWS[index]))?.read()?.runs ?? null };
      goToComparison(showComparison(file.name, trials));
    } catch {
      goToComparison(tell([el("h2", {}, "Not compared")], el("p", { class: "notice" }, `${file.name} holds no report: choose a report.html or a report.json.`)));
    }
    input.value = "";
  });
}
