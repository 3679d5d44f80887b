//! Converts the rows of a table to tests. Columns are variables, and columns that begin with `__` have a meaning.

use std::sync::Arc;

use arraign::__internals::place::Source;
use arraign::__internals::yaml::Document;
use arraign::json::{self, Json, JsonMap, json};

use crate::import::table::{TableRow, parse_table};

/// Types of assertions that a cell can begin with. Any other cell is the expected answer.
const TYPES: &[&str] = &[
    "agent-rubric",
    "answer-relevance",
    "bleu",
    "classifier",
    "contains",
    "contains-all",
    "contains-any",
    "contains-html",
    "contains-json",
    "contains-sql",
    "contains-xml",
    "context-faithfulness",
    "context-recall",
    "context-relevance",
    "conversation-relevance",
    "cost",
    "equals",
    "factuality",
    "finish-reason",
    "g-eval",
    "gleu",
    "guardrails",
    "icontains",
    "icontains-all",
    "icontains-any",
    "is-html",
    "is-json",
    "is-refusal",
    "is-sql",
    "is-valid-function-call",
    "is-valid-openai-function-call",
    "is-valid-openai-tools-call",
    "is-xml",
    "javascript",
    "latency",
    "levenshtein",
    "llm-rubric",
    "meteor",
    "model-graded-closedqa",
    "model-graded-factuality",
    "moderation",
    "perplexity",
    "perplexity-score",
    "pi",
    "python",
    "regex",
    "rouge-n",
    "ruby",
    "search-rubric",
    "similar",
    "similar:cosine",
    "similar:dot",
    "similar:euclidean",
    "starts-with",
    "tool-call-f1",
    "trajectory:goal-success",
    "trajectory:step-count",
    "trajectory:tool-args-match",
    "trajectory:tool-sequence",
    "trajectory:tool-used",
    "webhook",
    "word-count",
];

/// Short names for types.
const SHORT: &[(&str, &str)] = &[("fn", "javascript"), ("eval", "javascript"), ("grade", "llm-rubric")];

/// Converts the rows to a list of tests. Each test is on the line of its row, so that messages show the line in the table.
pub(super) fn parse_tests(source: &Arc<Source>) -> Result<Vec<Document>, String> {
    let table = parse_table(source).map_err(|error| error.to_string())?;
    let mut text = "[".to_owned();
    let mut line = 1;
    // Line breaks before each test move it to the line of its row.
    for row in &table.rows {
        text.push_str(&"\n".repeat(row.line.saturating_sub(line)));
        line = row.line.max(line);
        text.push_str(&build_test(row).to_string());
        text.push(',');
    }
    text.push(']');
    Document::parse(&Source::new(source.name(), text)).map_err(|errors| errors.to_string())
}

fn build_test(row: &TableRow) -> Json {
    let mut test = JsonMap::new();
    let mut assertions: Vec<(&str, Json)> = Vec::new();
    for (column, cell) in &row.cells {
        match column.strip_prefix("__") {
            Some(special) if special.starts_with("expected") => {
                if !cell.trim().is_empty() {
                    assertions.push((special, parse_assertion(cell.trim())));
                }
            }
            Some("prefix" | "suffix") => {
                set_nested(&mut test, "options", column.trim_start_matches('_'), cell);
            }
            Some("description") => drop(test.insert("description".to_owned(), cell.trim().into())),
            Some("providerOutput") => drop(test.insert("providerOutput".to_owned(), cell.as_str().into())),
            Some("threshold") => drop(test.insert("threshold".to_owned(), parse_number(cell))),
            // `__metric` and `__config:` are about assertions, which are known only after the last column.
            Some("metric") => {}
            Some(special) if special.starts_with("config:") => {}
            Some(special) if special.starts_with("metadata") => {
                set_nested(&mut test, "metadata", special, cell);
            }
            _ => set_nested(&mut test, "vars", column, cell),
        }
    }
    // The settings may stand in columns before the assertions that they belong to.
    apply_config(&mut assertions, row);
    let assertions = assertions.into_iter().map(|(_, assertion)| assertion).collect::<Vec<_>>();
    test.insert("assert".to_owned(), assertions.into());
    test.into()
}

fn set_nested(test: &mut JsonMap, key: &str, name: &str, cell: &str) {
    let inner = test.get_or_insert_with(key.to_owned(), || json!({}));
    if let Json::Object(inner) = inner {
        inner.insert(name.to_owned(), cell.into());
    }
}

