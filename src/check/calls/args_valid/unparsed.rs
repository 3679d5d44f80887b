//! Why text is not JSON, said to somebody who does not know the parser.

/// What the parser says, and what that means for "the arguments are not JSON".
const REASONS: &[(&str, &str)] = &[
    ("EOF while parsing an object", "they end inside an object"),
    ("EOF while parsing a list", "they end inside a list"),
    ("EOF while parsing a string", "they end inside a text"),
    ("EOF while parsing a value", "they end where a value should stand"),
    ("expected `:`", "there is no `:` after a key"),
    ("expected `,` or `]`", "there is no `,` or `]` after a value"),
    ("expected `,` or `}`", "there is no `,` or `}` after a value"),
    ("expected ident", "a word is none of `true`, `false` and `null`"),
    ("expected value", "there is no value where one should stand"),
    ("expected `\"`", "there is no `\"` where a text should begin"),
    ("key must be a string", "a key is not in double quotes"),
    ("trailing comma", "a comma follows the last value"),
    ("trailing characters", "more text follows their end"),
    ("invalid escape", "a text holds an escape that JSON does not know"),
    ("invalid number", "a number is not written as JSON has it"),
    ("number out of range", "a number is too large"),
    ("invalid unicode code point", "a text holds an escape of no character"),
    ("lone leading surrogate in hex escape", "a text holds half of an escaped character"),
    ("unexpected end of hex escape", "a text holds half of an escaped character"),
    (
        "control character (\\u0000-\\u001F) found while parsing a string",
        "a text holds a bare control character",
    ),
    ("recursion limit exceeded", "they are nested too deeply"),
];

/// `error` of the parser in a user's words, with its column; any other text as it is.
pub(super) fn said(error: &str) -> String {
    let (text, place) = error.rsplit_once(" at line ").unwrap_or((error, ""));
    let Some((_, reason)) = REASONS.iter().find(|(known, _)| *known == text) else {
        return error.to_owned();
    };
    match place.split_once(" column ") {
        Some(("1", column)) => format!("{reason} (column {column})"),
        Some((line, column)) => format!("{reason} (line {line}, column {column})"),
        None => (*reason).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn of(text: &str) -> String {
        said(&serde_json::from_str::<Value>(text).expect_err(text).to_string())
    }

    #[test]
    fn each_slip_of_a_model_is_said_without_the_parser() {
        for (text, reason) in [
            ("{\"n\": 1", "they end inside an object (column 7)"),
            ("{\n\"n\": [1", "they end inside a list (line 2, column 7)"),
            ("{\"n", "they end inside a text (column 3)"),
            ("{\"n\":", "they end where a value should stand (column 5)"),
            ("{'n': 1}", "a key is not in double quotes (column 2)"),
            ("{\"n\" 1}", "there is no `:` after a key (column 6)"),
            ("{\"n\": 1,}", "a comma follows the last value (column 9)"),
            ("{\"n\": 1 \"m\": 2}", "there is no `,` or `}` after a value (column 9)"),
            ("{\"n\": True}", "there is no value where one should stand (column 7)"),
            ("{} and", "more text follows their end (column 4)"),
            ("\"\u{1}\"", "a text holds a bare control character (column 2)"),
        ] {
            assert_eq!(of(text), reason, "{text}");
        }
        assert_eq!(said("cut off"), "cut off");
    }
}
