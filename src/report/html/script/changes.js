// What changed: the calls from a baseline, the violations from a pinned snapshot.

function editOf(edit) {
  const signs = { added: "+", removed: "-", changed: "~" };
  const { baseline, actual } = edit;
  const tool = baseline && actual && baseline !== actual ? `${baseline} became ${actual}` : baseline ?? actual ?? "";
  const sides = ({ pointer, baseline: old, actual: now }) => {
    const place = pointer || "arguments";
    if (old === undefined) return `${place}: ${JSON.stringify(now)} was added`;
    return now === undefined ? `${place}: ${JSON.stringify(old)} was removed` : `${place}: ${JSON.stringify(old)} became ${JSON.stringify(now)}`;
  };
  const details = (edit.arguments ?? []).map((change) => el("span", { class: "detail" }, sides(change)));
  return el("li", { class: edit.type }, `${signs[edit.type]} call ${edit.position + 1}: ${tool}`, details);
}

function comparisonOf(verdict, finding) {
  const comparison = finding.values?.comparison;
  if (finding.metric !== "unchanged" || !Array.isArray(comparison?.edits)) return [];
  const run = verdict.runs.length > 1 ? ` (run ${finding.run + 1})` : "";
  const points = `${comparison.score_diff > 0 ? "+" : ""}${number(comparison.score_diff)} points`;
  return [el("h2", {}, `Against the baseline${run}`),
    el("p", { class: "run-head" }, `${comparison.change} · score ${points} · answers ${percent(comparison.output_similarity)} alike`),
    comparison.edits.length ? portions(el("ul", { class: "diff" }), comparison.edits, 200, editOf) : el("p", { class: "quiet" }, "The calls are the same.")];
}

function diffLine(line) {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
  return el("li", { class: kind }, line || " ");
}

function comparisonsOf(verdict) {
  return verdict.findings.map((finding) => comparisonOf(verdict, finding));
}

function pinnedOf(verdict) {
  if (verdict.pinned) return el("div", { class: "alert calm", role: "note" }, `The case passes because its snapshot holds the violations: ${verdict.pinned}.`);
  const diff = verdict.snapshot_diff;
  return diff && [el("h2", {}, "The violations differ from the snapshot"), portions(el("ul", { class: "diff" }), diff.trimEnd().split("\n"), 200, diffLine)];
}
