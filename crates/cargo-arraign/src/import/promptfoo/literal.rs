//! The parts of a JavaScript expression: operators and literals.

use arraign::json::{Json, JsonNumber};
/// Splits at `operator`, if no quotes or parentheses around it are open. `None` if some are never closed.
pub(super) fn split_outside_quotes<'c>(code: &'c str, operator: &str) -> Option<Vec<&'c str>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in code.char_indices() {
        if let Some(open) = quote {
            // An escaped quote does not close the literal.
            quote = (c != open || escaped).then_some(open);
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '\'' | '"' | '`' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            // A bracket that was never opened means that this is no JavaScript that is understood here.
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

/// Whether `==` compares a text as it is, because no number has this text.
pub(super) fn is_plain_text(value: &Json) -> bool {
    value.as_str().is_some_and(|text| text.starts_with(|c: char| c.is_alphabetic() && c != 'I' && c != 'N'))
}

/// Splits a comparison into its left side, operator and right side.
pub(super) fn split_comparison(term: &str) -> Option<(&str, &str, &str)> {
    const OPERATORS: [&str; 8] = ["===", "!==", "<=", ">=", "==", "!=", "<", ">"];
    let (at, operator) = OPERATORS
        .iter()
        .filter_map(|operator| Some((term.find(operator)?, *operator)))
        .min_by_key(|(at, operator)| (*at, std::cmp::Reverse(operator.len())))?;
    Some((term[..at].trim(), operator, term[at + operator.len()..].trim()))
}

/// Reads a number, a boolean or a text.
pub(super) fn read_literal(text: &str) -> Option<Json> {
    match text {
        "true" => Some(true.into()),
        "false" => Some(false.into()),
        _ => read_string(text)
            .map(Json::from)
            .or_else(|| text.parse::<JsonNumber<'static>>().ok().map(Json::Number)),
    }
}

/// Reads a string literal without interpolation.
pub(super) fn read_string(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut value = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            // A quote inside means that these are two literals with an operator between them.
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
