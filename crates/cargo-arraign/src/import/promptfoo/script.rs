//! Short JavaScript assertions of the usual forms, converted to checks.
//!
//! An expression is a disjunction of conjunctions of comparisons: of the length of the output, of a text in it, of a field of
//! its JSON. Everything else is code, which is not run.

use super::literal::{is_plain_text, read_literal, read_string, split_comparison, split_outside_quotes};
use crate::import::draft::build_check;
use crate::import::pattern;
use arraign::json::{Json, json};

/// What a field of the output means: `output.a` reads a field of a value, and nothing of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputForm {
    Text,
    Value,
    Unknown,
}

/// A converted expression.
struct ScriptCheck {
    check: Json,
    /// Whether the expression ends with an error on some outputs, such as one that is no JSON. An error is a failure, also
    /// of a negation, so an expression that can fail this way is neither negated nor one of several alternatives.
    throws: bool,
}

/// Converts an expression; `not` says that it must be false. `None` if it has another form.
pub(super) fn convert_script(code: &str, form: OutputForm, not: bool) -> Option<Json> {
    let expression = strip_statement(code)?;
    let converted = convert_any(expression, form)?;
    if not { negate(converted).map(|converted| converted.check) } else { Some(converted.check) }
}

/// Returns the expression of a script: a single line, or the only statement of a function's body of several lines.
fn strip_statement(code: &str) -> Option<&str> {
    let code = code.trim_end();
    let is_body = code.contains('\n');
    let code = code.trim().trim_end_matches(';').trim();
    // A line with `return` is no expression, and a body without it returns nothing: both are errors.
    let expression = if is_body { code.strip_prefix("return ")? } else { code };
    (!expression.contains('\n') && !expression.starts_with("return ")).then(|| expression.trim())
}

fn convert_any(code: &str, form: OutputForm) -> Option<ScriptCheck> {
    let parts = split_outside_quotes(code, "||")?;
    let terms = parts.into_iter().map(|part| convert_all(part, form)).collect::<Option<Vec<_>>>()?;
    combine("any_of", terms).filter(|combined| combined.check.get("any_of").is_none() || !combined.throws)
}

fn convert_all(code: &str, form: OutputForm) -> Option<ScriptCheck> {
    let parts = split_outside_quotes(code, "&&")?;
    combine(
        "all_of",
        parts.into_iter().map(|part| convert_term(part.trim(), form)).collect::<Option<Vec<_>>>()?,
    )
}

fn combine(name: &str, mut terms: Vec<ScriptCheck>) -> Option<ScriptCheck> {
    if terms.len() == 1 {
        return terms.pop();
    }
    let throws = terms.iter().any(|term| term.throws);
    let checks: Vec<Json> = terms.into_iter().map(|term| term.check).collect();
    Some(ScriptCheck { check: build_check(name, checks), throws })
}

fn negate(term: ScriptCheck) -> Option<ScriptCheck> {
    let ScriptCheck { check, throws } = term;
    (!throws).then(|| ScriptCheck { check: build_check("none_of", vec![check]), throws })
}

fn convert_term(term: &str, form: OutputForm) -> Option<ScriptCheck> {
    if let Some(inner) = term.strip_prefix('!').filter(|inner| !inner.starts_with('=')) {
        return negate(convert_operand(inner.trim(), form)?);
    }
    convert_operand(term, form)
}

fn convert_operand(term: &str, form: OutputForm) -> Option<ScriptCheck> {
    if let Some(inner) = term.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        return convert_any(inner, form);
    }
    // An output that is no text has none of these methods.
    let call =
        if form == OutputForm::Value { None } else { convert_call(term).or_else(|| convert_choice(term)) };
    call.map(|check| ScriptCheck { check, throws: false })
        .or_else(|| convert_comparison(term, form))
        .or_else(|| convert_field_call(term, form))
}

