// The address says what is shown: the list, a case, a call of it or one of its violations.

function show(overview, title) {
  byId("overview").hidden = !overview;
  byId("case").hidden = overview;
  document.title = title;
}

function goTo(element) {
  if (!element) return;
  const focus = element.querySelector("summary") ?? element;
  focus.focus({ preventScroll: true });
  element.scrollIntoView({ block: "center" });
}

function goToTop(element) {
  element.focus({ preventScroll: true });
  element.scrollIntoView();
}

function goToCall(run, call) {
  byId("runs")?.reach(run);
  const fold = byId(`fold-${run}`);
  if (fold) {
    fold.open = true;
    fold.draw();
  }
  const step = byId(`run-${run}`)?.callStep(call);
  const details = step?.querySelector("details");
  if (details) details.open = true;
  goTo(step);
}

let shown = null;
// What the shown case is compared with.
let shownBeside = null;

function goToCase(parts) {
  const index = BY_KEY.get(parts[0]);
  if (index === undefined) return false;
  const fresh = shown !== index || shownBeside !== other;
  if (fresh) showCase(index);
  [shown, shownBeside] = [index, other];
  show(false, `${plain(ROWS[index].name)} · arraign`);
  const [what, first, second] = parts.slice(1);
  if (what === "call") goToCall(Number(first) - 1, Number(second));
  else if (what === "violation") goTo(violationStep(Number(first)));
  else if (what === "beside" && byId("beside")) goToTop(byId("beside"));
  else if (fresh) {
    byId("case").querySelector("h1").focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  return true;
}

const TITLE = document.title;

function route(first) {
  const [path, query] = location.hash.slice(1).split("?");
  const parts = path.split("/").slice(1).map(decoded);
  if (parts[0] === "case" && document.readyState === "loading") {
    show(false, TITLE);
    addEventListener("DOMContentLoaded", route, { once: true });
    return;
  }
  if (parts[0] === "case" && goToCase(parts.slice(1))) return;
  const back = shown;
  shown = null;
  readAddress(query ?? "");
  showList();
  show(true, TITLE);
  if (first === true) return;
  const link = back === null ? null : [...document.querySelectorAll("#list a")].find((a) => a.hash === linkTo(ROWS[back].key));
  (link ?? byId("heading")).focus();
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// Pages of the file system may have no storage: the choice then lasts as long as the page.
function stored(value) {
  try {
    if (value !== undefined) localStorage.setItem("arraign-theme", value);
    return localStorage.getItem("arraign-theme");
  } catch {
    return value ?? null;
  }
}

function startTheme() {
  const button = byId("theme");
  const themes = ["auto", "light", "dark"];
  const set = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.querySelector("span").textContent = theme;
  };
  set(themes.includes(stored()) ? stored() : "auto");
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length];
    stored(next);
    set(next);
  });
}

startTheme();
startList();
startCsv();
startComparison();
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
addEventListener("hashchange", route);
route(true);
// What a person waited for, since the browser began with the page.
document.documentElement.dataset.usable = String(Math.round(performance.now()));
