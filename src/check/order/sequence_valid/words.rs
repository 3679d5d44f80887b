//! Numbers and lists in messages.

use std::collections::HashSet;

use crate::check::support::words::say_times;
use crate::trace::Call;

/// Names beyond this many are counted, not listed.
const SHOWN: usize = 10;

/// `once`, `twice`, `3 times`.
pub(super) fn times(count: usize) -> String {
    if count == 2 { "twice".to_owned() } else { say_times(count) }
}

/// The names in backticks, in order; a long list is cut.
pub(super) fn names<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() {
        return "no tool at all".to_owned();
    }
    let rest = quoted.len().saturating_sub(SHOWN);
    quoted.truncate(SHOWN);
    let listed = quoted.join(", ");
    if rest == 0 { listed } else { format!("{listed} and {rest} more") }
}

/// The names of the called tools, each once, in the order of their first calls.
pub(super) fn called(calls: &[Call]) -> Vec<&str> {
    let mut seen = HashSet::new();
    calls.iter().map(|call| call.name.as_str()).filter(|name| seen.insert(*name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_said_as_a_person_would() {
        assert_eq!(names([]), "no tool at all");
        assert!(names(["x"; 12]).ends_with("`x` and 2 more"));
    }
}
