//! The table at the end of a run with several red trials: which checks failed, how often, and in which trials.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::harness::run::tally::RedTrial;
use crate::report::plain::{count_noun, escape_line};

/// The number of red trials from which on there is a table: few are seen at a glance.
const TABLE_FROM: usize = 4;
/// The number of trials that a row names.
const MAX_NAMED: usize = 3;

/// Renders the table. Empty for a run with few red trials.
pub(crate) fn render_red_trials(trials: &[RedTrial]) -> String {
    if trials.len() < TABLE_FROM {
        return String::new();
    }
    let mut by_check: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for trial in trials {
        for reason in &trial.reasons {
            by_check.entry(reason).or_default().push(&trial.name);
        }
    }
    let mut rows: Vec<(&str, Vec<&str>)> = by_check.into_iter().collect();
    // The check that most trials fail is what a reader looks at first.
    rows.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let width = rows.iter().map(|(reason, _)| reason.chars().count()).max().unwrap_or(0);
    let digits = rows.first().map_or(1, |(_, names)| names.len().to_string().len());
    let mut text = format!("{} by check:", count_noun(trials.len(), "red trial"));
    for (reason, names) in rows {
        let mut which =
            names.iter().take(MAX_NAMED).map(|name| escape_line(name)).collect::<Vec<_>>().join(", ");
        if names.len() > MAX_NAMED {
            let _ = write!(which, " and {} more", names.len() - MAX_NAMED);
        }
        let _ = write!(text, "\n  {reason:<width$}  {:>digits$}  {which}", names.len());
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_that_most_trials_fail_is_first() {
        let trial = |name: &str, reasons: &[&str]| RedTrial {
            name: name.to_owned(),
            reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
        };
        let mut trials = vec![
            trial("s::a", &["call", "not_called"]),
            trial("s::b", &["not_called"]),
            trial("s::c", &["not_called"]),
        ];
        assert_eq!(render_red_trials(&trials), "");
        trials.push(trial("s::d", &["not_called"]));
        trials.push(trial("s::e", &["an error"]));
        let rendered = render_red_trials(&trials);
        let rows =
            "  not_called  4  s::a, s::b, s::c and 1 more\n  an error    1  s::e\n  call        1  s::a\n";
        assert_eq!(rendered, format!("5 red trials by check:\n{rows}"));
    }
}
