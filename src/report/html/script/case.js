// The page of one case: what broke first, then the points, then what the agent did.

const BREACHES = 50;

const isMinor = (finding) => finding.stake === "points" || finding.stake === "told";

// All violations, those that decide first: a violation's number in an address is its place here.
function breachesOf(verdict) {
  const breaches = verdict.findings.flatMap((finding) => finding.violations.map((breach) => ({ finding, breach })));
  return breaches.sort((a, b) => isMinor(a.finding) - isMinor(b.finding));
}

// The line that says it, with the setting marked.
function snippet(at, place) {
  if (!at?.file) return null;
  // Half of a narrow screen would be the indentation.
  const indent = at.text.length - at.text.trimStart().length;
  const letters = [...at.text.slice(indent)];
  const skipped = (at.skipped || 0) + indent;
  const [from, to] = [at.column - 1 - skipped, at.end_column - 1 - skipped].map((column) => Math.max(0, column));
  const marked = letters.slice(from, to).join("");
  const line = at.text && [el("span", { class: "nr", "aria-hidden": "true" }, at.line), letters.slice(0, from).join(""),
    marked && el("mark", {}, marked), letters.slice(Math.max(from, to)).join("")];
  return el("div", { class: "snippet", role: "group", "aria-label": place },
    el("div", { class: "where" }, `${at.file}:${at.line}:${at.column}`), line && el("pre", { tabindex: "0" }, line));
}

function callLinks(verdict, finding, breach) {
  const calls = breach.calls?.length ? breach.calls : breach.call === undefined ? [] : [breach.call];
  const link = (call) => el("a", { href: linkTo(verdict.key, `/call/${finding.run + 1}/${call}`) }, `call ${call}`);
  const tool = breach.tool ? [" (", el("code", {}, breach.tool), ")"] : "";
  return calls.length ? [calls.slice(0, 20).flatMap((call, index) => (index ? [", ", link(call)] : [link(call)])), tool] : null;
}

function breachOf(verdict, { finding, breach }, index) {
  const pairs = [
    ["made by", callLinks(verdict, finding, breach)],
    ["turn", finding.turn && String(finding.turn)],
    ["run", verdict.runs.length > 1 && !finding.of_all_runs && String(finding.run + 1)],
    ["argument", breach.argument && el("code", {}, breach.argument)],
    ["constraint", breach.constraint && el("code", {}, breach.constraint)],
    ["expected", breach.expected], ["actual", finding.metric !== "unchanged" && breach.actual], ["help", breach.suggestion],
  ].filter(([, value]) => value);
  const list = pairs.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, typeof value === "string" ? sentence(value) : value)]);
  // What a snapshot or the case itself accepts is no alarm.
  const tone = verdict.accepted ? "skipped" : isMinor(finding) ? "undecided" : "fail";
  return el("section", { class: `breach ${tone}`, id: `violation-${index + 1}`, tabindex: "-1" },
    el("div", { class: "check" }, finding.metric, STAKES[finding.stake] && ` · ${STAKES[finding.stake]}`),
    el("p", { class: "message" }, sentence(breach.message)),
    snippet(breach.at, "The setting that was broken"), breach.policy_at && snippet(breach.policy_at, "The policy"),
    list.length > 0 && el("dl", { class: "pairs" }, list));
}

function gatesOf(verdict) {
  const broken = verdict.findings.filter((finding) => finding.stake === "gate" && finding.status === "fail");
  return broken.map((finding) => el("div", { class: verdict.accepted ? "alert calm" : "alert", role: "note" }, el("strong", {}, "Hard gate violated: "), el("code", {}, finding.metric),
    el("p", {}, "The score is 0, and nothing else was computed.")));
}

function errorsOf(verdict) {
  return verdict.errors?.map((error) => {
    const [claim, ...causes] = error.message.split("\n");
    return el("div", { class: "alert", role: "note" }, el("strong", {}, "No answer could be had: "), sentence(claim),
      causes.length > 0 && el("pre", {}, causes.join("\n")), snippet(error.at, "The place that it is about"));
  });
}

function unexpected(verdict) {
  if (verdict.status === verdict.expected || verdict.expected === "pass") return null;
  return el("div", { class: "alert", role: "note" }, `The verdict is ${verdict.status}, but the case expects ${verdict.expected}.`);
}

function silent(verdict) {
  const findings = verdict.findings.filter((finding) => finding.unfit !== undefined);
  return findings.slice(0, BREACHES).map((finding) => el("section", { class: `breach ${finding.status}` }, el("div", { class: "check" }, finding.metric),
    el("p", { class: "message" }, sentence(finding.unfit)), snippet(finding.at, "The check"), finding.help && el("p", { class: "quiet" }, finding.help)));
}