/// `JSON.parse(output).a.includes('x')`. A list has this method too, but only a text is carried.
fn convert_field_call(term: &str, form: OutputForm) -> Option<ScriptCheck> {
    let (left, argument) =
        term.strip_suffix(')')?.split_once(".includes(").filter(|(left, _)| !left.ends_with('('))?;
    let part = pattern::escape_literal(&read_string(argument.trim())?);
    Some(check_field(&read_field(left, form)?, &json!({"type": "string", "pattern": part})))
}

/// Checks a field of an output that is JSON.
fn check_field(path: &str, schema: &Json) -> ScriptCheck {
    // From the innermost field outwards, each name is an object around the schema so far.
    let names = path.trim_start_matches("$.").rsplit('.');
    let whole = names.fold(
        schema.clone(),
        |inner, name| json!({"type": "object", "required": [name], "properties": {name: inner}}),
    );
    ScriptCheck { check: build_check("json_schema", json!({"schema": whole})), throws: true }
}

/// `JSON.parse(output).a > 3`. JavaScript also compares a text that reads like a number, but only a number is carried.
fn bound_field(path: &str, operator: &str, right: &str) -> Option<ScriptCheck> {
    let keywords =
        [("<", "exclusiveMaximum"), ("<=", "maximum"), (">", "exclusiveMinimum"), (">=", "minimum")];
    let (_, keyword) = keywords.iter().find(|(known, _)| *known == operator)?;
    let limit = read_literal(right).filter(Json::is_number)?;
    Some(check_field(path, &json!({"type": "number", *keyword: limit})))
}

/// `['a', 'b'].includes(output)`: the output is one of these texts.
fn convert_choice(term: &str) -> Option<Json> {
    let list = term.strip_prefix('[')?.strip_suffix("].includes(output)")?;
    let texts = split_outside_quotes(list, ",")?;
    let texts = texts.into_iter().map(|text| read_string(text.trim())).collect::<Option<Vec<_>>>()?;
    let whole = format!("^(?:{})$", pattern::match_any(&texts));
    Some(build_check("regex", pattern::build_settings(&whole, "")))
}

/// `output.includes('x')`, also of the output in one case, and tests of regular expressions.
fn convert_call(term: &str) -> Option<Json> {
    let body = term.strip_suffix(')')?;
    if let Some(pattern) = body.strip_suffix("test(output").and_then(|before| before.strip_suffix('.')) {
        return build_pattern(pattern.trim());
    }
    let (receiver, argument) = body
        .split_once('(')
        .filter(|(receiver, _)| !receiver.ends_with("Case"))
        .or_else(|| split_after_case(body))?;
    let (subject, method) = receiver.rsplit_once('.')?;
    let (subject, folded) = match subject.strip_suffix(".toLowerCase()") {
        Some(subject) => (subject, true),
        None => (subject, false),
    };
    if subject != "output" {
        return None;
    }
    let text = read_string(argument.trim())?;
    // A text with a capital letter is never in a text of small letters.
    if text.is_empty() || (folded && text != text.to_lowercase()) {
        return None;
    }
    let check = match method {
        "includes" => "contains",
        "startsWith" => "starts_with",
        "endsWith" => "ends_with",
        _ => return None,
    };
    let settings =
        if folded { json!({"value": text}) } else { json!({"value": text, "case_sensitive": true}) };
    Some(build_check(check, settings))
}

fn split_after_case(body: &str) -> Option<(&str, &str)> {
    let start = body.find(".toLowerCase()")? + ".toLowerCase()".len();
    let at = start + body[start..].find('(')?;
    Some((&body[..at], &body[at + 1..]))
}

fn build_pattern(literal: &str) -> Option<Json> {
    let (source, flags) = literal.strip_prefix('/')?.rsplit_once('/')?;
    let is_plain = flags.chars().all(|flag| "gims".contains(flag)) && !source.is_empty();
    is_plain.then(|| build_check("regex", pattern::build_settings(source, flags)))
}

