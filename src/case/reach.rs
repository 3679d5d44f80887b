//! Proofs that a case always ends the same way: nothing in it can fail, or nothing can pass.
//!
//! Each proof is about the whole case. A check or a score that cannot decide alone is no mistake: `lint` reports it.

use super::{Case, Expectation};
use crate::check::{Demand, DemandedPart};
use crate::outcome::{Score, reaches};
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors, Location};
use crate::score::{Effect, Scorecard, ScorecardPart, ScoredBy, written};

/// Returns an error if it is proven that the case cannot fail, or cannot pass.
pub fn refuse_decided_case(case: &Case, allow_vacuous: bool) -> Result<(), LoadErrors> {
    refuse_idle_variance(case)?;
    // Several runs are decided by their statistics, and a comparison by the difference.
    let is_compared = case.baseline.as_ref().is_some_and(|baseline| !baseline.limits.fail_on.is_empty());
    // With another expected verdict, a case that cannot pass is what the user wants.
    if case.variance.is_some()
        || case.expect_verdict.is_some_and(|status| status != crate::outcome::Status::Pass)
    {
        return Ok(());
    }
    refuse_contradictions(case)?;
    if !allow_vacuous && !is_compared && case.require_calls.is_none() && !case.can_fail() {
        return Err(describe_certain_pass(case));
    }
    Ok(())
}

/// Several runs of a case without checks have no score, so their figures decide nothing.
fn refuse_idle_variance(case: &Case) -> Result<(), LoadErrors> {
    let has_score = !case.expectations.is_empty() || case.require_calls.is_some();
    match &case.variance {
        Some(block) if !has_score => {
            let problem = "`variance` has no score to look at: the case has no check";
            let help = "add a check, such as `expected` or an `expect` list";
            Err(LoadError::new(block.place.clone(), problem).help(help).into())
        }
        _ => Ok(()),
    }
}

impl Case {
    /// Whether no proof is known that the case cannot fail.
    fn can_fail(&self) -> bool {
        let mut checks = self.expectations.iter();
        checks.any(|expectation| expectation.decides() && !expectation.is_vacuous())
            || self.scorecards.iter().any(|card| card.effect != Effect::Fail || self.can_miss(card))
    }

    /// Whether a run can miss the threshold of `card`. A row of a dataset that expects nothing, and says so, may load.
    fn can_miss(&self, card: &Scorecard) -> bool {
        let is_asked_for_nothing = self.only_reports(card) && card.threshold.least > 0.0;
        is_asked_for_nothing || !reaches(self.lowest_score(card), card.threshold.least)
    }

    /// Whether no part of `card` asks for anything, as its settings say: its score is only reported.
    fn only_reports(&self, card: &Scorecard) -> bool {
        let mut scored = card.parts.iter().map(|part| self.find_scored(part));
        scored.all(|scored| scored.is_some_and(Expectation::only_reports))
    }

    /// The lowest score that a run can have on `card`.
    pub fn lowest_score(&self, card: &Scorecard) -> f64 {
        self.sum_up(card, |expectation| expectation.check().lowest_score())
    }

    /// The highest score that a run can have on `card`, if it calls no tool that the case bans.
    fn highest_score(&self, card: &Scorecard) -> f64 {
        let is_banned = |tool: &ToolPattern| {
            let demanded = Demand::call(tool, "");
            demanded.is_some_and(|demand| self.find_ban(&demand.part, None).is_some())
        };
        self.sum_up(card, |expectation| expectation.check().highest_score(&is_banned))
    }

    /// The highest score on `card` of a run that loses all points of `part`.
    pub fn score_without(&self, card: &Scorecard, part: &ScorecardPart) -> f64 {
        let least =
            self.find_scored(part).map_or(Score::FULL, |expectation| expectation.check().lowest_score());
        card.scale.full
            * (card.parts.iter().map(|part| part.weight).sum::<f64>() - part.weight * (1.0 - least.get()))
    }

    fn sum_up(&self, card: &Scorecard, score: impl Fn(&Expectation) -> Score) -> f64 {
        let parts = card.parts.iter();
        let points =
            parts.map(|part| part.weight * self.find_scored(part).map_or(1.0, |found| score(found).get()));
        (card.scale.full * points.sum::<f64>()).min(card.scale.full)
    }

    fn find_scored(&self, part: &ScorecardPart) -> Option<&Expectation> {
        match part.scored_by {
            ScoredBy::Expectation(at) => self.expectations.get(at),
            ScoredBy::Nothing | ScoredBy::Check => None,
        }
    }

    /// Returns the check that rejects every run with the demanded part, in the turn of the demand or in the whole run.
    fn find_ban(&self, part: &DemandedPart<'_>, turn: Option<usize>) -> Option<&Expectation> {
        let mut bans =
            self.expectations.iter().filter(|ban| ban.decides() && (ban.turn.is_none() || ban.turn == turn));
        bans.find(|ban| part.is_banned_by(ban.check()))
    }
}

fn refuse_contradictions(case: &Case) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    for expectation in case.expectations.iter().filter(|expectation| expectation.decides()) {
        for demand in expectation.check().demands() {
            if let Some(ban) = case.find_ban(&demand.part, expectation.turn) {
                errors.push(describe_contradiction(expectation, &demand, ban));
            }
        }
    }
    for card in case.scorecards.iter().filter(|card| card.effect == Effect::Fail) {
        let highest = case.highest_score(card);
        // A score that no run can reach fails every run.
        if !reaches(highest, card.threshold.least) {
            errors.push(describe_certain_miss(case, card, highest));
        }
    }
    errors.or(())
}

