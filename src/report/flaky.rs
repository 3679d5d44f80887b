//! Trials whose attempts end differently.

use super::TrialResult;
use crate::verdict::{Attempt, Verdict};

/// The largest number of result changes that are listed.
const MAX_CHANGES: usize = 10;

/// Renders the results of all attempts in order: `fail, pass` or `2 x fail, pass`. `None` if there was only one
/// attempt.
pub fn render_attempts(verdict: &Verdict) -> Option<String> {
    if verdict.earlier_attempts.is_empty() {
        return None;
    }
    let last = Attempt { status: verdict.status, passed: verdict.passed };
    // A stress run can have thousands of attempts, so equal neighbours are counted.
    let mut streaks: Vec<(&str, usize)> = Vec::new();
    for attempt in verdict.earlier_attempts.iter().chain([&last]) {
        let word = TrialResult::from_attempt(*attempt).as_str();
        match streaks.last_mut() {
            Some((same, count)) if *same == word => *count += 1,
            _ => streaks.push((word, 1)),
        }
    }
    let mut words: Vec<String> =
        streaks.iter().take(MAX_CHANGES).map(|(word, count)| render_times(word, *count)).collect();
    words.extend(
        (streaks.len() > MAX_CHANGES)
            .then(|| format!("... ({} attempts)", verdict.earlier_attempts.len() + 1)),
    );
    Some(words.join(", "))
}

fn render_times(word: &str, count: usize) -> String {
    if count == 1 { word.to_owned() } else { format!("{count} x {word}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Status;
    use crate::place::Location;

    fn told(passed: &[bool]) -> Option<String> {
        let attempts = passed.iter().map(|passed| {
            let status = if *passed { Status::Pass } else { Status::Fail };
            Attempt { status, passed: *passed }
        });
        let earlier_attempts = attempts.collect();
        let last = Verdict { status: Status::Pass, passed: true, ..Verdict::empty("a", Location::default()) };
        render_attempts(&Verdict { earlier_attempts, ..last })
    }

    #[test]
    fn attempts_are_told_in_their_order() {
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[false]).as_deref(), Some("fail, pass"));
        assert_eq!(told(&[true, false, false]).as_deref(), Some("pass, 2 x fail, pass"));
    }

    #[test]
    fn a_thousand_attempts_are_a_line() {
        let many: Vec<bool> = (0..1000).map(|number| number % 2 == 0).collect();
        let told = told(&many).expect("flaky");
        assert!(told.len() < 100 && told.ends_with(", ... (1001 attempts)"), "{told}");
    }
}
