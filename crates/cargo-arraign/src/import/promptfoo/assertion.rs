//! Converts an assertion to checks.

use arraign::__internals::yaml::Node;
use serde_json::{Map, Value, json};

use super::files;
use super::template::{TOO_MUCH, fill_value};
use super::trajectory::{self, to_text};
use crate::import::draft::build_check;
use crate::import::keys::{Keys, list_entries};
use crate::import::pattern;
use crate::import::question::{ask_same_answer, build_question};
use crate::import::source_dir::SourceDir;
use crate::import::unsupported::UnsupportedList;

/// Settings of an assertion that have no effect on its checks.
const OF_AN_ASSERTION: &[(&[&str], &str)] = &[
    (&["weight"], "arraign computes no score over all assertions: each must hold"),
    (&["provider", "rubricPrompt"], "the judge is configured once for all cases"),
    (&["metric"], "arraign does not sum assertions by metric"),
    (&["threshold"], "a judge answers yes or no, and the other checks pass or fail"),
    (&["config", "value"], "arraign has no counterpart"),
];

/// Types of assertions whose checks use the threshold.
const LIMITS: &[&str] = &["cost", "latency", "tool-call-f1"];

/// Types of assertions that run code.
const CODE: &[&str] = &["javascript", "python", "ruby", "webhook"];

/// An assertion after filling in its variables.
pub(super) struct Assertion {
    /// The type without `not-`.
    pub(super) kind: String,
    pub(super) not: bool,
    pub(super) value: Value,
    pub(super) threshold: Option<f64>,
    metric: Option<String>,
}

impl Assertion {
    /// Returns the texts of the value: the entries of a list, or the parts between commas.
    pub(super) fn list_texts(&self) -> Vec<String> {
        match &self.value {
            Value::Array(list) => list.iter().map(to_text).collect(),
            Value::String(text) => {
                text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
            }
            other => vec![to_text(other)],
        }
    }

    /// Returns the value as a single text.
    fn require_text(&self) -> Result<String, &'static str> {
        match &self.value {
            Value::String(text) if !text.is_empty() => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            _ => Err("expected a text as `value`"),
        }
    }
}

/// Converts an assertion to entries of `expect`, and reports what is unsupported.
pub(super) fn convert_assertion(
    node: Node<'_>,
    vars: &Map<String, Value>,
    source_dir: &SourceDir,
    unsupported: &mut UnsupportedList,
) -> Vec<Value> {
    let Some(mut keys) = Keys::new(node) else {
        unsupported.add_key(node, "assert", "expected a mapping");
        return Vec::new();
    };
    let name = keys.take_text(&["type"]).unwrap_or_default();
    if name == "assert-set" {
        return convert_set(keys, vars, source_dir, unsupported);
    }
    match read_assertion(&name, &mut keys, vars, source_dir)
        .and_then(|assertion| build_checks(&assertion).map_err(str::to_owned))
    {
        Ok(checks) => {
            keys.skip(&["metric"]);
            if LIMITS.contains(&name.as_str()) {
                keys.skip(&["threshold"]);
            }
            keys.reject_rest(OF_AN_ASSERTION, unsupported);
            checks
        }
        Err(why) => {
            unsupported.add_key(node, &name, why);
            Vec::new()
        }
    }
}

/// Converts a set of assertions, all of which must hold. A set with a threshold is unsupported.
fn convert_set(
    mut keys: Keys<'_>,
    vars: &Map<String, Value>,
    source_dir: &SourceDir,
    unsupported: &mut UnsupportedList,
) -> Vec<Value> {
    if keys.take(&["threshold"]).is_some() {
        unsupported.add_key(
            keys.node(),
            "assert-set",
            "arraign cannot require a share of assertions: split the set",
        );
        return Vec::new();
    }
    let inner = list_entries(keys.take(&["assert"]));
    keys.reject_rest(OF_AN_ASSERTION, unsupported);
    inner.into_iter().flat_map(|node| convert_assertion(node, vars, source_dir, unsupported)).collect()
}

