// The list of cases: filter, order, and one page of it. What is asked stands in the address, so that it can be sent.

const PAGE = 100;
const list = { words: "", standings: new Set(), order: "red", page: 1, indices: ROWS.map((_, index) => index) };

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
  if (list.page > 1) query.set("page", list.page);
  const text = query.toString();
  return text ? `#/?${text}` : "#/";
}

function readAddress(text) {
  const query = new URLSearchParams(text);
  list.words = query.get("q") ?? "";
  list.standings = new Set((query.get("is") ?? "").split(",").filter(Boolean));
  list.order = query.get("order") in ORDERS ? query.get("order") : "red";
  list.page = Math.max(1, Number.parseInt(query.get("page") ?? "1", 10) || 1);
}

function nameOf(name) {
  const at = name.lastIndexOf("::") + 2;
  return at > 1 && at < name.length ? [el("span", { class: "path" }, name.slice(0, at)), name.slice(at)] : [name];
}

function badges(row) {
  const badge = (text, kind) => el("span", { class: kind ? `tag ${kind}` : "tag" }, text);
  const harness = HARNESSES.size > 1 && row.harness && badge(row.harness);
  return [harness, (row.badges ?? []).map((text) => badge(text, text === "hard gate" && "gate")), (row.tags ?? []).slice(0, 6).map((tag) => badge(tag))];
}

function rowOf(index) {
  const row = ROWS[index];
  const name = row.standing === "skipped" ? el("span", {}, nameOf(row.name)) : el("a", { href: linkTo(row.key) }, nameOf(row.name));
  const score = row.score === undefined ? "" : [percent(row.score), bar(row.score, row.standing)];
  return el("tr", { role: "row" },
    el("td", { role: "cell" }, standing(row.standing)),
    el("td", { role: "cell" }, name, badges(row), row.claim && el("div", { class: "claim" }, sentence(row.claim))),
    el("td", { role: "cell", class: "number score" }, score),
    el("td", { role: "cell", class: "number" }, row.ms === undefined ? "" : duration(row.ms)));
}

function showList() {
  list.indices = found(list.words, list.standings, list.order);
  const pages = Math.max(1, Math.ceil(list.indices.length / PAGE));
  list.page = Math.min(list.page, pages);
  const first = (list.page - 1) * PAGE;
  const rows = list.indices.slice(first, first + PAGE);
  const table = byId("list");
  table.hidden = !rows.length;
  table.tBodies[0].replaceChildren(...rows.map(rowOf));
  const all = list.indices.length === ROWS.length;
  byId("shown").textContent = all ? counted(ROWS.length, "case") : `${list.indices.length} of ${counted(ROWS.length, "case")}`;
  byId("clear").hidden = !list.words && !list.standings.size;
  for (const button of document.querySelectorAll("[data-standing]")) {
    button.setAttribute("aria-pressed", String(list.standings.has(button.dataset.standing)));
  }
  if (byId("search").value !== list.words) byId("search").value = list.words;
  byId("order").value = list.order;
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
  byId("search").addEventListener("input", (event) => ask({ words: event.target.value }));
  byId("order").addEventListener("change", (event) => ask({ order: event.target.value }));
  byId("clear").addEventListener("click", () => {
    ask({ words: "", standings: new Set() });
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
  for (const button of document.querySelectorAll("[data-find]")) {
    button.addEventListener("click", () => {
      ask({ words: button.dataset.find });
      byId("cases").scrollIntoView();
    });
  }
}
