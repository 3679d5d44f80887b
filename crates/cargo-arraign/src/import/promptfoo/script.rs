//! Short JavaScript assertions of the usual forms, converted to checks.
//!
//! An expression is a disjunction of conjunctions of comparisons: of the length of the output, of a text in it, of a field of
//! its JSON. Everything else is code, which is not run.

use serde_json::{Value, json};

use crate::import::draft::build_check;
use crate::import::pattern;

/// What a field of the output means: `output.a` reads a field of a value, and nothing of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputForm {
    Text,
    Value,
    Unknown,
}

/// Converts an expression. `None` if it has another form.
pub(super) fn convert_script(code: &str, form: OutputForm) -> Option<Value> {
    let code = code.trim().trim_end_matches(';').trim();
    let code = code.strip_prefix("return ").unwrap_or(code).trim();
    if code.contains('\n') {
        return None;
    }
    convert_any(code, form)
}

fn convert_any(code: &str, form: OutputForm) -> Option<Value> {
    let parts = split_outside_quotes(code, "||")?;
    let checks = parts.into_iter().map(|part| convert_all(part, form)).collect::<Option<Vec<_>>>()?;
    Some(combine("any_of", checks))
}

fn convert_all(code: &str, form: OutputForm) -> Option<Value> {
    let parts = split_outside_quotes(code, "&&")?;
    let checks = parts.into_iter().map(|part| convert_term(part.trim(), form)).collect::<Option<Vec<_>>>()?;
    Some(combine("all_of", checks))
}

fn combine(name: &str, mut checks: Vec<Value>) -> Value {
    match checks.len() {
        1 => checks.remove(0),
        _ => build_check(name, checks),
    }
}

/// Splits at `operator`, if no quotes or parentheses around it are open. `None` if some are never closed.
fn split_outside_quotes<'c>(code: &'c str, operator: &str) -> Option<Vec<&'c str>> {
    let (mut parts, mut start, mut depth, mut quote, mut escaped) = (Vec::new(), 0, 0_usize, None, false);
    for (at, c) in code.char_indices() {
        if let Some(open) = quote {
            quote = (c != open || escaped).then_some(open);
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '\'' | '"' | '`' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ if depth == 0 && at >= start && code[at..].starts_with(operator) => {
                parts.push(&code[start..at]);
                start = at + operator.len();
            }
            _ => {}
        }
    }
    parts.push(&code[start..]);
    (quote.is_none() && depth == 0).then_some(parts)
}

fn convert_term(term: &str, form: OutputForm) -> Option<Value> {
    if let Some(inner) = term.strip_prefix('!').filter(|inner| !inner.starts_with('=')) {
        return Some(build_check("none_of", vec![convert_term(inner.trim(), form)?]));
    }
    if let Some(inner) = term.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        return convert_any(inner, form);
    }
    convert_call(term).or_else(|| convert_comparison(term, form))
}

