//! Builds the checks of an assertion on the answer.

use super::assertion::Assertion;
use super::judged::{ask_judge, explain_unsupported};
use super::schema::{ConvertedSchema, convert_schema};
use super::script::{OutputForm, convert_script};
use super::trajectory;
use crate::import::draft::build_check;
use crate::import::pattern;
use arraign::json::{self, Json, JsonMap, json};

pub(super) type ConvertedChecks = Result<Vec<Json>, &'static str>;

/// Builds the checks of an assertion. The opposite of a check without one of its own is `none_of`.
pub(super) fn build_checks(assertion: &Assertion, form: OutputForm) -> ConvertedChecks {
    let kind = assertion.kind.as_str();
    if kind.starts_with("trajectory:") || kind == "tool-call-f1" {
        return trajectory::build_checks(assertion);
    }
    if kind == "javascript" {
        let check = assertion.value.as_str().and_then(|code| convert_script(code, form, assertion.not));
        return check.map(|check| vec![check]).ok_or_else(|| explain_unsupported(kind));
    }
    if !assertion.not {
        return build_positive(assertion);
    }
    match kind {
        "contains" | "icontains" | "contains-any" | "icontains-any" => check_absent(assertion),
        "regex" => Ok(vec![build_check("not_regex", read_pattern(assertion)?)]),
        // promptfoo finds JSON anywhere in a text, and `json: fenced` does not.
        "contains-json" => {
            Err("arraign does not look for JSON inside a text, so it cannot require a text without JSON")
        }
        _ => {
            let mut checks = build_positive(assertion)?;
            // The opposite of several checks is that not all of them hold, which `none_of` over each would not say.
            let check = if checks.len() == 1 { checks.remove(0) } else { build_check("all_of", checks) };
            Ok(vec![build_check("none_of", vec![check])])
        }
    }
}

fn build_positive(assertion: &Assertion) -> ConvertedChecks {
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
        "levenshtein" => {
            let most = assertion.threshold.unwrap_or(DEFAULT_EDITS);
            Ok(vec![build_check(
                "similarity",
                json!({"to": assertion.require_text()?, "max_edits": shorten(most)}),
            )])
        }
        "rouge-n" => {
            let least = assertion.threshold.unwrap_or(DEFAULT_ROUGE);
            Ok(vec![build_check(
                "similarity",
                json!({"to": assertion.require_text()?, "min_rouge": shorten(least)}),
            )])
        }
        "word-count" => bound_words(&assertion.value),
        "is-json" => check_json(assertion, "strict"),
        "contains-json" => check_json(assertion, "fenced"),
        "cost" => check_limit(assertion, "cost_at_most"),
        "latency" => check_limit(assertion, "duration_at_most"),
        "is-refusal" => Ok(vec![build_check("refusal", json!({}))]),
        _ => ask_judge(assertion),
    }
}

fn read_pattern(assertion: &Assertion) -> Result<Json, &'static str> {
    let text = assertion.require_text()?;
    // JavaScript has no flags inside of a pattern; a group such as `(?:` has no letters before its end.
    let flags = text.strip_prefix("(?").and_then(|rest| rest.split_once(')')).map(|(flags, _)| flags);
    if flags.is_some_and(|flags| !flags.is_empty() && flags.chars().all(|flag| flag.is_ascii_alphabetic())) {
        return Err("`(?i)` at the start of a pattern is no JavaScript, and promptfoo ends with an error");
    }
    Ok(pattern::build_settings(&text, ""))
}

/// The distance that `levenshtein` allows without `threshold`.
const DEFAULT_EDITS: f64 = 5.0;

/// The score that `rouge-n` requires without `threshold`.
const DEFAULT_ROUGE: f64 = 0.75;

