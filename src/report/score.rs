//! A scorecard for people: what each part brought, and where the other points went.

use crate::outcome::{Item, LocatedViolation, State, Status};
use crate::score::{Card, Effect, written};
use crate::verdict::{Finding, Verdict};

/// How many lost points are named; the verdict file has all of them.
const NAMED: usize = 8;

/// What each part of a card brought, one line each, and the sum.
pub fn parts(card: &Card) -> Vec<String> {
    let width = card.parts.iter().map(|part| part.name.len()).max().unwrap_or(0);
    let line = |part: &crate::score::CardPart| {
        let most = written(part.weight * card.full);
        format!("{:width$}  {:>6} of {most}", part.name, written(part.points), width = width)
    };
    let mut lines: Vec<String> = card.parts.iter().map(line).collect();
    let sum = match (card.score, &card.not_computed) {
        (_, Some(why)) => format!("not computed: {why}"),
        (Some(score), None) => {
            format!("{} of {}, {}: {}", written(score), card.full, card.threshold, card.least)
        }
        (None, None) => "not computed".to_owned(),
    };
    lines.push(sum);
    lines
}

/// The points that were lost and why, one line each.
pub fn losses(card: &Card) -> Vec<String> {
    let lost = card.losses.iter().filter(|loss| loss.points > 0.0);
    let line = |loss: &crate::outcome::Loss| format!("{}  {}", written(loss.points * card.full), loss.why);
    shortened(lost.map(line).collect())
}

/// The items of a finding that are not fine, one line each.
pub fn items(finding: &Finding) -> Vec<String> {
    let bad = finding.items.iter().filter(|item| item.state != State::Held);
    let line = |item: &Item| match &item.note {
        Some(note) => format!("{}: {note}", item.label),
        None => item.label.clone(),
    };
    shortened(bad.map(line).collect())
}

/// The first [`NAMED`] lines, and how many more there are.
fn shortened(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > NAMED {
        let more = lines.len() - NAMED;
        lines.truncate(NAMED);
        lines.push(format!("... and {more} more"));
    }
    lines
}

/// The card whose threshold `finding` is about. Turns have a card each, under one threshold: the cards with a score
/// and the findings about them stand in the same order.
pub fn card_of<'v>(verdict: &'v Verdict, finding: &Finding) -> Option<&'v Card> {
    let of_run = |card: &&Card| card.run == finding.run && card.threshold == finding.check;
    let mut cards =
        verdict.scorecards.iter().filter(of_run).filter(|card| card.not_computed.is_none()).peekable();
    cards.peek()?;
    let alike = |other: &&Finding| other.run == finding.run && other.check == finding.check;
    let nth = verdict.findings.iter().filter(alike).position(|other| std::ptr::eq(other, finding))?;
    cards.nth(nth)
}

/// Whether a run has other cards than `card`.
pub fn is_one_of_several(verdict: &Verdict, card: &Card) -> bool {
    verdict.scorecards.iter().filter(|other| other.run == card.run).count() > 1
}

/// What was violated and only cost points, in one run.
pub fn costly(verdict: &Verdict, run: usize) -> impl Iterator<Item = &LocatedViolation> {
    let findings = verdict.findings.iter().filter(move |finding| finding.run == run && only_points(finding));
    findings.flat_map(|finding| &finding.violations)
}

/// Whether the violations of a finding cost points and nothing more, or not even those.
pub fn only_points(finding: &Finding) -> bool {
    finding.effect == Effect::Inform || (finding.effect == Effect::Points && finding.status == Status::Fail)
}
