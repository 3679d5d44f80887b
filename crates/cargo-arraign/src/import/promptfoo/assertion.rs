//! An assertion as checks.

use arraign::__internals::yaml::Node;
use serde_json::{Map, Value, json};

use super::elsewhere;
use super::template::{TOO_MUCH, filled_in};
use super::trajectory;
use crate::import::beside::Beside;
use crate::import::draft::named;
use crate::import::lost::{Keys, Lost, list};
use crate::import::pattern;
use crate::import::question::{question, same_as};

/// Settings of an assertion that change nothing of what is checked here.
const OF_AN_ASSERTION: &[(&[&str], &str)] = &[
    (&["weight"], "a score over all assertions is not made: here each of them must hold"),
    (&["provider", "rubricPrompt"], "how a judge is asked is said once for all cases"),
    (&["metric"], "assertions are not summed by a name"),
    (&["threshold"], "a judge says yes or no here, and the other checks hold or do not"),
    (&["config", "value"], "it has no counterpart here"),
];

/// Types of assertions whose threshold is what they ask.
const LIMITS: &[&str] = &["cost", "latency", "tool-call-f1"];

/// Types of assertions that run code.
const CODE: &[&str] = &["javascript", "python", "ruby", "webhook"];

/// An assertion with its variables filled in.
pub(super) struct Assertion {
    /// The type without `not-`.
    pub(super) kind: String,
    pub(super) not: bool,
    pub(super) value: Value,
    pub(super) threshold: Option<f64>,
    metric: Option<String>,
}

impl Assertion {
    /// The texts of the value: a list, or the parts between commas.
    pub(super) fn texts(&self) -> Vec<String> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match &self.value {
            Value::Array(list) => list.iter().map(text).collect(),
            Value::String(text) => {
                text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
            }
            other => vec![text(other)],
        }
    }

    /// The value as the one text that it is.
    fn text(&self) -> Result<String, &'static str> {
        match &self.value {
            Value::String(text) if !text.is_empty() => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            _ => Err("its value is no text"),
        }
    }
}

/// What an assertion asks, as entries of `expect`; what cannot be carried is told.
pub(super) fn checks(
    node: Node<'_>,
    vars: &Map<String, Value>,
    beside: &Beside,
    lost: &mut Lost,
) -> Vec<Value> {
    let Some(mut keys) = Keys::of(node) else {
        lost.key(node, "assert", "an assertion is a mapping");
        return Vec::new();
    };
    let name = keys.text(&["type"]).unwrap_or_default();
    if name == "assert-set" {
        return of_a_set(keys, vars, beside, lost);
    }
    match read(&name, &mut keys, vars, beside)
        .and_then(|assertion| carried(&assertion).map_err(str::to_owned))
    {
        Ok(checks) => {
            keys.skip(&["metric"]);
            if LIMITS.contains(&name.as_str()) {
                keys.skip(&["threshold"]);
            }
            keys.lose_rest(OF_AN_ASSERTION, lost);
            checks
        }
        Err(why) => {
            lost.key(node, &name, why);
            Vec::new()
        }
    }
}

/// All of a set must hold, unless it has a threshold of its own.
fn of_a_set(mut keys: Keys<'_>, vars: &Map<String, Value>, beside: &Beside, lost: &mut Lost) -> Vec<Value> {
    if keys.take(&["threshold"]).is_some() {
        lost.key(keys.node(), "assert-set", "a share of assertions cannot be asked for: split the set");
        return Vec::new();
    }
    let inner = list(keys.take(&["assert"]));
    keys.lose_rest(OF_AN_ASSERTION, lost);
    inner.into_iter().flat_map(|node| checks(node, vars, beside, lost)).collect()
}

fn read(
    name: &str,
    keys: &mut Keys<'_>,
    vars: &Map<String, Value>,
    beside: &Beside,
) -> Result<Assertion, String> {
    for key in ["transform", "contextTransform"] {
        if keys.node().get(key).is_some() {
            return Err("it looks at a transformed answer: answers are checked as they are".to_owned());
        }
    }
    if keys.node().get("weight").map(Node::to_json).and_then(|weight| weight.as_f64()) == Some(0.0) {
        return Err("its weight is 0: it can never fail".to_owned());
    }
    let (not, kind) = name.strip_prefix("not-").map_or((false, name), |kind| (true, kind));
    if CODE.contains(&kind) {
        return Err(why_not(kind).to_owned());
    }
    let value = keys.take(&["value"]).map(Node::to_json).unwrap_or_default();
    let value = match value.as_str() {
        Some(text) if text.starts_with("package:") => {
            return Err("its value stands in a package: write it out".to_owned());
        }
        Some(text) => elsewhere::value(text, beside)?,
        None => value,
    };
    Ok(Assertion {
        kind: kind.to_owned(),
        not,
        value: filled_in(&value, vars).ok_or_else(|| TOO_MUCH.to_owned())?,
        threshold: keys.node().get("threshold").and_then(|node| node.to_json().as_f64()),
        metric: keys.node().get("metric").and_then(Node::as_str).map(str::to_owned),
    })
}

type Carried = Result<Vec<Value>, &'static str>;

