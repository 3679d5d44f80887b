//! The quarantine: cases whose failures do not decide a run until a day.

use super::Day;
use crate::place::Place;

/// The entries of `quarantine.yaml`.
#[derive(Debug, Clone, Default)]
pub struct Quarantine {
    /// The entries, in the order of the file.
    pub entries: Vec<QuarantineEntry>,
}

/// One entry of `quarantine.yaml`.
#[derive(Debug, Clone)]
pub struct QuarantineEntry {
    /// The name of a case, or a pattern of names in which `*` stands for any text and `?` for any character.
    pub case: String,
    /// The variant that is quarantined; `None` for all variants.
    pub variant: Option<String>,
    /// The last day of the quarantine.
    pub until: Day,
    /// Why the case is quarantined.
    pub reason: String,
    /// Who ends the quarantine.
    pub owner: Option<String>,
    /// The place of the name.
    pub place: Place,
}

/// The names by which an entry can mean a trial.
#[derive(Debug, Clone, Copy)]
pub struct QuarantinedTrial<'n> {
    /// The name of the trial without its variant.
    pub name: &'n str,
    /// The name of the case, of which the trial may be one of several runs.
    pub case: &'n str,
    /// The variant of the agent.
    pub variant: &'n str,
}

impl Quarantine {
    /// Returns the entry that means a trial. An entry with its name counts before a pattern, and among several the one that
    /// lasts longest.
    ///
    /// `is_case` says whether a text with a `*` or `?` is the name of a case: it then means this case alone.
    pub fn find_entry(
        &self,
        trial: QuarantinedTrial<'_>,
        is_case: impl Fn(&str) -> bool,
    ) -> Option<&QuarantineEntry> {
        let names = [trial.name, trial.case];
        let entries = || self.entries.iter().filter(|entry| entry.is_of_variant(trial.variant));
        let exact = entries().filter(|entry| names.contains(&entry.case.as_str()));
        let described = || entries().filter(|entry| names.iter().any(|name| entry.describes(name)));
        exact
            .max_by_key(|entry| entry.until)
            .or_else(|| described().filter(|entry| !is_case(&entry.case)).max_by_key(|entry| entry.until))
    }
}

impl QuarantineEntry {
    fn is_of_variant(&self, variant: &str) -> bool {
        self.variant.as_deref().is_none_or(|own| own == variant)
    }

    /// Whether `name` is that of the entry, or matches its pattern.
    pub fn describes(&self, name: &str) -> bool {
        matches_pattern(&self.case, name)
    }
}

/// Whether `text` matches `pattern`, in which `*` stands for any text, `?` for one character, and all others for themselves.
///
/// Walks both from the left. When a character does not fit, the last `*` takes one character more, and the walk goes on from
/// there. An earlier `*` never needs to take more: whatever it would gain, the last one can take. So the time is at most the
/// product of the lengths.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let mut at = 0;
    let mut seen = 0;
    // The place behind the last `*`, and the text that it has not taken.
    let mut last_star: Option<(usize, usize)> = None;
    while seen < text.len() {
        match pattern.get(at) {
            Some('*') => {
                at += 1;
                last_star = Some((at, seen));
            }
            Some(c) if *c == '?' || *c == text[seen] => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((behind, taken)) = last_star else { return false };
                last_star = Some((behind, taken + 1));
                at = behind;
                seen = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_alone_are_special() {
        for (pattern, text) in [
            ("a::b", "a::b"),
            ("*", "a::b[1]"),
            ("a::*", "a::"),
            ("a::b[*]", "a::b[x, y]"),
            ("a::b[?]", "a::b[é]"),
            ("*aab*", "aaaab"),
            ("a*b*c", "a*b*c"),
        ] {
            assert!(matches_pattern(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("a::b", "a::bc"),
            ("a::b[12]", "a::b1"),
            ("a::{b,c}", "a::b"),
            ("?", ""),
            ("*b", "abc"),
            ("", "a"),
        ] {
            assert!(!matches_pattern(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        assert!(!matches_pattern(&"*a".repeat(200), &"b".repeat(10_000)));
    }

    fn entry(case: &str, until: &str, variant: Option<&str>) -> QuarantineEntry {
        QuarantineEntry {
            case: case.to_owned(),
            variant: variant.map(str::to_owned),
            until: until.parse().expect("a day"),
            reason: format!("{case} {until}"),
            owner: None,
            place: Place::of_file("quarantine.yaml"),
        }
    }

    #[test]
    fn a_name_counts_before_a_pattern_and_the_longest_of_equals() {
        let entries = vec![
            entry("s::*", "2026-12-20", None),
            entry("s::a", "2026-12-01", None),
            entry("s::a", "2026-12-02", None),
            entry("s::what?", "2026-12-24", Some("cheaper")),
        ];
        let quarantine = Quarantine { entries };
        let find = |name: &str, variant: &str, is_case: bool| {
            let trial = QuarantinedTrial { name, case: name, variant };
            quarantine.find_entry(trial, |_| is_case).map(|entry| entry.reason.as_str())
        };
        assert_eq!(find("s::a", "baseline", false), Some("s::a 2026-12-02"));
        assert_eq!(find("s::whats", "baseline", false), Some("s::* 2026-12-20"));
        assert_eq!(find("s::whats", "cheaper", false), Some("s::what? 2026-12-24"));
        assert_eq!(find("s::whats", "cheaper", true), None, "a case is called `s::what?`, and one `s::*`");
        assert_eq!(find("s::what?", "cheaper", true), Some("s::what? 2026-12-24"));
        assert_eq!(find("t::a", "baseline", false), None);
    }
}
