// The list as a table for a spreadsheet: all rows that are found, in their order.

// A cell. A spreadsheet takes a text that begins like a formula for one, unless a quotation mark is before it.
function csvCell(value) {
  const text = plain(value ?? "");
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvOf(indices) {
  const columns = [
    ["name", (row) => row.name], ["verdict", (row) => row.standing], ["description", (row) => row.description],
    ["claim", (row) => row.claim], ["checks", (row) => (row.broken ?? []).join(" ")], ["score", (row) => row.score],
    ["variant", (row) => row.variant], ["model", (row) => row.agent?.model], ["calls", (row) => row.agent?.calls],
    ["tokens", (row) => row.agent?.tokens], ["cost_usd", (row) => row.agent?.usd], ["latency_ms", (row) => row.agent?.ms],
    ["file", (row) => row.file], ["line", (row) => row.line], ["tags", (row) => (row.tags ?? []).join(" ")],
    ...METADATA.map((key) => [`metadata.${key}`, (row) => row.metadata?.[key]]),
  ];
  const rows = indices.map((index) => columns.map(([, value]) => csvCell(value(ROWS[index]))));
  return [columns.map(([name]) => csvCell(name)), ...rows].map((row) => `${row.join(",")}\n`).join("");
}

function startCsv() {
  byId("csv").addEventListener("click", () => saveFile("arraign-cases.csv", "text/csv", csvOf(list.indices)));
}