/// `output.length < 100`, `output === 'x'`, `output.match(/x/) !== null`, `output.split(' ').length < 5`,
/// `JSON.parse(output).a === 1`, `output.a === 'x'`.
fn convert_comparison(term: &str, form: OutputForm) -> Option<ScriptCheck> {
    let (left, operator, right) = split_comparison(term)?;
    if let Some(field) = read_field(left, form) {
        if operator.len() < 3 && operator.starts_with(['<', '>']) {
            return bound_field(&field, operator, right);
        }
        let wanted = read_literal(right)?;
        // `==` converts a number and its text to each other.
        let is_strict = operator == "===" || (operator == "==" && is_plain_text(&wanted));
        let check = build_check("jsonpath", json!({"path": field, "equals": wanted}));
        return is_strict.then_some(ScriptCheck { check, throws: true });
    }
    // The texts below are compared with the output as it is, and a value has another text than its JSON.
    if form == OutputForm::Value {
        return None;
    }
    let found = ScriptCheck { check: convert_text_comparison(left, operator, right)?, throws: false };
    // `match(..) !== null` is positive: a match is not null.
    let is_negative = operator.starts_with('!') != (right == "null");
    if is_negative { negate(found) } else { Some(found) }
}

/// Converts the comparison of a text. With `!==`, and with `null`, the result is the opposite.
fn convert_text_comparison(left: &str, operator: &str, right: &str) -> Option<Json> {
    let is_equality = operator.ends_with("==") || operator == "!=";
    let matched = left.strip_prefix("output.match(").and_then(|rest| rest.strip_suffix(')'));
    let blanks = if left == "output.trim()" { r"\s*" } else { "" };
    match (left, matched) {
        ("output.length", _) => bound_count(operator, right.parse().ok()?, r"[\s\S]"),
        ("output.split(' ').length", _) => bound_words(operator, right.parse().ok()?),
        ("output" | "output.trim()", _) if is_equality => {
            let text = read_string(right)?;
            let whole = format!("^{blanks}{}{blanks}$", pattern::escape_literal(&text));
            Some(build_check("regex", pattern::build_settings(&whole, "")))
        }
        (_, Some(literal)) if is_equality && right == "null" => build_pattern(literal.trim()),
        _ => None,
    }
}

/// Bounds how often `unit` is repeated. Like a length in JavaScript, a pattern counts UTF-16 units. The opposite of `==` is
/// left to the caller.
fn bound_count(operator: &str, count: u32, unit: &str) -> Option<Json> {
    let (least, most) = read_bounds(operator, count)?;
    let most = most.map_or_else(String::new, |most| most.to_string());
    Some(build_check("regex", pattern::build_settings(&format!("^{unit}{{{least},{most}}}$"), "")))
}

/// Bounds the parts between blanks: one more than there are blanks.
fn bound_words(operator: &str, count: u32) -> Option<Json> {
    let (least, most) = read_bounds(operator, count)?;
    // No number of words is below one, so a bound under it cannot be met.
    let most = most.map_or_else(|| Some(String::new()), |most| Some(most.checked_sub(1)?.to_string()))?;
    let whole = format!("^[^ ]*(?: [^ ]*){{{},{most}}}$", least.saturating_sub(1));
    Some(build_check("regex", pattern::build_settings(&whole, "")))
}

fn read_bounds(operator: &str, count: u32) -> Option<(u32, Option<u32>)> {
    match operator {
        "<" => Some((0, Some(count.checked_sub(1)?))),
        "<=" => Some((0, Some(count))),
        ">" => Some((count.checked_add(1)?, None)),
        ">=" => Some((count, None)),
        "===" | "==" | "!==" | "!=" => Some((count, Some(count))),
        _ => None,
    }
}