fn describe_contradiction(expectation: &Expectation, demand: &Demand<'_>, ban: &Expectation) -> LoadError {
    let at = expectation.settings().place_at(&demand.at).unwrap_or_else(|| expectation.place.clone());
    let problem = match &demand.part {
        DemandedPart::Call(_, tool) => {
            format!("this requires a call of `{tool}`, which `{}` forbids", ban.check)
        }
        DemandedPart::Text { .. } => {
            format!("this requires a text in the answer that `{}` forbids", ban.check)
        }
    };
    let help = format!("no run can pass: the ban is at {}. Keep one of the two", ban.place.locate());
    LoadError::new(at, problem).help(help)
}

fn describe_certain_miss(case: &Case, card: &Scorecard, highest: f64) -> LoadError {
    let setting = card.threshold.setting;
    let least = written(card.threshold.least);
    let problem =
        format!("no run can pass: the score is {} at most, and `{setting}` is {least}", written(highest));
    let places: Vec<String> = card
        .parts
        .iter()
        .filter_map(|part| case.find_scored(part))
        .flat_map(|expectation| expectation.check().tools())
        .filter_map(|tool| case.find_ban(&Demand::call(tool, "")?.part, None))
        .map(|ban| ban.place.locate().to_string())
        .collect();
    let help = match places.first() {
        Some(first) => format!("an expected tool is forbidden at {first}: keep one of the two"),
        None => "lower the threshold, or let the weights add up to 1".to_owned(),
    };
    LoadError::new(card.threshold.place.clone(), problem).help(help)
}

/// Names each setting of a case that would decide the case if it could fail.
fn describe_certain_pass(case: &Case) -> LoadErrors {
    const HELP: &str = "make it ask for something, or say `allow_vacuous: true` on the case";
    let mut errors = LoadErrors::new();
    for expectation in case.expectations.iter().filter(|expectation| expectation.decides()) {
        // A check that only reports was never meant to fail.
        if expectation.only_reports() {
            continue;
        }
        let problem = format!("this `{}` cannot fail: there is no run that it refuses", expectation.check);
        errors.push(LoadError::new(expectation.place.clone(), problem).help(HELP));
    }
    for card in &case.scorecards {
        let setting = card.threshold.setting;
        let least = written(card.threshold.least);
        let lowest = written(case.lowest_score(card));
        let problem =
            format!("this case cannot fail: the score is {lowest} at least, and `{setting}` is {least}");
        errors.push(
            LoadError::new(card.threshold.place.clone(), problem)
                .help("raise the threshold, or add a check that can fail"),
        );
    }
    errors
}

/// The dimensions of a score that a case can expect something of and give the weight 0.
const WEIGHED: &[&str] = &["tool_accuracy", "sequence_correctness"];

/// Why a check without weight does not decide.
pub const WEIGHTLESS: &str = "has the weight 0, so it cannot fail the case";

/// Something in a case that loads, and does not decide.
#[derive(Debug, Clone, PartialEq)]
pub struct IdleSetting {
    /// The place.
    pub at: Location,
    /// Why it does not decide, for a sentence that begins with "this".
    pub why: String,
}

impl Case {
    /// Lists the checks, thresholds and parts of scores that cannot fail the case, although other things in it can.
    pub fn list_idle_settings(&self) -> Vec<IdleSetting> {
        let checks = self.expectations.iter().filter(|expectation| expectation.is_idle());
        let checks = checks.map(|expectation| IdleSetting {
            at: expectation.place.locate(),
            why: format!("`{}` cannot fail: it accepts every run", expectation.check),
        });
        let parts = self.scorecards.iter().flat_map(|card| self.list_idle_parts(card));
        checks.chain(parts).chain(self.list_weightless()).collect()
    }

    /// Lists the expectations that have no weight in any score.
    fn list_weightless(&self) -> impl Iterator<Item = IdleSetting> {
        let all = self.expectations.iter().enumerate();
        let weightless = all.filter(|(at, _)| self.is_weightless(*at));
        weightless.map(|(_, expectation)| IdleSetting {
            at: expectation.place.locate(),
            why: format!("`{}` {WEIGHTLESS}", expectation.check),
        })
    }

    /// Whether the check with this number is a dimension of a score, and has the weight 0 in it.
    pub fn is_weightless(&self, at: usize) -> bool {
        let is_dimension = self.expectations.get(at).is_some_and(|expectation| {
            expectation.effect == Effect::Points && WEIGHED.contains(&expectation.check)
        });
        let mut parts = self.scorecards.iter().flat_map(|card| &card.parts);
        is_dimension
            && !parts.any(|part| matches!(part.scored_by, ScoredBy::Expectation(scored) if scored == at))
    }

    fn list_idle_parts(&self, card: &Scorecard) -> Vec<IdleSetting> {
        let setting = card.threshold.setting;
        let least = written(card.threshold.least);
        if card.effect != Effect::Fail {
            return Vec::new();
        }
        if reaches(self.lowest_score(card), card.threshold.least) {
            let lowest = written(self.lowest_score(card));
            let why = format!(
                "threshold cannot be missed: the score is {lowest} at least, and `{setting}` is {least}"
            );
            return vec![IdleSetting { at: card.threshold.place.locate(), why }];
        }
        let parts = card.parts.iter().filter_map(|part| Some((part, self.find_scored(part)?)));
        // Only a part that loses points on its own can be idle: another effect fails the case by itself.
        let idle = parts.filter(|(part, scored)| {
            scored.effect == Effect::Points
                && scored.check().lowest_score() < Score::FULL
                && reaches(self.score_without(card, part), card.threshold.least)
        });
        let idle = idle.map(|(part, scored)| {
            let without = written(self.score_without(card, part));
            let why = format!("`{}` cannot fail the case alone: a run without its points has {without}, and `{setting}` is {least}", part.name);
            IdleSetting { at: scored.place.locate(), why }
        });
        idle.collect()
    }
}