fn carried(assertion: &Assertion) -> Carried {
    let kind = assertion.kind.as_str();
    match kind {
        "contains" | "icontains" | "contains-all" | "icontains-all" | "contains-any" | "icontains-any" => {
            contains(assertion)
        }
        "equals" => equals(assertion),
        "starts-with" => starts_with(assertion),
        "regex" => {
            let check = if assertion.not { "not_regex" } else { "regex" };
            Ok(vec![named(check, pattern::settings(&assertion.text()?, ""))])
        }
        _ if kind.starts_with("trajectory:") || kind == "tool-call-f1" => trajectory::carried(assertion),
        _ if assertion.not => Err("its opposite cannot be asked for here"),
        "is-json" => json_of(assertion, "strict"),
        "contains-json" => json_of(assertion, "fenced"),
        "cost" => limit(assertion, "cost_at_most"),
        "latency" => limit(assertion, "duration_at_most"),
        "is-refusal" => Ok(vec![named("refusal", json!({}))]),
        _ => judged(assertion),
    }
}

fn contains(assertion: &Assertion) -> Carried {
    let folded = assertion.kind.starts_with('i');
    let kind = assertion.kind.trim_start_matches('i');
    let texts = if kind == "contains" { vec![assertion.text()?] } else { assertion.texts() };
    if texts.is_empty() || texts.iter().any(String::is_empty) {
        return Err("an empty text is in everything");
    }
    let one = |check: &str, text: &String| {
        let mut settings = json!({"value": text});
        if !folded {
            settings["case_sensitive"] = true.into();
        }
        named(check, settings)
    };
    let flags = if folded { "i" } else { "" };
    match (kind, assertion.not) {
        ("contains-any", false) => {
            Ok(vec![named("regex", pattern::settings(&pattern::any_of(&texts), flags))])
        }
        ("contains-all", true) => Err("that one of several texts is missing cannot be asked for: split it"),
        (_, false) => Ok(texts.iter().map(|text| one("contains", text)).collect()),
        (_, true) => Ok(texts.iter().map(|text| one("not_contains", text)).collect()),
    }
}

fn equals(assertion: &Assertion) -> Carried {
    let check = match (&assertion.value, assertion.not) {
        (Value::Array(_) | Value::Object(_), false) => {
            named("jsonpath", json!({"path": "$", "equals": assertion.value}))
        }
        (Value::Array(_) | Value::Object(_), true) => return Err("its opposite cannot be asked for here"),
        (_, false) => named("equals", json!({"value": assertion.text()?, "case_sensitive": true})),
        (_, true) => named("not_regex", pattern::settings(&pattern::whole(&assertion.text()?), "")),
    };
    Ok(vec![check])
}

fn starts_with(assertion: &Assertion) -> Carried {
    let text = assertion.text()?;
    Ok(vec![if assertion.not {
        named("not_regex", pattern::settings(&pattern::at_start(&text), ""))
    } else {
        named("starts_with", json!({"value": text, "case_sensitive": true}))
    }])
}

/// JSON, of a schema where one is given.
fn json_of(assertion: &Assertion, form: &str) -> Carried {
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
        _ => return Err("its schema is a text: write it as YAML"),
    };
    if form != "strict" {
        settings.insert("json".to_owned(), form.into());
    }
    Ok(vec![named(check, settings)])
}

fn limit(assertion: &Assertion, check: &str) -> Carried {
    let most = assertion.threshold.ok_or("it has no `threshold`")?;
    let whole = serde_json::to_value(most).ok().filter(|_| most.fract() != 0.0);
    #[expect(clippy::cast_possible_truncation, reason = "a whole number: 500, and not 500.0")]
    Ok(vec![named(check, whole.unwrap_or_else(|| (most as i64).into()))])
}

/// What a judge decides. Its score is no threshold here: the judge says yes or no.
fn judged(assertion: &Assertion) -> Carried {
    let label = assertion.metric.as_deref().unwrap_or(&assertion.kind);
    let ask = |prompt: &str| question(label, prompt);
    match assertion.kind.as_str() {
        "llm-rubric" | "agent-rubric" | "search-rubric" | "model-graded-closedqa" => {
            Ok(vec![ask(&assertion.text()?)])
        }
        "g-eval" => match &assertion.value {
            Value::Array(_) => {
                let prompts = assertion.texts();
                let numbered =
                    |(at, prompt): (usize, &String)| question(&format!("{label} {}", at + 1), prompt);
                Ok(prompts.iter().enumerate().map(numbered).collect())
            }
            _ => Ok(vec![ask(&assertion.text()?)]),
        },
        "factuality" | "model-graded-factuality" => Ok(vec![ask(&same_as(&assertion.text()?))]),
        kind => Err(why_not(kind)),
    }
}

fn why_not(kind: &str) -> &'static str {
    match kind {
        kind if CODE.contains(&kind) => "it runs code: write it as a check in Rust (`Harness::check`)",
        "similar" | "similar:cosine" | "similar:dot" | "similar:euclidean" | "levenshtein" | "bleu"
        | "gleu" | "meteor" | "rouge-n" => "likeness is not measured here: ask a judge (`agent_check`)",
        "context-faithfulness" => {
            "the check `grounded` holds the answer against the results, without a model"
        }
        "answer-relevance"
        | "context-recall"
        | "context-relevance"
        | "conversation-relevance"
        | "classifier"
        | "moderation"
        | "guardrails"
        | "pi" => "it has a model of its own: ask a judge (`agent_check`)",
        "is-valid-function-call" | "is-valid-openai-function-call" | "is-valid-openai-tools-call" => {
            "arguments are held against schemas by `args_valid`: give it the schemas of the tools"
        }
        _ => "there is no such check here",
    }
}
