//! A scorecard as text: the points of each part, and the lost points with their reasons.

use crate::outcome::{Item, LocatedViolation, State, Status};
use crate::score::{Card, Effect, written};
use crate::verdict::{Finding, Verdict};

/// The largest number of losses that are listed; the verdict file has all of them.
const MAX_LOSSES: usize = 8;

/// Renders the points of each part of a card, one line each, and the sum.
pub fn render_parts(card: &Card) -> Vec<String> {
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

/// Renders the lost points and the reason, one line each.
pub fn render_losses(card: &Card) -> Vec<String> {
    let lost = card.losses.iter().filter(|loss| loss.points > 0.0);
    let line = |loss: &crate::outcome::Loss| format!("{}  {}", written(loss.points * card.full), loss.why);
    truncate_lines(lost.map(line).collect())
}

/// Renders the items of a finding that do not hold, one line each.
pub fn render_items(finding: &Finding) -> Vec<String> {
    let bad = finding.items.iter().filter(|item| item.state != State::Held);
    let line = |item: &Item| match &item.note {
        Some(note) => format!("{}: {note}", item.label),
        None => item.label.clone(),
    };
    truncate_lines(bad.map(line).collect())
}

/// Cuts the list to [`MAX_LOSSES`] lines and adds the number of the others.
fn truncate_lines(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MAX_LOSSES {
        let more = lines.len() - MAX_LOSSES;
        lines.truncate(MAX_LOSSES);
        lines.push(format!("... and {more} more"));
    }
    lines
}

/// Returns the card whose threshold `finding` checks. With one card for each turn, several cards share a threshold: the
/// cards with a score and the findings about them have the same order.
pub fn find_card<'v>(verdict: &'v Verdict, finding: &Finding) -> Option<&'v Card> {
    let of_run = |card: &&Card| card.run == finding.run && card.threshold == finding.check;
    let mut cards =
        verdict.scorecards.iter().filter(of_run).filter(|card| card.not_computed.is_none()).peekable();
    cards.peek()?;
    let alike = |other: &&Finding| other.run == finding.run && other.check == finding.check;
    let nth = verdict.findings.iter().filter(alike).position(|other| std::ptr::eq(other, finding))?;
    cards.nth(nth)
}

/// Whether the run of `card` has other cards.
pub fn is_one_of_several(verdict: &Verdict, card: &Card) -> bool {
    verdict.scorecards.iter().filter(|other| other.run == card.run).count() > 1
}

/// Returns the violations of one run that only cost points.
pub fn list_costly_violations(verdict: &Verdict, run: usize) -> impl Iterator<Item = &LocatedViolation> {
    let findings =
        verdict.findings.iter().filter(move |finding| finding.run == run && costs_only_points(finding));
    findings.flat_map(|finding| &finding.violations)
}

/// Whether the violations of a finding cost points at most.
pub fn costs_only_points(finding: &Finding) -> bool {
    finding.effect == Effect::Inform || (finding.effect == Effect::Points && finding.status == Status::Fail)
}
