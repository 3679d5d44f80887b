//! Converts an assertion to checks.

use arraign::__internals::yaml::Node;
use arraign::Harness;
use serde_json::{Map, Value, json};

use super::files;
use super::list::split_list;
use super::schema::{ConvertedSchema, convert_schema};
use super::script::{OutputForm, convert_script};
use super::template::{TOO_MUCH, fill_deeply, fill_value};
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

/// What the assertions of a case share.
#[derive(Clone, Copy)]
pub(super) struct AssertionScope<'s> {
    pub(super) vars: &'s Map<String, Value>,
    pub(super) source_dir: &'s SourceDir,
    /// The form of the recorded output.
    pub(super) form: OutputForm,
    /// The `assertionTemplates` of the configuration.
    pub(super) templates: Option<Node<'s>>,
}

/// An assertion after filling in its variables.
#[derive(Clone)]
pub(super) struct Assertion {
    /// The type without `not-`.
    pub(super) kind: String,
    pub(super) not: bool,
    pub(super) value: Value,
    pub(super) threshold: Option<f64>,
    metric: Option<String>,
}

impl Assertion {
    /// Returns the assertion without its `not-`.
    pub(super) fn without_not(&self) -> Self {
        Self { not: false, ..self.clone() }
    }

    /// Returns the texts of the value: the entries of a list, or the parts between commas.
    pub(super) fn list_texts(&self) -> Vec<String> {
        match &self.value {
            Value::Array(list) => list.iter().map(to_text).collect(),
            Value::String(text) => split_list(text),
            other => vec![to_text(other)],
        }
    }

    /// Returns the value as a single text.
    fn require_text(&self) -> Result<String, &'static str> {
        match &self.value {
            Value::String(text) if !text.is_empty() => Ok(text.clone()),
            Value::Number(_) | Value::Bool(_) => Ok(self.value.to_string()),
            _ => Err("expected a text as `value`"),
        }
    }
}