/// Bounds the number of words, which white space separates.
fn bound_words(value: &Json) -> ConvertedChecks {
    let text = value.as_str().and_then(|text| text.trim().parse::<u64>().ok());
    let (least, most) = match (value.as_u64().or(text), value) {
        (Some(count), _) => (Some(count), Some(count)),
        (None, Json::Object(bounds)) => {
            let [least, most] = ["min", "max"].map(|key| bounds.get(key));
            if [least, most].iter().flatten().any(|bound| !bound.is_u64()) {
                return Err("expected whole numbers as `min` and `max`");
            }
            (least.and_then(Json::as_u64), most.and_then(Json::as_u64))
        }
        _ => return Err("expected a whole number as `value`, or `min` and `max`"),
    };
    let least_count = match (least, most) {
        (None, None) => return Err("expected `min` or `max`"),
        // A regex with such bounds would not load, and the case with it.
        (Some(least), Some(most)) if least > most => {
            return Err("`min` is above `max`, so promptfoo ends with an error");
        }
        (least, _) => least.unwrap_or(0),
    };
    let most = most.map_or_else(String::new, |most| most.to_string());
    let whole = format!(r"^\s*(?:\S+(?:\s+|$)){{{least_count},{most}}}$");
    Ok(vec![build_check("regex", pattern::build_settings(&whole, ""))])
}

/// Returns the texts of a `contains` assertion.
fn read_texts(assertion: &Assertion) -> Result<Vec<String>, &'static str> {
    let is_single = matches!(assertion.kind.as_str(), "contains" | "icontains");
    let texts = if is_single { vec![assertion.require_text_or_number()?] } else { assertion.list_texts() };
    if texts.is_empty() || texts.iter().any(String::is_empty) {
        return Err("every answer contains an empty text");
    }
    Ok(texts)
}

/// `contains` of promptfoo compares case; arraign does so only with this setting.
fn build_text_check(check: &str, text: &str, folded: bool) -> Json {
    build_check(
        check,
        if folded { json!({"value": text}) } else { json!({"value": text, "case_sensitive": true}) },
    )
}

fn check_contains(assertion: &Assertion) -> ConvertedChecks {
    let folded = assertion.kind.starts_with('i');
    let texts = read_texts(assertion)?;
    let mut checks: Vec<Json> = texts.iter().map(|text| build_text_check("contains", text, folded)).collect();
    // `any_of` over one check is the check itself.
    if assertion.kind.ends_with("any") && checks.len() > 1 {
        checks = vec![build_check("any_of", checks)];
    }
    Ok(checks)
}

fn check_absent(assertion: &Assertion) -> ConvertedChecks {
    let folded = assertion.kind.starts_with('i');
    Ok(read_texts(assertion)?.iter().map(|text| build_text_check("not_contains", text, folded)).collect())
}

fn check_equals(assertion: &Assertion) -> ConvertedChecks {
    let check = match &assertion.value {
        Json::Array(_) | Json::Object(_) => {
            build_check("jsonpath", json!({"path": "$", "equals": assertion.value}))
        }
        Json::Bool(value) => build_text_check("equals", &value.to_string(), false),
        _ => build_text_check("equals", &assertion.require_text_or_number()?, false),
    };
    Ok(vec![check])
}

/// Checks that the answer is JSON, with a schema if there is one.
fn check_json(assertion: &Assertion, form: &str) -> ConvertedChecks {
    let mut settings = JsonMap::new();
    let check = match convert_schema(&assertion.value)? {
        ConvertedSchema::Any if form == "strict" => {
            settings.insert("path".to_owned(), "$".into());
            "jsonpath_exists"
        }
        // Inside a text, promptfoo takes only objects for JSON. It finds those in an array, too.
        ConvertedSchema::Any => {
            let of_objects = json!({"json_schema": {"schema": {"type": "object"}, "json": form}});
            let array = json!({"type": "array", "minItems": 1, "items": {"type": "object"}});
            let in_array = json!({"json_schema": {"schema": array, "json": form}});
            return Ok(vec![build_check("any_of", vec![of_objects, in_array])]);
        }
        // For the same reason, a schema that accepts other values is narrowed to objects.
        ConvertedSchema::Schema(schema) => {
            let is_of_objects = form == "strict" || schema["type"] == "object";
            let of_objects = json!({"$schema": schema["$schema"], "type": "object", "allOf": [schema]});
            settings.insert("schema".to_owned(), if is_of_objects { schema } else { of_objects });
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
    Ok(vec![build_check(check, shorten(most))])
}

/// Returns a number as a user writes it: 500, and not 500.0.
fn shorten(number: f64) -> Json {
    let whole = json::to_json(&number).ok().filter(|_| number.fract() != 0.0);
    #[expect(clippy::cast_possible_truncation, reason = "a whole number")]
    whole.unwrap_or_else(|| (number as i64).into())
}
