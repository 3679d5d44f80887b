//! The scores of one run: its scorecards, filled in, and what each says when its threshold is missed.

use crate::case::Case;
use crate::outcome::{Item, LocatedViolation, Loss, Score, State, Status, Violation};
use crate::place::Location;
use crate::score::{Card, CardPart, Effect, Scorecard, written};
use crate::verdict::Finding;

/// What one run scored.
pub(super) struct ScoredRun {
    /// Its cards, as the case's scorecards stand.
    pub(super) cards: Vec<Card>,
    /// A finding for each card whose score is known.
    pub(super) findings: Vec<Finding>,
}

/// Fills in the case's scorecards: `answers` holds the finding of each expectation, `None` where it was not asked.
pub(super) fn score_run(case: &Case, run: usize, answers: &[Option<Finding>]) -> ScoredRun {
    let gate = answers.iter().flatten().any(is_broken_gate);
    let answer = |at: usize| score_of_finding(answers.get(at)?.as_ref()?);
    let fill = |card: &Scorecard| if gate { card.gated_card(run) } else { card.fill(run, answer) };
    let cards: Vec<Card> = case.scorecards.iter().map(fill).collect();
    let known = case.scorecards.iter().zip(&cards).filter(|(_, card)| card.not_computed.is_none());
    let findings = known.map(|(scorecard, card)| threshold_finding(scorecard, card)).collect();
    ScoredRun { cards, findings }
}

fn score_of_finding(finding: &Finding) -> Option<(Score, &[Loss])> {
    matches!(finding.status, Status::Pass | Status::Fail).then_some((finding.score, &finding.losses))
}

/// Whether a hard gate is violated: nothing else counts then.
pub(super) fn is_broken_gate(finding: &Finding) -> bool {
    finding.effect == Effect::Gate && finding.status == Status::Fail
}

/// What a card says of its threshold. The finding is called like the setting that holds it.
fn threshold_finding(scorecard: &Scorecard, card: &Card) -> Finding {
    let place = &scorecard.threshold.place;
    Finding {
        status: if card.passed { Status::Pass } else { Status::Fail },
        effect: scorecard.effect,
        run: card.run,
        score: card.share(),
        violations: if card.passed { Vec::new() } else { vec![threshold_violation(card, place.locate())] },
        items: card.parts.iter().map(part_item).collect(),
        losses: card.losses.clone(),
        ..Finding::empty(scorecard.threshold.setting, place)
    }
}

fn threshold_violation(card: &Card, at: Location) -> LocatedViolation {
    let score = written(card.score.unwrap_or(0.0));
    let least = written(card.least);
    Violation {
        value: card.score.and_then(serde_json::Number::from_f64).map(serde_json::Value::Number),
        constraint: Some(format!("{}: {least}", card.threshold)),
        ..Violation::new(format!("the score is {score}, below `{}: {least}`", card.threshold))
    }
    .resolve(at)
}

fn part_item(part: &CardPart) -> Item {
    let state = if part.score == Score::FULL { State::Held } else { State::Violated };
    let label = format!("{}: {} x {}", part.name, written(part.score.get()), written(part.weight));
    Item::new(label, state)
}