fn read_assertion(
    name: &str,
    keys: &mut Keys<'_>,
    vars: &Map<String, Value>,
    source_dir: &SourceDir,
) -> Result<Assertion, String> {
    for key in ["transform", "contextTransform"] {
        if keys.node().get(key).is_some() {
            return Err("arraign checks answers without transforming them".to_owned());
        }
    }
    if keys.node().get("weight").map(Node::to_json).and_then(|weight| weight.as_f64()) == Some(0.0) {
        return Err("an assertion with weight 0 cannot fail".to_owned());
    }
    let (not, kind) = name.strip_prefix("not-").map_or((false, name), |kind| (true, kind));
    if CODE.contains(&kind) {
        return Err(explain_unsupported(kind).to_owned());
    }
    let value = keys.take(&["value"]).map(Node::to_json).unwrap_or_default();
    let value = match value.as_str() {
        Some(text) if text.starts_with("package:") => {
            return Err("the value is in a package: write the value itself".to_owned());
        }
        Some(text) => files::read_value(text, source_dir)?,
        None => value,
    };
    Ok(Assertion {
        kind: kind.to_owned(),
        not,
        value: fill_value(&value, vars).ok_or_else(|| TOO_MUCH.to_owned())?,
        threshold: keys.node().get("threshold").and_then(|node| node.to_json().as_f64()),
        metric: keys.node().get("metric").and_then(Node::as_str).map(str::to_owned),
    })
}

type ConvertedChecks = Result<Vec<Value>, &'static str>;

fn build_checks(assertion: &Assertion) -> ConvertedChecks {
    let kind = assertion.kind.as_str();
    match kind {
        "contains" | "icontains" | "contains-all" | "icontains-all" | "contains-any" | "icontains-any" => {
            check_contains(assertion)
        }
        "equals" => check_equals(assertion),
        "starts-with" => check_start(assertion),
        "regex" => {
            let check = if assertion.not { "not_regex" } else { "regex" };
            Ok(vec![build_check(check, pattern::build_settings(&assertion.require_text()?, ""))])
        }
        _ if kind.starts_with("trajectory:") || kind == "tool-call-f1" => trajectory::build_checks(assertion),
        _ if assertion.not => Err("arraign has no check for the opposite"),
        "is-json" => check_json(assertion, "strict"),
        "contains-json" => check_json(assertion, "fenced"),
        "cost" => check_limit(assertion, "cost_at_most"),
        "latency" => check_limit(assertion, "duration_at_most"),
        "is-refusal" => Ok(vec![build_check("refusal", json!({}))]),
        _ => ask_judge(assertion),
    }
}

fn check_contains(assertion: &Assertion) -> ConvertedChecks {
    let folded = assertion.kind.starts_with('i');
    let kind = assertion.kind.trim_start_matches('i');
    let texts = if kind == "contains" { vec![assertion.require_text()?] } else { assertion.list_texts() };
    if texts.is_empty() || texts.iter().any(String::is_empty) {
        return Err("every answer contains an empty text");
    }
    let check = if assertion.not { "not_contains" } else { "contains" };
    let checks = texts.iter().map(|text| {
        // `contains` of promptfoo compares case; arraign does so only with this setting.
        let settings =
            if folded { json!({"value": text}) } else { json!({"value": text, "case_sensitive": true}) };
        build_check(check, settings)
    });
    let flags = if folded { "i" } else { "" };
    match (kind, assertion.not) {
        ("contains-any", false) => {
            Ok(vec![build_check("regex", pattern::build_settings(&pattern::match_any(&texts), flags))])
        }
        ("contains-all", true) => {
            Err("arraign cannot require that one of several texts is missing: split the assertion")
        }
        _ => Ok(checks.collect()),
    }
}