function copyButton(text) {
  const button = el("button", { type: "button", class: "plain" }, "Copy");
  button.addEventListener("click", async () => {
    const told = await navigator.clipboard?.writeText(text).then(() => "Copied", () => null);
    button.textContent = told ?? "Not allowed";
  });
  return button;
}

function rerunOf(command) {
  return el("div", { class: "rerun" }, el("code", {}, command), copyButton(command));
}

function crumbs(index) {
  const red = (at) => ["fail", "error", "undecided"].includes(ROWS[at].standing);
  const before = ROWS.findLastIndex((_, at) => at < index && red(at));
  const after = ROWS.findIndex((_, at) => at > index && red(at));
  const link = (at, text) => at >= 0 && el("a", { href: linkTo(ROWS[at].key) }, text);
  return el("nav", { class: "crumbs", "aria-label": "Cases" }, el("a", { href: listAddress() }, "← All cases"),
    el("span", { class: "apart" }, link(before, "Previous red one"), link(after, "Next red one")));
}

function quarantineOf({ until, reason, owner, lapse, unchecked }) {
  const unknown = "whether a pull request changes the file of the case is unknown (ARRAIGN_BASE)";
  return [`In quarantine until ${until}: ${reason}`, owner && ` (${owner})`, lapse && `; the case decides, because ${lapse}`, unchecked && `; ${unknown}: ${unchecked}`].filter(Boolean).join("");
}

function headOf(row, verdict) {
  const facts = [`${row.file}${row.line ? `:${row.line}` : ""}`, row.score !== undefined && `score ${percent(row.score)}`,
    verdict && `checked in ${duration(verdict.duration_ms)}`, verdict?.attempts && `attempts: ${verdict.attempts}`,
    verdict && `tier ${verdict.tier}`, verdict?.harness && `harness ${verdict.harness}`];
  return [el("h1", { tabindex: "-1" }, nameOf(row.name)),
    el("div", { class: "head" }, standing(row.standing), badges(row)),
    verdict?.description && el("p", {}, verdict.description),
    verdict?.quarantine && el("p", { class: "notice" }, quarantineOf(verdict.quarantine)),
    el("p", { class: "facts" }, facts.filter(Boolean).map((fact, nth) => el(nth ? "span" : "code", {}, fact))),
    verdict && rerunOf(verdict.rerun)];
}

// What decides, and folded below it what only costs points or is only reported.
function violationsOf(verdict) {
  const breaches = breachesOf(verdict);
  const first = breaches.filter(({ finding }) => !isMinor(finding)).length;
  const draw = (id, entries, from) =>
    portions(el("div", { id }), entries, BREACHES, (entry, nth) => breachOf(verdict, entry, from + nth));
  const [main, minor] = [breaches.slice(0, first), breaches.slice(first)];
  const what = main.length ? `${minor.length} more, which do not fail the case by themselves ` : `${counted(minor.length, "violation")}, none of which fails the case by itself `;
  const accepted = verdict.pinned ? ", accepted by the snapshot" : ", as the case expects";
  return [main.length > 0 && [el("h2", {}, counted(main.length, "violation"), verdict.accepted && accepted), draw("violations", main, 0)],
    minor.length > 0 && el("details", { class: "fold", id: "minor-fold", open: !main.length },
      el("summary", {}, what), draw("minor", minor, first))];
}

// The violation of this number from 1, drawn and unfolded.
function violationStep(nth) {
  const main = byId("violations");
  const first = main?.total ?? 0;
  if (nth <= first) return main?.reach(nth - 1);
  const fold = byId("minor-fold");
  if (fold) fold.open = true;
  return byId("minor")?.reach(nth - 1 - first);
}

function bodyOf(verdict, index) {
  verdict.accepted = ROWS[index].standing === "pass";
  return [errorsOf(verdict), gatesOf(verdict), unexpected(verdict), pinnedOf(verdict),
    violationsOf(verdict),
    silent(verdict).length > 0 && [el("h2", {}, "Not decided"), silent(verdict)],
    besideOf(verdict, index), comparisonsOf(verdict), scoresOf(verdict), statisticsOf(verdict), runsOf(verdict), checksOf(verdict)];
}

function showCase(index) {
  const [row, verdict] = [ROWS[index], verdictOf(index)];
  const left = row.standing === "skipped" ? "The case was skipped." : "The details of this case are not in this page: its verdict log holds them.";
  const body = verdict ? bodyOf(verdict, index) : el("p", { class: "notice" }, left);
  byId("case").replaceChildren();
  fill(byId("case"), [crumbs(index), headOf(row, verdict), body]);
}
