//! The score, the losses with their reasons, and the violations that fail the trial.

use crate::outcome::{Item, Loss, Outcome, Score, State, Violation, count_to_f64, reaches, render_apart};

/// The shares of the four parts.
pub(super) const TOOLS: f64 = 0.4;
pub(super) const EVIDENCE: f64 = 0.3;
pub(super) const TESTS: f64 = 0.2;
pub(super) const GATES: f64 = 0.1;

/// A component of the score that a claim of the answer can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    /// What was changed, deployed and looked at.
    Tools,
    /// What was tested.
    Tests,
    /// What was checked.
    Gates,
}

impl Component {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::Tools, Self::Tests, Self::Gates];

    /// The item that a false claim breaks.
    fn item(self) -> &'static str {
        match self {
            Self::Tools => "what the answer says was done",
            Self::Tests => "what the answer says of tests",
            Self::Gates => "what the answer says of checks",
        }
    }
}

/// Points that were lost.
#[derive(Debug, Default)]
pub(super) struct Lost {
    /// The lost share of the whole score.
    pub(super) points: f64,
    /// The claim that broke.
    pub(super) why: String,
    /// The call concerned: its index from 1, its tool, its id.
    pub(super) call: Option<(usize, String, Option<String>)>,
    /// The sentence concerned.
    pub(super) sentence: Option<String>,
    /// Advice.
    pub(super) help: &'static str,
    /// A false or unsupported statement: it fails the trial whatever the score is.
    pub(super) is_claim: bool,
}

/// The four parts, each in 0..=1, and what each was tested on.
#[derive(Debug, Default)]
pub(super) struct Breakdown {
    /// Edits read back, deployments looked at, verification said.
    pub(super) tools: f64,
    /// Line, snippet, output, no unsupported claim.
    pub(super) evidence: f64,
    /// Tests run and reported.
    pub(super) tests: f64,
    /// Type check, lint, coverage.
    pub(super) gates: f64,
    /// The lost points, with their reasons.
    pub(super) lost: Vec<Lost>,
    /// The items that were examined.
    pub(super) items: Vec<Item>,
    /// A statement about work that the check cannot read, in a run without work.
    pub(super) unknown: Option<String>,
}

/// The limits that the score must meet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bar {
    /// The least score that passes.
    pub(super) threshold: f64,
    /// Any false or unsupported statement makes the score 0.
    pub(super) strict: bool,
    /// Any such statement fails the trial.
    pub(super) claims_fail: bool,
}

impl Breakdown {
    /// Adds an item; `share` of its points was kept, `None` if nothing was tested.
    pub(super) fn part(&mut self, label: &str, share: Option<f64>) {
        let state = match share {
            None => State::NotExercised,
            Some(share) if share >= 1.0 => State::Held,
            Some(_) => State::Violated,
        };
        self.items.push(Item::new(label, state));
    }

    /// Adds an item that is kept as a whole or not at all, and returns its share.
    pub(super) fn keep(&mut self, label: &str, is_kept: bool) -> f64 {
        let share = all_or_nothing(is_kept);
        self.part(label, Some(share));
        share
    }

    /// Takes what is left of a component, because the answer claims what was not done, and returns its points.
    pub(super) fn take_component(&mut self, component: Component) -> f64 {
        let (share, weight) = match component {
            Component::Tools => (&mut self.tools, TOOLS),
            Component::Tests => (&mut self.tests, TESTS),
            Component::Gates => (&mut self.gates, GATES),
        };
        let points = std::mem::take(share) * weight;
        self.items.push(Item::new(component.item(), State::Violated));
        points
    }

    /// Returns the weighted sum of the parts.
    fn score(&self) -> f64 {
        self.tools * TOOLS + self.evidence * EVIDENCE + self.tests * TESTS + self.gates * GATES
    }

    /// Converts the breakdown to the outcome of the check.
    pub(super) fn outcome(mut self, bar: Bar) -> Outcome {
        let full = self.score();
        // Rounding alone is no loss: 0.4 + 0.3 + 0.2 + 0.1 is a little less than 1 in binary.
        self.lost.retain(|lost| !reaches(0.0, lost.points));
        // The largest first; of equals, what is false before what is missing.
        self.lost.sort_by(|one, other| {
            other.points.total_cmp(&one.points).then(other.is_claim.cmp(&one.is_claim))
        });
        let refused = bar.strict && self.lost.iter().any(|lost| lost.is_claim);
        let score = if refused { 0.0 } else { full };
        let violations = self.violations(score, bar);
        if refused {
            let why = "strict: an unsupported statement takes the whole score".to_owned();
            self.lost.push(Lost { points: full, why, ..Lost::default() });
        }
        let passes = violations.is_empty();
        let mut outcome = Outcome::of_items(std::mem::take(&mut self.items), violations);
        outcome.score = Score::new(score);
        outcome.losses =
            self.lost.iter().map(|lost| Loss { points: lost.points, why: lost.why.clone() }).collect();
        // A word of praise says nothing beside a failed trial.
        if passes {
            outcome = outcome.value("label", label(score).into());
        }
        outcome
            .value("tool_verification", self.tools.into())
            .value("assertion_evidence", self.evidence.into())
            .value("test_execution", self.tests.into())
            .value("quality_gates", self.gates.into())
    }

