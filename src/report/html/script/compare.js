// This run against another one, whose report a person chooses: `report.html` or `report.json`. The file is read where
// it lies; nothing leaves the browser.

const COMPARED = 50;

// A score that moved by less than this is shown as the same number.
const MOVED = 0.0005;

// The rows of a page, in which no other character like this can stand, or of the verdicts.
function rowsIn(text) {
  const at = text.indexOf('id="rows">');
  if (at >= 0) return JSON.parse(text.slice(at + 'id="rows">'.length, text.indexOf("<", at)));
  return JSON.parse(text).verdicts.map(({ name, status, passed, score }) => ({
    name, score, standing: passed ? "pass" : status === "error" || status === "undecided" ? status : "fail",
  }));
}

const ran = (rows) => new Map(keyed(rows).filter((row) => row.standing !== "skipped").map((row) => [row.key, row]));

// What changed from `before`, by kind.
function comparedWith(before) {
  const [old, now] = [ran(before), ran(ROWS)];
  const changes = { worse: [], better: [], moved: [], added: [], gone: [] };
  for (const [key, row] of now) {
    const was = old.get(key);
    const passed = [was?.standing, row.standing].map((standing) => standing === "pass");
    if (!was) changes.added.push({ key, row });
    else if (passed[0] !== passed[1]) changes[passed[1] ? "better" : "worse"].push({ key, row, was });
    else if (Math.abs((row.score ?? 0) - (was.score ?? 0)) >= MOVED) changes.moved.push({ key, row, was });
  }
  for (const [key, was] of old) if (!now.has(key)) changes.gone.push({ key, was });
  return changes;
}

function changeOf({ key, row, was }) {
  const name = row ? el("a", { href: linkTo(key) }, nameOf(row.name)) : el("span", {}, nameOf(was.name));
  const side = (of) => of && [standing(of.standing), of.score !== undefined && ` ${percent(of.score)}`];
  return el("li", {}, name, el("span", { class: "sides" }, side(was), was && row && " → ", side(row)));
}

function showComparison(file, changes) {
  const titles = { worse: "Passed before, not now", better: "Passes now", moved: "Other score", added: "New", gone: "Gone" };
  const kinds = Object.entries(changes).filter(([, list]) => list.length);
  const close = el("button", { type: "button", class: "plain", onclick: () => (byId("comparison").hidden = true) }, "Close");
  const body = kinds.map(([kind, list]) => el("div", { class: kind }, el("h3", {}, `${titles[kind]}: ${list.length}`),
    portions(el("ul", { class: "compared" }), list, COMPARED, changeOf)));
  tell([el("h2", {}, `Compared with ${file}`), close], body.length ? body : el("p", {}, "Every case ended as it did there, with the same score."));
}

function tell(heading, body) {
  const section = byId("comparison");
  section.hidden = false;
  section.replaceChildren();
  fill(section, [el("div", { class: "head" }, heading), body]);
  section.scrollIntoView();
  section.focus({ preventScroll: true });
}

function startComparison() {
  const input = byId("other");
  byId("compare").hidden = false;
  byId("compare").addEventListener("click", () => input.click());
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (!file) return;
    try {
      showComparison(file.name, comparedWith(rowsIn(await file.text())));
    } catch {
      tell([el("h2", {}, "Not compared")], el("p", { class: "notice" }, `${file.name} holds no report: choose a report.html or a report.json.`));
    }
    input.value = "";
  });
}