/// Applies `__metric` to all assertions of the row, and columns such as `__config:__expected2:threshold` to one of them.
fn apply_config(assertions: &mut [(&str, Json)], row: &TableRow) {
    for (column, cell) in &row.cells {
        if column == "__metric" {
            for (_, assertion) in assertions.iter_mut() {
                assertion["metric"] = cell.as_str().into();
            }
        }
        let Some((whose, key)) = column.strip_prefix("__config:__").and_then(|rest| rest.split_once(':'))
        else {
            continue;
        };
        // `__config:__expected:` is meant for every assertion, `__config:__expected2:` for one.
        for (name, assertion) in assertions.iter_mut() {
            if whose == "expected" || whose == *name {
                assertion[key] = parse_number(cell);
            }
        }
    }
}

/// Parses `contains-any: a, b`, `similar(0.8): a text`, or the expected answer.
fn parse_assertion(cell: &str) -> Json {
    if let Some(code) = cell.strip_prefix("file://") {
        let kind = if code.contains(".py") { "python" } else { "javascript" };
        return json!({"type": kind, "value": cell});
    }
    let Some((kind, threshold, value)) = split_type(cell) else {
        return json!({"type": "equals", "value": cell});
    };
    let mut assertion = json!({"type": kind});
    let is_json = kind.ends_with("-json");
    // A schema may be written as JSON; for other kinds a text in braces is a plain text.
    match json::parse(value).ok().filter(|value| is_json && value.is_object()) {
        Some(schema) => assertion["value"] = schema,
        None if value.is_empty() => {}
        None => assertion["value"] = value.into(),
    }
    if let Some(threshold) = threshold {
        assertion["threshold"] = parse_number(threshold);
    }
    assertion
}

/// Splits a cell into the type, the threshold in parentheses, and the value.
fn split_type(cell: &str) -> Option<(&str, Option<&str>, &str)> {
    for (short, kind) in SHORT {
        if let Some((threshold, value)) = strip_type(cell, short) {
            return Some((kind, threshold, value));
        }
    }
    // The longest name counts, because `similar:dot: a` also begins with `similar`.
    let known = TYPES.iter().filter(|name| strip_type(cell, name).is_some()).max_by_key(|name| name.len())?;
    let (threshold, value) = strip_type(cell, known)?;
    let kind = cell.get(..known.len() + if cell.starts_with("not-") { 4 } else { 0 })?;
    Some((kind, threshold, value))
}

/// Returns the threshold and the value of a cell that begins with the type `name`, which `not-` may precede.
fn strip_type<'c>(cell: &'c str, name: &str) -> Option<(Option<&'c str>, &'c str)> {
    let rest = cell.strip_prefix("not-").unwrap_or(cell).strip_prefix(name)?;
    let (threshold, rest) = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((threshold, rest)) => (Some(threshold), rest),
        None => (None, rest),
    };
    // A longer word that begins with the name of a type is no type.
    let value = if rest.is_empty() { rest } else { rest.strip_prefix(':')? };
    Some((threshold, value.trim()))
}

fn parse_number(cell: &str) -> Json {
    cell.trim().parse::<f64>().map_or_else(|_| cell.into(), Json::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_says_what_is_expected() {
        for (cell, assertion) in [
            ("Paris: the capital", r#"{"type":"equals","value":"Paris: the capital"}"#),
            ("contains: a, b", r#"{"type":"contains","value":"a, b"}"#),
            ("not-contains:a", r#"{"type":"not-contains","value":"a"}"#),
            ("similar:dot(0.5): a", r#"{"type":"similar:dot","value":"a","threshold":0.5}"#),
            ("cost(0.01)", r#"{"type":"cost","threshold":0.01}"#),
            ("is-json: {\"type\": \"object\"}", r#"{"type":"is-json","value":{"type":"object"}}"#),
            ("is-json", r#"{"type":"is-json"}"#),
            ("grade: polite", r#"{"type":"llm-rubric","value":"polite"}"#),
            ("containsx: a", r#"{"type":"equals","value":"containsx: a"}"#),
        ] {
            assert_eq!(parse_assertion(cell).to_string(), assertion);
        }
    }

    #[test]
    fn a_test_stands_on_the_line_of_its_row() {
        let source = Source::new("t.csv", "q,__expected\n\"a\nb\",contains:x\n\nc,\n");
        let documents = parse_tests(&source).expect("a table");
        let lines: Vec<usize> =
            documents[0].root().one_or_many().iter().map(|test| test.place().line()).collect();
        assert_eq!(lines, [2, 5]);
    }
}
