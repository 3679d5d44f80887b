// Where the points went: scorecards as bars, and each check with what it looked at.

const ITEMS = 100;
const STAKES = { gate: "hard gate", points: "costs points", told: "only reported" };

function cardOf(verdict, card) {
  const share = (card.score ?? 0) / card.full;
  const parts = card.parts.map((part) => el("tr", {},
    el("th", { scope: "row" }, part.name),
    el("td", { class: "meter" }, bar(part.score, part.score >= 1 ? "pass" : "undecided")),
    el("td", { class: "number" }, `${number(part.points)} of ${number(part.weight * card.full)}`)));
  const tone = card.passed ? "pass" : "fail";
  const sum = el("tr", { class: "sum" }, el("th", { scope: "row" }, "Score"),
    el("td", { class: "meter" }, bar(share, tone, card.least / card.full)),
    el("td", { class: "number" }, card.score === null ? "none" : `${number(card.score)} of ${number(card.full)}`));
  const lost = (card.losses ?? []).filter((loss) => loss.points > 0);
  const line = (loss) => el("li", {}, `${number(loss.points * card.full)} lost: `, loss.why);
  const run = verdict.runs.length > 1 ? `, run ${card.run + 1}` : "";
  return el("div", { class: "card" },
    el("table", {}, el("caption", {}, el("strong", {}, card.name), `${run} `, standing(tone, card.passed ? "reached" : "missed"),
      el("span", { class: "quiet" }, ` at least ${number(card.least)} (${card.threshold})`)),
      el("tbody", {}, parts, sum)),
    card.not_computed && el("p", { class: "quiet" }, `Not computed: ${card.not_computed}`),
    lost.length > 0 && portions(el("ul", { class: "lost" }), lost, ITEMS, line));
}

// Of many cards, what each came to.
function foldedCard(verdict, card) {
  const tone = card.passed ? "pass" : "fail";
  const name = verdict.runs.length > 1 ? `${card.name}, run ${card.run + 1}` : card.name;
  return el("details", { class: "finding card-row" },
    el("summary", {}, standing(tone, card.passed ? "reached" : "missed"), el("span", { class: "name" }, el("span", { class: "check-name" }, name)),
      bar((card.score ?? 0) / card.full, tone, card.least / card.full), el("span", { class: "of" }, card.score === null ? "none" : number(card.score))),
    cardOf(verdict, card));
}

function scoresOf(verdict) {
  const cards = verdict.scorecards ?? [];
  const draw = cards.length > 2 ? foldedCard : cardOf;
  return cards.length ? [el("h2", {}, "Scores"), portions(el("div", { class: "scores" }), cards, 20, (card) => draw(verdict, card))] : [];
}

function itemOf(item) {
  const words = { held: "holds", violated: "violated", not_exercised: "not tested", open: "open" };
  return el("li", {}, standing(item.state, words[item.state]), item.label, item.note && el("span", { class: "note" }, ` ${item.note}`));
}

function valueOf(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

// What a check looked at, counted and took out of the evidence.
function insideOf(finding) {
  const values = Object.entries(finding.values ?? {}).filter(([name]) => !(finding.metric === "unchanged" && name === "comparison"));
  const numbers = Object.entries(finding.stats ?? {}).map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`);
  const pairs = values.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, valueOf(value))]);
  const items = finding.items ?? [];
  return [finding.unfit && el("p", {}, sentence(finding.unfit)), finding.help && el("p", { class: "quiet" }, finding.help),
    items.length > 0 && portions(el("ul", { class: "items" }), items, ITEMS, itemOf),
    pairs.length > 0 && el("dl", { class: "pairs" }, pairs), numbers.length > 0 && el("p", { class: "quiet" }, numbers.join(" · "))].filter(Boolean);
}

function findingOf(verdict, finding) {
  const run = finding.of_all_runs ? "all runs" : verdict.runs.length > 1 ? `run ${finding.run + 1}` : "";
  const rule = [RULES[finding.metric], STAKES[finding.stake], run].filter(Boolean).join(" · ");
  const words = { pass: "holds", fail: "violated" };
  const unanswered = finding.unfit !== undefined;
  // All or nothing is what the word says already, and a share is no score.
  const share = !unanswered && finding.score > 0 && finding.score < 1;
  const reported = finding.stake === "points" || finding.metric === "output_quality";
  const word = reported && finding.status === "pass" && finding.score < 1 ? "reported" : words[finding.status];
  const cells = [standing(finding.status, word),
    el("span", { class: "name" }, el("span", { class: "check-name" }, finding.metric), rule && el("span", { class: "rule" }, rule)),
    share || (reported && !unanswered) ? bar(finding.score, finding.status) : el("span"),
    el("span", { class: "of" }, unanswered ? "" : reported ? percent(finding.score) : share ? `${percent(finding.score)} of it` : "")];
  const inside = insideOf(finding);
  if (!inside.length) return el("div", { class: "finding" }, el("div", { class: "row" }, cells));
  return el("details", { class: "finding", open: unanswered }, el("summary", {}, cells), el("div", { class: "inside" }, inside));
}

function checksOf(verdict) {
  const findings = verdict.findings;
  return findings.length ? [el("h2", {}, "Checks"), portions(el("div", { class: "card" }), findings, ITEMS, (finding) => findingOf(verdict, finding))] : [];
}

function statisticsOf(verdict) {
  const told = verdict.statistics;
  if (!told) return [];
  const pair = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
  const { lower, upper } = told.pass_rate_interval;
  const estimates = (name) => told.estimates.filter(({ k }) => k > 1 && k <= 5).map((one) => `${one.k}: ${percent(one[name])}`).join(", ");
  return [el("h2", {}, "All runs"), el("dl", { class: "stats" },
    pair("passed", `${told.passed} of ${told.runs}`),
    Number.isFinite(lower) && pair("pass rate", `${percent(told.pass_rate)} (${percent(lower)} to ${percent(upper)})`),
    told.estimates?.length > 1 && [pair("all of k runs pass (pass^k)", estimates("pass_hat_k")), pair("one of k runs passes (pass@k)", estimates("pass_at_k"))],
    pair("steadiness", told.flakiness.label), told.score && pair("mean score", `${told.score.mean.toFixed(1)} ± ${told.score.std_dev.toFixed(1)}`),
    told.cost_usd && pair("mean cost", dollars(told.cost_usd.mean)), told.duration_ms && pair("mean time", duration(told.duration_ms.mean)))];
}
