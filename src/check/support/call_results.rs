//! What a JSONPath selects in the result of a call, and whether the trace shows all of the result.

use crate::json::{self, Json};
use crate::pattern::JsonPath;
use crate::trace::{Call, CallStatus, find_in_result};

/// What a path selects in the result of a call.
#[derive(Debug, Default)]
pub(in crate::check) struct SelectedValues {
    pub(in crate::check) values: Vec<Json>,
    /// Why the result may have had others: a part of it is not in the trace. A clause.
    pub(in crate::check) hidden: Option<String>,
}

impl SelectedValues {
    fn hidden(why: impl Into<String>) -> Self {
        Self { values: Vec::new(), hidden: Some(why.into()) }
    }
}

/// Selects values in the result of a call: in the result itself, or in the JSON that a text of it is. The first of these
/// layers in which the path selects something counts.
pub(in crate::check) fn select_in_result(call: &Call, path: &JsonPath) -> SelectedValues {
    let Some(result) = &call.result else {
        return match call.status {
            CallStatus::Error => SelectedValues::default(),
            _ => SelectedValues::hidden("its result is not in the trace"),
        };
    };
    let mut selected = SelectedValues::default();
    let found = find_in_result(result, |_| true, &mut |layer| {
        let values = path.select(layer);
        (!values.is_empty()).then(|| values.into_iter().cloned().collect())
    });
    match found {
        Some(values) => {
            selected.values = values;
            let mask = selected.values.iter().find_map(|value| find_mask(value.as_str()?));
            selected.hidden = mask.map(|mask| format!("it is masked (`{mask}`)"));
        }
        None => selected.hidden = explain_unread_result(result),
    }
    selected
}

/// Says why a result in which a path selects nothing may hold more than the trace shows.
fn explain_unread_result(result: &Json) -> Option<String> {
    find_in_result(result, |_| true, &mut |layer| {
        let text = layer.as_str()?;
        if let Some(mask) = find_mask(text) {
            return Some(format!("a part of it is left out (`{mask}`)"));
        }
        match text.trim_start().starts_with(['{', '[', '"']) {
            true if json::from_str::<Json>(text).is_ok() => None,
            true => Some("it begins like JSON but is not JSON, so it may be cut".to_owned()),
            false => Some("it is a text, in which no path selects anything".to_owned()),
        }
    })
}

/// What people and tools write in the place of what they leave out, in lower case.
const MASKS: [&str; 10] = [
    "***",
    "[redacted",
    "<redacted",
    "(redacted",
    "[masked",
    "<masked",
    "[filtered",
    "[truncated",
    "<truncated",
    "(truncated",
];

/// Finds the mark of a part of a text that was left out: `***`, `[REDACTED]`, or the name of a secret in brackets.
pub(in crate::check) fn find_mask(text: &str) -> Option<&str> {
    // Letters of other scripts may change their length in lower case; only ASCII is folded.
    let lower = text.to_ascii_lowercase();
    let known = MASKS.iter().find_map(|mask| lower.find(mask).map(|at| &text[at..at + mask.len()]));
    known.or_else(|| {
        let name = text.trim().strip_prefix('[')?.strip_suffix(']')?;
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        (name.len() > 2 && name.chars().all(is_name) && name.contains(|c: char| c.is_ascii_uppercase()))
            .then(|| text.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_what_was_left_out_are_found() {
        for text in ["sk-***", "[REDACTED]", "card <redacted>", "[API_KEY]", "a lot [Truncated 3 lines]"] {
            assert!(find_mask(text).is_some(), "{text}");
        }
        for text in ["a * b", "[1]", "[x]", "redacted", "[see above]", ""] {
            assert_eq!(find_mask(text), None, "{text}");
        }
    }
}