/// Whether this is a plain name; `length` belongs to lists and texts, and is no field.
fn is_field_name(name: &str) -> bool {
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_word && !name.is_empty() && name != "length" && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the JSONPath of a field of the output.
fn read_field(left: &str, form: OutputForm) -> Option<String> {
    let parsed = left.strip_prefix("JSON.parse(output).");
    // A value is not parsed again, and a text has no fields.
    let names = if form == OutputForm::Value {
        left.strip_prefix("output.").filter(|_| parsed.is_none())?
    } else {
        parsed?
    };
    names.split('.').all(is_field_name).then(|| format!("$.{names}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(code: &str) -> Option<String> {
        convert_script(code, OutputForm::Text, false).map(|check| check.to_string())
    }

    #[test]
    fn usual_forms_are_checks() {
        for (code, check) in [
            ("output.length < 100", r#"{"regex":{"pattern":"^[\\s\\S]{0,99}$","flags":""}}"#),
            ("output.length >= 3;", r#"{"regex":{"pattern":"^[\\s\\S]{3,}$","flags":""}}"#),
            ("output.includes('x')", r#"{"contains":{"value":"x","case_sensitive":true}}"#),
            ("\nreturn output.toLowerCase().includes(\"x y\");\n", r#"{"contains":{"value":"x y"}}"#),
            (
                "!output.startsWith('x')",
                r#"{"none_of":[{"starts_with":{"value":"x","case_sensitive":true}}]}"#,
            ),
            ("output === 'a.b'", r#"{"regex":{"pattern":"^a\\.b$","flags":""}}"#),
            ("JSON.parse(output).a.b === 1", r#"{"jsonpath":{"path":"$.a.b","equals":1}}"#),
            (
                "JSON.parse(output).n > 3",
                r#"{"json_schema":{"schema":{"type":"object","required":["n"],"properties":{"n":{"type":"number","exclusiveMinimum":3}}}}}"#,
            ),
            ("/a+/i.test(output)", r#"{"regex":{"pattern":"a+","flags":"i"}}"#),
            ("output.match(/a/) !== null", r#"{"regex":{"pattern":"a","flags":""}}"#),
            ("output.match(/a/) == null", r#"{"none_of":[{"regex":{"pattern":"a","flags":""}}]}"#),
            ("['a', 'b'].includes(output)", r#"{"regex":{"pattern":"^(?:a|b)$","flags":""}}"#),
            ("output.split(' ').length <= 2", r#"{"regex":{"pattern":"^[^ ]*(?: [^ ]*){0,1}$","flags":""}}"#),
        ] {
            assert_eq!(convert(code).as_deref(), Some(check), "{code}");
        }
        let both = convert("output.includes('a') && (output.includes('b||') || output.length > 5)");
        assert!(both.is_some_and(
            |both| both.starts_with(r#"{"all_of":[{"contains""#) && both.contains(r#"{"any_of":["#)
        ));
        let field = convert_script("output.sentiment === 'good'", OutputForm::Value, false);
        assert_eq!(field.map(|check| check["jsonpath"]["path"].clone()), Some(json!("$.sentiment")));
    }

    #[test]
    fn other_code_is_none() {
        for code in [
            "output.sentiment === 'good'",
            "output.includes(context.vars.x)",
            "output.toLowerCase().includes('X')",
            "const a = 1;\nreturn a",
            "output.split(',').length < 5",
            "return output.includes('a')",
            "\noutput.includes('a')",
            "return output.includes('a')\n",
            "output.match(/a/)",
            "JSON.parse(output).a == 1",
            "!(JSON.parse(output).a === 1)",
            "output.includes('a') || JSON.parse(output).a === 1",
            "JSON.parse(output).a !== 1",
            "output.length > x",
            "output.includes('a')) || (output.includes('b')",
            "`${output}` === 'a'",
            "output.includes('')",
            "fetch('http://x')",
            "",
        ] {
            assert_eq!(convert(code), None, "{code}");
        }
        assert_eq!(convert_script("output.includes('a')", OutputForm::Value, false), None);
        assert_eq!(convert_script("JSON.parse(output).a === 1", OutputForm::Text, true), None);
    }
}
