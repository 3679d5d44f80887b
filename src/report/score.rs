//! A scorecard as text: the points of each part, and the lost points with their reasons.

use crate::outcome::{Item, LocatedViolation, State, Status};
use crate::score::{Card, Effect, written};
use crate::verdict::{Finding, Verdict};

/// The largest number of losses that are listed; the verdict log has all of them.
const MAX_LOSSES: usize = 8;

/// Renders the points of each part of a card, one line each, and the sum.
pub fn render_parts(card: &Card) -> Vec<String> {
    let width = card.parts.iter().map(|part| part.name.len()).max().unwrap_or(0);
    let parts = card.parts.iter().map(|part| {
        let most = written(part.weight * card.full);
        format!("{:width$}  {:>6} of {most}", part.name, written(part.points))
    });
    let mut lines: Vec<String> = parts.collect();
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
    truncate_lines(lost.map(|loss| format!("{}  {}", written(loss.points * card.full), loss.why)).collect())
}

/// Renders the items of a finding that do not hold, one line each.
pub fn render_items(finding: &Finding) -> Vec<String> {
    let open = finding.items.iter().filter(|item| item.state != State::Held);
    truncate_lines(open.map(render_item).collect())
}

fn render_item(item: &Item) -> String {
    match &item.note {
        Some(note) => format!("{}: {note}", item.label),
        None => item.label.clone(),
    }
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

/// Returns the card whose threshold `finding` checks.
///
/// A verdict does not link the two. With one card for each turn, several cards share a threshold, but the cards with a score
/// and the findings about them have the same order: the n-th finding of this name belongs to the n-th card.
pub fn find_card<'v>(verdict: &'v Verdict, finding: &Finding) -> Option<&'v Card> {
    let mut cards = verdict
        .scorecards
        .iter()
        .filter(|card| card.run == finding.run && card.threshold == finding.check)
        .filter(|card| card.not_computed.is_none())
        .peekable();
    // Most findings belong to no card, and need no count.
    cards.peek()?;
    let nth = verdict
        .findings
        .iter()
        .filter(|other| other.run == finding.run && other.check == finding.check)
        .position(|other| std::ptr::eq(other, finding))?;
    cards.nth(nth)
}

/// Whether the run of `card` has other cards.
pub fn is_one_of_several(verdict: &Verdict, card: &Card) -> bool {
    verdict.scorecards.iter().filter(|other| other.run == card.run).count() > 1
}

/// Returns the violations of one run that only cost points, with their findings.
pub fn list_costly_violations(
    verdict: &Verdict,
    run: usize,
) -> impl Iterator<Item = (&Finding, &LocatedViolation)> {
    let findings =
        verdict.findings.iter().filter(move |finding| finding.run == run && costs_only_points(finding));
    findings.flat_map(|finding| finding.violations.iter().map(move |violation| (finding, violation)))
}

/// Renders the message of a violation, with the turn that it is about.
pub fn render_message(finding: &Finding, violation: &LocatedViolation) -> String {
    match finding.turn {
        Some(turn) => format!("turn {turn}: {}", violation.message),
        None => violation.message.clone(),
    }
}

/// Renders a violation and what it says beside its message, one line each. All reports of a scored trial show these lines.
pub fn render_violation_lines(finding: &Finding, violation: &LocatedViolation) -> Vec<String> {
    let expected = violation.expected.as_deref().filter(|_| violation.actual.is_some());
    let beside = [
        ("expected", expected),
        ("actual", violation.actual.as_deref().filter(|_| expected.is_some())),
        ("help", violation.suggestion.as_deref()),
    ];
    let beside = beside.into_iter().filter_map(|(name, text)| Some(format!("  {name}: {}", text?)));
    std::iter::once(render_message(finding, violation)).chain(beside).collect()
}

/// Renders what cost points on `card`: each violation of its checks, with what it says beside its message.
pub fn render_costs(verdict: &Verdict, card: &Card) -> Vec<String> {
    let own = list_costly_violations(verdict, card.run).filter(|(finding, _)| belongs_to(card, finding));
    let mut blocks: Vec<Vec<String>> =
        own.map(|(finding, violation)| render_violation_lines(finding, violation)).collect();
    let more = blocks.len().saturating_sub(MAX_LOSSES);
    blocks.truncate(MAX_LOSSES);
    // Blocks are counted and not lines, as one violation may have several.
    let rest = (more > 0).then(|| format!("... and {more} more"));
    blocks.into_iter().flatten().chain(rest).collect()
}

/// Whether a card sums up a finding: the card of a turn has its number in its name.
fn belongs_to(card: &Card, finding: &Finding) -> bool {
    match finding.turn {
        Some(turn) => card.name.ends_with(&format!(" of turn {turn}")),
        None => !card.name.contains(" of turn "),
    }
}

/// Whether the violations of a finding cost points at most.
pub fn costs_only_points(finding: &Finding) -> bool {
    finding.effect == Effect::Inform || (finding.effect == Effect::Points && finding.status == Status::Fail)
}