/// Converts an assertion to entries of `expect`, and reports what is unsupported.
pub(super) fn convert_assertion(
    node: Node<'_>,
    scope: AssertionScope<'_>,
    unsupported: &mut UnsupportedList,
) -> Vec<Value> {
    let resolved = match resolve_template(node, scope.templates) {
        Ok(resolved) => resolved,
        Err(why) => {
            unsupported.add_key(node, "$ref", why);
            return Vec::new();
        }
    };
    let Some(mut keys) = Keys::new(resolved) else {
        unsupported.add_key(node, "assert", "expected a mapping");
        return Vec::new();
    };
    let name = keys.take_text(&["type"]).unwrap_or_default();
    if name == "assert-set" {
        return convert_set(keys, scope, unsupported);
    }
    match read_assertion(&name, &mut keys, scope).and_then(|assertion| build_loadable(&assertion, scope.form))
    {
        Ok(checks) => {
            keys.skip(&["metric"]);
            if LIMITS.contains(&name.as_str()) {
                keys.skip(&["threshold"]);
            }
            if name.ends_with("is-refusal") {
                unsupported.add_key(node, &name, OTHER_WORDS);
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

/// The remark on a check that recognizes other words than the assertion.
const OTHER_WORDS: &str = "carried as `refusal`, which knows other words: look at the answers on which the two differ, and extend `phrases`";

/// Returns the assertion itself, or the template that its `$ref` names.
fn resolve_template<'n>(node: Node<'n>, templates: Option<Node<'n>>) -> Result<Node<'n>, String> {
    let Some(reference) = node.get("$ref").and_then(Node::as_str) else { return Ok(node) };
    let name =
        reference.strip_prefix("#/assertionTemplates/").ok_or("only `#/assertionTemplates/NAME` is read")?;
    let found = templates.and_then(|templates| templates.get(name));
    found.ok_or_else(|| format!("there is no template `{name}` in `assertionTemplates`"))
}

/// Builds the checks of an assertion, and makes sure that a case with them loads.
fn build_loadable(assertion: &Assertion, form: OutputForm) -> Result<Vec<Value>, String> {
    let checks = build_checks(assertion, form)?;
    match find_load_error(&checks) {
        None => Ok(checks),
        Some(problem) => Err(format!("left out, because a case with it would not load: {problem}")),
    }
}

/// Returns the first error of a case with these checks.
fn find_load_error(checks: &[Value]) -> Option<String> {
    let case = json!({"id": "probe", "expect": checks, "trace": {"answer": "x", "calls": []}});
    let errors = Harness::new("evals").parse(&case.to_string()).err()?;
    errors.iter().next().map(|error| error.problem.clone())
}

/// Converts a set of assertions, all of which must hold. A set with a threshold is unsupported.
fn convert_set(
    mut keys: Keys<'_>,
    scope: AssertionScope<'_>,
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
    inner.into_iter().flat_map(|node| convert_assertion(node, scope, unsupported)).collect()
}

fn read_assertion(name: &str, keys: &mut Keys<'_>, scope: AssertionScope<'_>) -> Result<Assertion, String> {
    for key in ["transform", "contextTransform"] {
        if keys.node().get(key).is_some() {
            return Err("arraign checks answers without transforming them".to_owned());
        }
    }
    if keys.node().get("weight").map(Node::to_json).and_then(|weight| weight.as_f64()) == Some(0.0) {
        return Err("an assertion with weight 0 cannot fail".to_owned());
    }
    let (not, kind) = name.strip_prefix("not-").map_or((false, name), |kind| (true, kind));
    if CODE.contains(&kind) && kind != "javascript" {
        return Err(explain_unsupported(kind).to_owned());
    }
    if kind == "javascript" && keys.node().get("threshold").is_some() {
        return Err("the threshold of a script that returns a score cannot be carried".to_owned());
    }
    let value = keys.take(&["value"]).map(Node::to_json).unwrap_or_default();
    let value = match value.as_str() {
        Some(text) if text.starts_with("package:") => {
            return Err("the value is in a package: write the value itself".to_owned());
        }
        Some(text) => files::read_value(text, scope.source_dir)?,
        None => value,
    };
    // What a trajectory is compared with is a template as a whole, unlike a schema.
    let fill = if kind.starts_with("trajectory:") { fill_deeply } else { fill_value };
    Ok(Assertion {
        kind: kind.to_owned(),
        not,
        value: fill(&value, scope.vars).ok_or_else(|| TOO_MUCH.to_owned())?,
        threshold: keys.node().get("threshold").and_then(|node| node.to_json().as_f64()),
        metric: keys.node().get("metric").and_then(Node::as_str).map(str::to_owned),
    })
}

type ConvertedChecks = Result<Vec<Value>, &'static str>;

/// Builds the checks of an assertion. The opposite of a check without one of its own is `none_of`.
fn build_checks(assertion: &Assertion, form: OutputForm) -> ConvertedChecks {
    let kind = assertion.kind.as_str();
    if kind.starts_with("trajectory:") || kind == "tool-call-f1" {
        return trajectory::build_checks(assertion);
    }
    if !assertion.not {
        return build_positive(assertion, form);
    }
    match kind {
        "contains" | "icontains" | "contains-any" | "icontains-any" => check_absent(assertion),
        "regex" => Ok(vec![build_check("not_regex", read_pattern(assertion)?)]),
        // promptfoo finds JSON anywhere in a text, and `json: fenced` does not.
        "contains-json" => {
            Err("arraign does not look for JSON inside a text, so it cannot require that there is none")
        }
        _ => {
            let mut checks = build_positive(assertion, form)?;
            let check = if checks.len() == 1 { checks.remove(0) } else { build_check("all_of", checks) };
            Ok(vec![build_check("none_of", vec![check])])
        }
    }
}

fn build_positive(assertion: &Assertion, form: OutputForm) -> ConvertedChecks {
    match assertion.kind.as_str() {
        "contains" | "icontains" | "contains-all" | "icontains-all" | "contains-any" | "icontains-any" => {
            check_contains(assertion)
        }
        "equals" => check_equals(assertion),
        "starts-with" => {
            let settings = json!({"value": assertion.require_text()?, "case_sensitive": true});
            Ok(vec![build_check("starts_with", settings)])
        }
        "regex" => Ok(vec![build_check("regex", read_pattern(assertion)?)]),
        "javascript" => {
            let check = assertion.value.as_str().and_then(|code| convert_script(code, form));
            check.map(|check| vec![check]).ok_or_else(|| explain_unsupported("javascript"))
        }
        "is-json" => check_json(assertion, "strict"),
        "contains-json" => check_json(assertion, "fenced"),
        "cost" => check_limit(assertion, "cost_at_most"),
        "latency" => check_limit(assertion, "duration_at_most"),
        "is-refusal" => Ok(vec![build_check("refusal", json!({}))]),
        _ => ask_judge(assertion),
    }
}

fn read_pattern(assertion: &Assertion) -> Result<Value, &'static str> {
    let text = assertion.require_text()?;
    let flags = text.strip_prefix("(?").and_then(|rest| rest.split_once(')')).map(|(flags, _)| flags);
    if flags.is_some_and(|flags| !flags.is_empty() && flags.chars().all(|flag| flag.is_ascii_alphabetic())) {
        return Err("`(?i)` at the start of a pattern is no JavaScript, and promptfoo ends with an error");
    }
    Ok(pattern::build_settings(&text, ""))
}

/// Returns the texts of a `contains` assertion.
fn read_texts(assertion: &Assertion) -> Result<Vec<String>, &'static str> {
    let is_single = matches!(assertion.kind.as_str(), "contains" | "icontains");
    let texts = if is_single { vec![assertion.require_text()?] } else { assertion.list_texts() };
    if texts.is_empty() || texts.iter().any(String::is_empty) {
        return Err("every answer contains an empty text");
    }
    Ok(texts)
}

/// `contains` of promptfoo compares case; arraign does so only with this setting.
fn build_text_check(check: &str, text: &str, folded: bool) -> Value {
    build_check(
        check,
        if folded { json!({"value": text}) } else { json!({"value": text, "case_sensitive": true}) },
    )
}

fn check_contains(assertion: &Assertion) -> ConvertedChecks {
    let folded = assertion.kind.starts_with('i');
    let texts = read_texts(assertion)?;
    if assertion.kind.ends_with("any") {
        let pattern = pattern::match_any(&texts);
        return Ok(vec![build_check(
            "regex",
            pattern::build_settings(&pattern, if folded { "i" } else { "" }),
        )]);
    }
    Ok(texts.iter().map(|text| build_text_check("contains", text, folded)).collect())
}

fn check_absent(assertion: &Assertion) -> ConvertedChecks {
    let folded = assertion.kind.starts_with('i');
    Ok(read_texts(assertion)?.iter().map(|text| build_text_check("not_contains", text, folded)).collect())
}

fn check_equals(assertion: &Assertion) -> ConvertedChecks {
    let check = match &assertion.value {
        Value::Array(_) | Value::Object(_) => {
            build_check("jsonpath", json!({"path": "$", "equals": assertion.value}))
        }
        _ => build_text_check("equals", &assertion.require_text()?, false),
    };
    Ok(vec![check])
}

/// Checks that the answer is JSON, with a schema if there is one.
fn check_json(assertion: &Assertion, form: &str) -> ConvertedChecks {
    let mut settings = Map::new();
    let check = match convert_schema(&assertion.value)? {
        ConvertedSchema::Any => {
            settings.insert("path".to_owned(), "$".into());
            "jsonpath_exists"
        }
        ConvertedSchema::Schema(schema) => {
            settings.insert("schema".to_owned(), schema);
            settings.insert("formats".to_owned(), true.into());
            "json_schema"
        }
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
