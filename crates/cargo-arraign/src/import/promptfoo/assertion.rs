//! Converts an assertion to checks.

use arraign::__internals::yaml::{Node, render_plain};
use arraign::json::{Json, JsonMap};

use super::ambiguous::find_ambiguous;
use super::checks::build_checks;
use super::files;
use super::judged::explain_unsupported;
use super::list::split_list;
use super::script::OutputForm;
use super::template::{TOO_MUCH, fill_deeply, fill_value, render_as_javascript, render_number};
use crate::import::draft::find_load_error;
use crate::import::keys::{Keys, list_entries};
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
const LIMITS: &[&str] = &["cost", "latency", "levenshtein", "rouge-n", "tool-call-f1"];

/// Types of assertions that run code.
pub(super) const CODE: &[&str] = &["javascript", "python", "ruby", "webhook"];

/// The context that the assertions of a case share.
#[derive(Clone, Copy)]
pub(super) struct AssertionScope<'s> {
    pub(super) vars: &'s JsonMap,
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
    pub(super) value: Json,
    pub(super) threshold: Option<f64>,
    pub(super) metric: Option<String>,
}

impl Assertion {
    /// Returns the assertion without its `not-`.
    pub(super) fn without_not(&self) -> Self {
        Self { not: false, ..self.clone() }
    }

    /// Returns the texts of the value: the entries of a list, or the parts between commas.
    pub(super) fn list_texts(&self) -> Vec<String> {
        match &self.value {
            Json::Array(list) => list.iter().map(render_entry).collect(),
            Json::String(text) => split_list(text),
            other => vec![render_plain(other)],
        }
    }

    /// Returns the value as a single text.
    pub(super) fn require_text(&self) -> Result<String, &'static str> {
        match &self.value {
            Json::String(text) if !text.is_empty() => Ok(text.to_string()),
            _ => Err("expected a text as `value`"),
        }
    }

    /// Returns the value as a single text, also that of a number.
    pub(super) fn require_text_or_number(&self) -> Result<String, &'static str> {
        match &self.value {
            Json::Number(number) => Ok(render_number(number)),
            _ => self.require_text(),
        }
    }
}

/// Renders an entry of a list as the text that promptfoo looks for.
fn render_entry(entry: &Json) -> String {
    match entry {
        Json::Null => "null".to_owned(),
        entry => render_as_javascript(entry),
    }
}

/// Converts an assertion to entries of `expect`, and reports what is unsupported.
pub(super) fn convert_assertion(
    node: Node<'_>,
    scope: AssertionScope<'_>,
    unsupported: &mut UnsupportedList,
) -> Vec<Json> {
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
            // The threshold is the limit that the check has taken.
            if LIMITS.contains(&name.trim_start_matches("not-")) {
                keys.skip(&["threshold"]);
            }
            // These are carried with a difference, so the check and a remark are both written.
            let differs = [("is-refusal", OTHER_WORDS), ("contains-json", OTHER_JSON)];
            if let Some((_, why)) = differs.iter().find(|(kind, _)| name.ends_with(kind)) {
                unsupported.add_key(node, &name, *why);
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

/// The remark on a check that finds JSON in fewer texts than the assertion.
const OTHER_JSON: &str = "carried with `json: fenced`: the answer as a whole, or one block between fences, is JSON; promptfoo also finds JSON between words";

/// Returns the assertion itself, or the template that its `$ref` names.
fn resolve_template<'n>(node: Node<'n>, templates: Option<Node<'n>>) -> Result<Node<'n>, String> {
    let Some(reference) = node.get("$ref").and_then(Node::as_str) else { return Ok(node) };
    if node.entries().into_iter().flatten().count() > 1 {
        return Err("keys beside `$ref` replace those of the template: write the assertion itself".to_owned());
    }
    let name =
        reference.strip_prefix("#/assertionTemplates/").ok_or("only `#/assertionTemplates/NAME` is read")?;
    let found = templates.and_then(|templates| templates.get(name));
    found.ok_or_else(|| format!("there is no template `{name}` in `assertionTemplates`"))
}

/// Builds the checks of an assertion, and makes sure that a case with them loads.
fn build_loadable(assertion: &Assertion, form: OutputForm) -> Result<Vec<Json>, String> {
    let checks = build_checks(assertion, form)?;
    match find_load_error(&checks) {
        None => Ok(checks),
        Some(problem) => Err(format!("left out, because a case with it would not load: {problem}")),
    }
}

/// Converts a set of assertions, all of which must hold. A set with a threshold is unsupported.
fn convert_set(
    mut keys: Keys<'_>,
    scope: AssertionScope<'_>,
    unsupported: &mut UnsupportedList,
) -> Vec<Json> {
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
        // A transformed output is not what the trace records, so a check of it would test another text.
        if keys.node().get(key).is_some() {
            return Err("arraign checks answers without transforming them".to_owned());
        }
    }
    // promptfoo ignores the result of such an assertion, and a check here would count.
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
    let value = keys.take(&["value"]);
    if let Some(odd) = value.and_then(find_ambiguous) {
        return Err(format!(
            "{odd} is another value to promptfoo, because it has no quotes: put it in quotes"
        ));
    }
    let value = value.map(Node::to_json).unwrap_or_default();
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
