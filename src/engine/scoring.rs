//! The scores of one run: fills in its scorecards and compares them with their thresholds.

use crate::case::Case;
use crate::json::{Json, JsonNumber};
use crate::outcome::{Item, LocatedViolation, Loss, Score, State, Status, Violation, reaches};
use crate::place::Location;
use crate::score::{Card, CardPart, Effect, Scorecard, ScorecardPart, write_apart, written};
use crate::verdict::Finding;

/// The scores of one run.
pub(super) struct ScoredRun {
    /// One card for each scorecard of the case, in the same order.
    pub(super) cards: Vec<Card>,
    /// One finding for each card with a score.
    pub(super) findings: Vec<Finding>,
}

/// Fills in the case's scorecards. `answers` contains the finding of each expectation, or `None` if it was not asked.
pub(super) fn score_run(case: &Case, run: usize, answers: &[Option<Finding>]) -> ScoredRun {
    // After a violated hard gate the other checks were not asked, so no score can be computed.
    let cards: Vec<Card> = if answers.iter().flatten().any(Finding::is_broken_gate) {
        case.scorecards.iter().map(|card| card.gated_card(run)).collect()
    } else {
        let cards = case.scorecards.iter();
        cards.map(|card| card.fill(run, |at| find_score(answers.get(at)?.as_ref()?))).collect()
    };
    let known = case.scorecards.iter().zip(&cards).filter(|(_, card)| card.not_computed.is_none());
    let findings = known.map(|(scorecard, card)| threshold_finding(case, scorecard, card)).collect();
    ScoredRun { cards, findings }
}

fn find_score(finding: &Finding) -> Option<(Score, &[Loss])> {
    matches!(finding.status, Status::Pass | Status::Fail).then_some((finding.score, &finding.losses))
}

/// Returns the finding about a card's threshold. The finding has the name of the threshold's setting.
fn threshold_finding(case: &Case, scorecard: &Scorecard, card: &Card) -> Finding {
    let place = &scorecard.threshold.place;
    Finding {
        status: if card.passed { Status::Pass } else { Status::Fail },
        effect: scorecard.effect,
        run: card.run,
        score: card.share(),
        violations: if card.passed { Vec::new() } else { vec![threshold_violation(card, place.locate())] },
        items: scorecard
            .parts
            .iter()
            .zip(&card.parts)
            .map(|(part, scored)| part_item(case, scorecard, part, scored))
            .collect(),
        losses: card.losses.clone(),
        ..Finding::empty(scorecard.threshold.setting, place)
    }
}

fn threshold_violation(card: &Card, at: Location) -> LocatedViolation {
    let [score, least] = write_apart(card.score.unwrap_or(0.0), card.least);
    Violation {
        value: card.score.and_then(JsonNumber::from_f64).map(Json::Number),
        constraint: Some(format!("{}: {least}", card.threshold)),
        ..Violation::new(format!("the score is {score}, below `{}: {least}`", card.threshold))
    }
    .resolve(at)
}

/// The item of a part. If the part lost points and cannot fail the case alone, the item says so.
fn part_item(case: &Case, scorecard: &Scorecard, weighed: &ScorecardPart, part: &CardPart) -> Item {
    let state = if part.score == Score::FULL { State::Held } else { State::Violated };
    let label = format!("{}: {} x {}", part.name, written(part.score.get()), written(part.weight));
    let least = scorecard.threshold.least;
    let without = case.score_without(scorecard, weighed);
    // A held part, or a card that does not fail the case, needs no note. Nor does a part without which the card
    // misses its threshold.
    if state == State::Held || scorecard.effect != Effect::Fail || !reaches(without, least) {
        return Item::new(label, state);
    }
    let note = format!(
        "cannot fail the case alone: without it, the score is {} of the required {}",
        written(without),
        written(least)
    );
    Item::new(label, state).note(note)
}