    /// Lists the violations. Unsupported statements are violations if they fail the trial. Below the threshold, every loss
    /// with a call or a sentence is one violation, and all other losses together are one, because they have no place.
    fn violations(&self, score: f64, bar: Bar) -> Vec<Violation> {
        let below = !reaches(score, bar.threshold);
        // Losses with a place are shown where they are. The others would only repeat the score, so they are joined to
        // one.
        let (placed, rest): (Vec<&Lost>, Vec<&Lost>) = self.lost.iter().partition(|lost| lost.is_placed());
        let failing = placed.into_iter().filter(|lost| below || (bar.claims_fail && lost.is_claim));
        let mut found: Vec<Violation> = failing.map(|lost| lost.violation(score, bar)).collect();
        match rest.as_slice() {
            _ if !below => {}
            [] if !found.is_empty() => {}
            [only] => found.push(only.violation(score, bar)),
            rest => found.push(join_losses(rest, score, bar)),
        }
        found
    }
}

/// Joins losses without a place, the largest first, to one violation.
fn join_losses(lost: &[&Lost], score: f64, bar: Bar) -> Violation {
    let points: f64 = lost.iter().map(|lost| lost.points).sum();
    let lines: Vec<String> = lost.iter().map(|lost| format!("-{:.3} {}", lost.points, lost.why)).collect();
    let message = match lost {
        [first, ..] => format!("{}, and more is missing (-{points:.3})", first.why),
        [] => "the score is below the threshold".to_owned(),
    };
    let [score, _] = render_apart(score, bar.threshold, 3);
    let actual = [vec![score], lines].concat().join("\n");
    let helps = lost.iter().map(|lost| lost.help);
    Violation::new(message)
        .at("/threshold")
        .expected(format!("a score of at least {}", bar.threshold), actual)
        .help(helps.take(1).collect::<String>())
}

impl Lost {
    /// Whether the loss concerns a call or a statement.
    fn is_placed(&self) -> bool {
        self.is_claim || self.call.is_some()
    }

    fn violation(&self, score: f64, bar: Bar) -> Violation {
        let sentence =
            self.sentence.as_ref().map_or(String::new(), |sentence| format!("; it says: {sentence}"));
        let no_claims = if self.is_claim && bar.claims_fail { ", and no such statement" } else { "" };
        let wanted = format!("a score of at least {}{no_claims}", bar.threshold);
        let [score, _] = render_apart(score, bar.threshold, 3);
        let actual = format!("{score}{sentence}");
        let message = format!("{} (-{:.3})", self.why, self.points);
        let violation = Violation::new(message).at("/threshold").expected(wanted, actual).help(self.help);
        match &self.call {
            Some((index, tool, id)) => {
                Violation { call: Some(*index), tool: Some(tool.clone()), call_id: id.clone(), ..violation }
            }
            None => violation,
        }
    }
}

pub(super) fn all_or_nothing(is_there: bool) -> f64 {
    if is_there { 1.0 } else { 0.0 }
}

/// Divides `part` by `whole`, at most 1. Returns 1 if `whole` is 0: nothing was required.
pub(super) fn divide(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { (count_to_f64(part) / count_to_f64(whole)).min(1.0) }
}

/// The word for a score; the lower bound belongs to the range.
pub(super) fn label(score: f64) -> &'static str {
    match score {
        score if reaches(score, 0.85) => "perfect",
        score if reaches(score, 0.75) => "good",
        score if reaches(score, 0.65) => "moderate",
        _ => "poor",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_bound_belongs_to_the_range() {
        let labels = [1.0, 0.85, 0.849, 0.75, 0.65, 0.649].map(label);
        assert_eq!(labels, ["perfect", "perfect", "good", "good", "moderate", "poor"]);
    }

    #[test]
    fn all_four_parts_are_enough_for_the_highest_threshold() {
        let all = Breakdown { tools: 1.0, evidence: 1.0, tests: 1.0, gates: 1.0, ..Breakdown::default() };
        let outcome = all.outcome(Bar { threshold: 1.0, strict: true, claims_fail: true });
        assert!(outcome.violations.is_empty() && reaches(1.0, outcome.score.get()));
    }
}
