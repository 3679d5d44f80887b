//! Finds the called tool with a name similar to one that was not called.

use crate::pattern::normal_name;
use crate::yaml::nearest;

/// Only names of these lengths are compared letter by letter.
const LETTERS: std::ops::RangeInclusive<usize> = 4..=100;

/// Finds the name in `called` that differs from `wanted` only in spelling, or by a typo.
pub(crate) fn near_call<'t>(wanted: &str, called: &[&'t str]) -> Option<&'t str> {
    let normal = normal_name(wanted);
    let spelled = called.iter().find(|name| normal_name(name) == normal);
    spelled.copied().or_else(|| {
        let names = called.iter().copied().filter(|name| LETTERS.contains(&name.len()));
        Some(wanted).filter(|name| LETTERS.contains(&name.len())).and_then(|wanted| nearest(wanted, names))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spelling_comes_before_a_slip_and_a_stranger_is_none() {
        assert_eq!(near_call("fetch_data", &["fetch_date", "FetchData"]), Some("FetchData"));
        assert_eq!(near_call("fetch_data", &["search", "fetch_dat"]), Some("fetch_dat"));
        assert_eq!(near_call("fetch_data", &["send_mail"]), None);
        assert_eq!(near_call("a", &["x"]), None);
        assert_eq!(near_call("fetch_data", &[&"fetch_data".repeat(100_000)]), None);
    }
}