/// `output.includes('x')`, also of the output in one case, and tests of regular expressions.
fn convert_call(term: &str) -> Option<Value> {
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
    if method == "match" && !folded {
        return build_pattern(argument.trim());
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

fn build_pattern(literal: &str) -> Option<Value> {
    let (source, flags) = literal.strip_prefix('/')?.rsplit_once('/')?;
    let is_plain = flags.chars().all(|flag| "gims".contains(flag)) && !source.is_empty();
    is_plain.then(|| build_check("regex", pattern::build_settings(source, flags)))
}

/// `output.length < 100`, `output === 'x'`, `JSON.parse(output).a === 1`, `output.a === 'x'`.
fn convert_comparison(term: &str, form: OutputForm) -> Option<Value> {
    let (left, operator, right) = split_comparison(term)?;
    match left {
        "output.length" if form != OutputForm::Value => bound_length(operator, right.parse().ok()?),
        "output" | "output.trim()" => {
            let text = read_string(right)?;
            let blanks = if left == "output" { "" } else { r"\s*" };
            let whole = format!("^{blanks}{}{blanks}$", pattern::escape_literal(&text));
            negate_unless_equal(operator, build_check("regex", pattern::build_settings(&whole, "")))
        }
        _ => {
            let field = read_field(left, form)?;
            let wanted = read_literal(right)?;
            negate_unless_equal(operator, build_check("jsonpath", json!({"path": field, "equals": wanted})))
        }
    }
}

fn negate_unless_equal(operator: &str, check: Value) -> Option<Value> {
    match operator {
        "===" | "==" => Some(check),
        // A field that is missing is not equal, and an output that is no JSON makes the expression an error.
        "!==" | "!=" if check.get("regex").is_some() => Some(build_check("none_of", vec![check])),
        _ => None,
    }
}

fn split_comparison(term: &str) -> Option<(&str, &str, &str)> {
    const OPERATORS: [&str; 8] = ["===", "!==", "<=", ">=", "==", "!=", "<", ">"];
    let (at, operator) = OPERATORS
        .iter()
        .filter_map(|operator| Some((term.find(operator)?, *operator)))
        .min_by_key(|(at, operator)| (*at, std::cmp::Reverse(operator.len())))?;
    Some((term[..at].trim(), operator, term[at + operator.len()..].trim()))
}

/// The length counts UTF-16 units, and so does a pattern.
fn bound_length(operator: &str, count: u32) -> Option<Value> {
    let (least, most) = match operator {
        "<" => (0, Some(count.checked_sub(1)?)),
        "<=" => (0, Some(count)),
        ">" => (count.checked_add(1)?, None),
        ">=" => (count, None),
        "===" | "==" => (count, Some(count)),
        _ => return None,
    };
    let most = most.map_or_else(String::new, |most| most.to_string());
    Some(build_check("regex", pattern::build_settings(&format!("^[\\s\\S]{{{least},{most}}}$"), "")))
}

/// Returns the JSONPath of a field of the output.
fn read_field(left: &str, form: OutputForm) -> Option<String> {
    let parsed = left.strip_prefix("JSON.parse(output).");
    let names = if form == OutputForm::Value {
        left.strip_prefix("output.").filter(|_| parsed.is_none())?
    } else {
        parsed?
    };
    let is_name = |name: &str| {
        !name.is_empty()
            && name != "length"
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    names.split('.').all(is_name).then(|| format!("$.{names}"))
}

fn read_literal(text: &str) -> Option<Value> {
    match text {
        "true" => Some(true.into()),
        "false" => Some(false.into()),
        _ => read_string(text)
            .map(Value::from)
            .or_else(|| serde_json::from_str::<serde_json::Number>(text).ok().map(Value::Number)),
    }
}

/// Reads a string literal without interpolation.
fn read_string(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let (mut value, mut chars) = (String::new(), inner.chars());
    while let Some(c) = chars.next() {
        match c {
            _ if c == quote => return None,
            '$' if quote == '`' => return None,
            '\\' => value.push(match chars.next()? {
                'n' => '\n',
                't' => '\t',
                escaped @ ('\\' | '\'' | '"' | '`' | '/') => escaped,
                _ => return None,
            }),
            _ => value.push(c),
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(code: &str) -> Option<String> {
        convert_script(code, OutputForm::Text).map(|check| check.to_string())
    }

    #[test]
    fn usual_forms_are_checks() {
        for (code, check) in [
            ("output.length < 100", r#"{"regex":{"pattern":"^[\\s\\S]{0,99}$","flags":""}}"#),
            ("output.length >= 3;", r#"{"regex":{"pattern":"^[\\s\\S]{3,}$","flags":""}}"#),
            ("output.includes('x')", r#"{"contains":{"value":"x","case_sensitive":true}}"#),
            ("return output.toLowerCase().includes(\"x y\")", r#"{"contains":{"value":"x y"}}"#),
            (
                "!output.startsWith('x')",
                r#"{"none_of":[{"starts_with":{"value":"x","case_sensitive":true}}]}"#,
            ),
            ("output === 'a.b'", r#"{"regex":{"pattern":"^a\\.b$","flags":""}}"#),
            ("JSON.parse(output).a.b === 1", r#"{"jsonpath":{"path":"$.a.b","equals":1}}"#),
            ("/a+/i.test(output)", r#"{"regex":{"pattern":"a+","flags":"i"}}"#),
        ] {
            assert_eq!(convert(code).as_deref(), Some(check), "{code}");
        }
        let both = convert("output.includes('a') && (output.includes('b||') || output.length > 5)");
        assert!(both.is_some_and(
            |both| both.starts_with(r#"{"all_of":[{"contains""#) && both.contains(r#"{"any_of":["#)
        ));
        let field = convert_script("output.sentiment === 'good'", OutputForm::Value);
        assert_eq!(field.map(|check| check["jsonpath"]["path"].clone()), Some(json!("$.sentiment")));
    }

    #[test]
    fn other_code_is_none() {
        for code in [
            "output.sentiment === 'good'",
            "output.includes(context.vars.x)",
            "output.toLowerCase().includes('X')",
            "const a = 1;\nreturn a",
            "output.split(' ').length < 5",
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
    }
}
