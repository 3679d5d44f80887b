//! Builds the checks of an assertion on the answer.

use serde_json::{Map, Value, json};

use super::assertion::Assertion;
use super::judged::{ask_judge, explain_unsupported};
use super::schema::{ConvertedSchema, convert_schema};
use super::script::{OutputForm, convert_script};
use super::trajectory;
use crate::import::draft::build_check;
use crate::import::pattern;

pub(super) type ConvertedChecks = Result<Vec<Value>, &'static str>;

/// Builds the checks of an assertion. The opposite of a check without one of its own is `none_of`.
pub(super) fn build_checks(assertion: &Assertion, form: OutputForm) -> ConvertedChecks {
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
