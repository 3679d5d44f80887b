// The list of cases: filter, order, and one page of it. What is asked stands in the address, so that it can be sent.

const PAGE = 100;
const MOST_GROUPS = 100;
const list = { words: "", standings: new Set(), order: "red", group: "", only: "", page: 1, indices: ROWS.map((_, index) => index) };

const byId = (id) => document.getElementById(id);

function linkTo(key, rest = "") {
  return `#/case/${encodeURIComponent(key)}${rest}`;
}

// Half a character has no place in an address.
function wellFormed(text) {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

function listAddress() {
  const query = new URLSearchParams();
  if (list.words) query.set("q", wellFormed(list.words));
  if (list.standings.size) query.set("is", [...list.standings].join(","));
  if (list.order !== "red") query.set("order", list.order);
  if (list.group) query.set("group", list.group);
  if (list.only) query.set("only", wellFormed(list.only));
  if (list.page > 1) query.set("page", list.page);
  const text = query.toString();
  return text ? `#/?${text}` : "#/";
}

function readAddress(text) {
  const query = new URLSearchParams(text);
  list.words = query.get("q") ?? "";
  list.standings = new Set((query.get("is") ?? "").split(",").filter(Boolean));
  list.order = Object.hasOwn(ORDERS, query.get("order") ?? "") ? query.get("order") : "red";
  list.group = Object.hasOwn(GROUPS, query.get("group") ?? "") ? query.get("group") : "";
  list.only = (list.group && query.get("only")) || "";
  list.page = Math.max(1, Number.parseInt(query.get("page") ?? "1", 10) || 1);
}

function nameOf(name) {
  const at = name.lastIndexOf("::") + 2;
  return at > 1 && at < name.length ? [el("span", { class: "path" }, breakable(name.slice(0, at))), el("wbr"), breakable(name.slice(at))] : [breakable(name)];
}

function badges(row) {
  const badge = (text, kind) => el("span", { class: kind ? `tag ${kind}` : "tag" }, text);
  const harness = HARNESSES.size > 1 && row.harness && badge(row.harness);
  return [harness, (row.badges ?? []).map((text) => badge(text, text === "hard gate" && "gate")), (row.tags ?? []).slice(0, 6).map((tag) => badge(tag))];
}

// The results of the trial in its last runs: a pass is a low bar.
function sparklineOf(past) {
  const names = { ".": "pass", F: "fail", E: "error", "?": "undecided" };
  const bars = [...past].map((letter, at) => svg("rect", { class: names[letter], x: at * 4, width: 3, y: letter === "." ? 8 : 0, height: letter === "." ? 4 : 12 }));
  const label = `the last ${counted(past.length, "run")}: ${[...past].filter((letter) => letter === ".").length} passed`;
  return svg("svg", { class: "past", role: "img", "aria-label": label, width: past.length * 4, height: 12 }, ...bars);
}

function rowOf(index) {
  const row = ROWS[index];
  const name = row.standing === "skipped" ? el("span", {}, nameOf(row.name)) : el("a", { href: linkTo(row.key) }, nameOf(row.name));
  const score = row.score === undefined ? "" : [percent(row.score), bar(row.score, row.standing)];
  const runs = row.agent?.runs > 1 && el("span", { class: "tag" }, counted(row.agent.runs, "run"));
  return el("tr", { role: "row" },
    el("td", { role: "cell" }, standing(row.standing)),
    el("td", { role: "cell" }, name, badges(row), runs, row.past && sparklineOf(row.past), row.description && el("div", { class: "quiet" }, row.description), row.claim && el("div", { class: "claim" }, sentence(row.claim))),
    HAS_VARIANTS && el("td", { role: "cell", class: "model" }, breakable(row.variant ?? "")),
    HAS_MODELS && el("td", { role: "cell", class: "model" }, breakable(row.agent?.model ?? "")),
    HAS_SCORES && el("td", { role: "cell", class: "number score" }, score),
    figureCells((key) => row.agent?.[key]));
}

// The groups of all rows that are found, and the rows of the one that was chosen, or of all.
function showGroups() {
  const groupOf = GROUPS[list.group];
  const table = byId("groups");
  table.hidden = !groupOf;
  if (!groupOf) return;
  const groups = grouped(list.indices, groupOf);
  if (list.only) list.indices = list.indices.filter((index) => groupOf(ROWS[index]) === list.only);
  else list.indices = groups.flatMap(([, indices]) => indices);
  const drawn = groups.slice(0, MOST_GROUPS).map(([name, indices]) => groupRow(name, indices.map((index) => ROWS[index]), () => {
    ask({ only: name });
    byId("shown").scrollIntoView({ block: "center" });
  }));
  const more = groups.length - drawn.length;
  const rest = more > 0 && el("tr", { role: "row" }, el("td", { role: "cell" }), el("td", { role: "cell", class: "quiet" }, `and ${more} more: search for them`));
  table.tHead.replaceChildren(headOfTable("Cases", list.group[0].toUpperCase() + list.group.slice(1)));
  table.tBodies[0].replaceChildren(...drawn, ...(rest ? [rest] : []));
}

function countOf(indices) {
  const skipped = indices.filter((index) => ROWS[index].standing === "skipped").length;
  return counted(indices.length - skipped, "case") + (skipped ? ` and ${skipped.toLocaleString("en")} skipped` : "");
}

function headingRow(name) {
  return el("tr", { role: "row", class: "group" }, el("td", { role: "cell", colspan: 5 + FIGURES.length }, breakable(name)));
}

function rowsWithHeadings(indices) {
  const groupOf = GROUPS[list.group];
  let last = null;
  return indices.flatMap((index) => {
    const name = groupOf?.(ROWS[index]);
    const heading = name === last || !groupOf ? [] : [headingRow(name)];
    last = name;
    return [...heading, rowOf(index)];
  });
}

function showList() {
  list.indices = found(list.words, list.standings, list.order);
  const every = list.indices;
  showGroups();
  const pages = Math.max(1, Math.ceil(list.indices.length / PAGE));
  list.page = Math.min(list.page, pages);
  const first = (list.page - 1) * PAGE;
  const rows = list.indices.slice(first, first + PAGE);
  const table = byId("list");
  table.hidden = !rows.length;
  table.tHead.replaceChildren(headOfTable("Verdict", "Case"));
  table.tBodies[0].replaceChildren(...rowsWithHeadings(rows));
  byId("averages").hidden = !rows.some((index) => ROWS[index].agent?.runs > 1);
  const all = list.indices.length === ROWS.length;
  const only = list.only && every.length !== list.indices.length ? ` of ${list.only}` : "";
  byId("shown").textContent = plain(all ? countOf(list.indices) : `${list.indices.length.toLocaleString("en")} of ${counted(ROWS.length, "case")}${only}`);
  byId("clear").hidden = !list.words && !list.standings.size && !list.only;
  for (const button of document.querySelectorAll("[data-standing]")) {
    button.setAttribute("aria-pressed", String(list.standings.has(button.dataset.standing)));
  }
  if (byId("search").value !== list.words) byId("search").value = list.words;
  byId("order").value = list.order;
  byId("group").value = list.group;
  showPages(pages);
}

function showPages(pages) {
  const nav = byId("pages");
  nav.hidden = pages < 2;
  const go = (page) => () => {
    ask({ page });
    byId("cases-heading").scrollIntoView();
  };
  const button = (text, page) => el("button", { type: "button", class: "plain", disabled: page < 1 || page > pages, onclick: go(page) }, text);
  nav.replaceChildren(button("First", list.page > 1 ? 1 : 0), button("Previous", list.page - 1),
    el("span", {}, `Page ${list.page} of ${pages}`), button("Next", list.page + 1), button("Last", list.page < pages ? pages : 0));
}

// Changes what is asked. The address follows, without a step in the history for each letter.
function ask(change) {
  Object.assign(list, { page: 1 }, change);
  showList();
  history.replaceState(null, "", listAddress());
}

function startList() {
  if (!HAS_VARIANTS) byId("group").querySelector("[value=variant]").remove();
  for (const key of METADATA) byId("group").append(el("option", { value: `metadata.${key}` }, `by ${key}`));
  byId("search").addEventListener("input", (event) => ask({ words: event.target.value }));
  byId("order").addEventListener("change", (event) => ask({ order: event.target.value }));
  byId("group").addEventListener("change", (event) => ask({ group: event.target.value, only: "" }));
  byId("clear").addEventListener("click", () => {
    ask({ words: "", standings: new Set(), only: "" });
    byId("search").focus();
  });
  document.querySelector(".tools").addEventListener("submit", (event) => event.preventDefault());
  for (const button of document.querySelectorAll("[data-standing]")) {
    button.addEventListener("click", () => {
      const standings = new Set(list.standings);
      if (!standings.delete(button.dataset.standing)) standings.add(button.dataset.standing);
      ask({ standings });
    });
  }
  for (const name of document.querySelectorAll(".bars .name, #mutation .name")) fill(name, breakable(takeText(name)));
  for (const button of document.querySelectorAll("[data-find]")) {
    button.addEventListener("click", () => {
      ask({ words: button.dataset.find });
      byId("cases").scrollIntoView();
    });
  }
}

function takeText(element) {
  const text = element.textContent;
  element.replaceChildren();
  return text;
}