fn check_equals(assertion: &Assertion) -> ConvertedChecks {
    let check = match (&assertion.value, assertion.not) {
        (Value::Array(_) | Value::Object(_), false) => {
            build_check("jsonpath", json!({"path": "$", "equals": assertion.value}))
        }
        (Value::Array(_) | Value::Object(_), true) => return Err("arraign has no check for the opposite"),
        (_, false) => {
            build_check("equals", json!({"value": assertion.require_text()?, "case_sensitive": true}))
        }
        (_, true) => build_check(
            "not_regex",
            pattern::build_settings(&pattern::match_whole(&assertion.require_text()?), ""),
        ),
    };
    Ok(vec![check])
}

fn check_start(assertion: &Assertion) -> ConvertedChecks {
    let text = assertion.require_text()?;
    Ok(vec![if assertion.not {
        build_check("not_regex", pattern::build_settings(&pattern::match_start(&text), ""))
    } else {
        build_check("starts_with", json!({"value": text, "case_sensitive": true}))
    }])
}

/// Checks that the answer is JSON, with a schema if there is one.
fn check_json(assertion: &Assertion, form: &str) -> ConvertedChecks {
    let mut settings = Map::new();
    let check = match &assertion.value {
        Value::Null => {
            settings.insert("path".to_owned(), "$".into());
            "jsonpath_exists"
        }
        Value::Object(_) => {
            settings.insert("schema".to_owned(), assertion.value.clone());
            "json_schema"
        }
        _ => return Err("the schema is a string: write it as YAML"),
    };
    if form != "strict" {
        settings.insert("json".to_owned(), form.into());
    }
    Ok(vec![build_check(check, settings)])
}

fn check_limit(assertion: &Assertion, check: &str) -> ConvertedChecks {
    let most = assertion.threshold.ok_or("missing `threshold`")?;
    let whole = serde_json::to_value(most).ok().filter(|_| most.fract() != 0.0);
    #[expect(clippy::cast_possible_truncation, reason = "a whole number: 500, and not 500.0")]
    Ok(vec![build_check(check, whole.unwrap_or_else(|| (most as i64).into()))])
}

/// Converts an assertion that a judge decides. The judge answers yes or no, without a score.
fn ask_judge(assertion: &Assertion) -> ConvertedChecks {
    let label = assertion.metric.as_deref().unwrap_or(&assertion.kind);
    match assertion.kind.as_str() {
        "llm-rubric" | "agent-rubric" | "search-rubric" | "model-graded-closedqa" => {
            Ok(vec![build_question(label, &assertion.require_text()?)])
        }
        "g-eval" => match &assertion.value {
            Value::Array(_) => {
                let prompts = assertion.list_texts();
                let questions = prompts
                    .iter()
                    .enumerate()
                    .map(|(at, prompt)| build_question(&format!("{label} {}", at + 1), prompt));
                Ok(questions.collect())
            }
            _ => Ok(vec![build_question(label, &assertion.require_text()?)]),
        },
        "factuality" | "model-graded-factuality" => {
            Ok(vec![build_question(label, &ask_same_answer(&assertion.require_text()?))])
        }
        kind => Err(explain_unsupported(kind)),
    }
}

fn explain_unsupported(kind: &str) -> &'static str {
    match kind {
        kind if CODE.contains(&kind) => "the assertion runs code: write a check in Rust (`Harness::check`)",
        "similar" | "similar:cosine" | "similar:dot" | "similar:euclidean" | "levenshtein" | "bleu"
        | "gleu" | "meteor" | "rouge-n" => "arraign does not measure similarity: ask a judge (`agent_check`)",
        "context-faithfulness" => {
            "use the check `grounded`, which compares the answer with the results without a model"
        }
        "answer-relevance"
        | "context-recall"
        | "context-relevance"
        | "conversation-relevance"
        | "classifier"
        | "moderation"
        | "guardrails"
        | "pi" => "the assertion uses its own model: ask a judge (`agent_check`)",
        "is-valid-function-call" | "is-valid-openai-function-call" | "is-valid-openai-tools-call" => {
            "use `args_valid` with the schemas of the tools"
        }
        _ => "arraign has no such check",
    }
}
