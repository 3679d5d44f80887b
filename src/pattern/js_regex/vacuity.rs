//! Proofs that a pattern matches no text, or every text.
//!
//! Both questions are answered from the parsed pattern alone. The answers are one-sided: `true` is a proof, `false`
//! means that no proof was found. Back-references and word boundaries prove nothing.

use super::syntax::{JsAssertion, JsLook, JsPart, JsRepeat};
use super::units::UnitSet;

/// Whether `part` matches nowhere in any text.
pub(super) fn matches_nothing(part: &JsPart) -> bool {
    fails(part, Around::default())
}

/// Whether `part` matches somewhere in every text.
pub(super) fn matches_every_text(part: &JsPart) -> bool {
    let ways = Ways::through(part);
    ways.at_start || ways.across || ways.at_end
}

/// Which sides of a part certainly have a unit of the text.
#[derive(Debug, Clone, Copy, Default)]
struct Around {
    before: bool,
    after: bool,
}

/// Whether `part` cannot match between such units.
///
/// A part fails if it needs a unit from an empty class, the start of the text after a unit, the end of the text
/// before a unit, or a part of its own that fails.
fn fails(part: &JsPart, around: Around) -> bool {
    match part {
        JsPart::Unit(set) => set.ranges().is_empty(),
        JsPart::Assertion(JsAssertion::Start) => around.before,
        JsPart::Assertion(JsAssertion::End) => around.after,
        JsPart::Sequence(parts) => sequence_fails(parts, around),
        JsPart::Alternatives(parts) => parts.iter().all(|part| fails(part, around)),
        JsPart::Capture(_, body) => fails(body, around),
        // A part that may be left out cannot make the pattern fail.
        JsPart::Repeat(repeat) => repeat.min > 0 && fails(&repeat.body, around),
        JsPart::Look(JsLook { body, negative: true, .. }) => matches_everywhere(body),
        JsPart::Look(JsLook { body, behind: true, .. }) => fails(body, Around { before: false, ..around }),
        JsPart::Look(JsLook { body, .. }) => fails(body, Around { after: false, ..around }),
        JsPart::Assertion(_) | JsPart::Reference { .. } => false,
    }
}

fn sequence_fails(parts: &[JsPart], around: Around) -> bool {
    // A part has a unit before it if an earlier part certainly takes one, and a unit behind it if a later part does.
    // Then an anchor in it cannot hold.
    let first = parts.iter().position(|part| !part.may_be_empty());
    let last = parts.iter().rposition(|part| !part.may_be_empty());
    parts.iter().enumerate().any(|(index, part)| {
        let before = around.before || first.is_some_and(|first| first < index);
        let after = around.after || last.is_some_and(|last| last > index);
        fails(part, Around { before, after })
    })
}

/// Whether `part` matches at every position of every text.
fn matches_everywhere(part: &JsPart) -> bool {
    // A part is proved only where its form alone is enough. `false` means that nothing is proved, so a wrong `true`
    // is the only mistake that counts.
    match part {
        JsPart::Sequence(parts) => parts.iter().all(matches_everywhere),
        JsPart::Alternatives(parts) => parts.iter().any(matches_everywhere),
        JsPart::Capture(_, body) => matches_everywhere(body),
        JsPart::Repeat(repeat) => repeat.min == 0 || matches_everywhere(&repeat.body),
        JsPart::Look(look) if look.negative => matches_nothing(&look.body),
        JsPart::Look(look) => matches_everywhere(&look.body),
        JsPart::Unit(_) | JsPart::Assertion(_) | JsPart::Reference { .. } => false,
    }
}

/// The matches of a part that every text has.
///
/// Only the two ends of a text are the same in all texts, so only matches between them count: the empty match at the
/// start, the match of the whole text, and the empty match at the end.
#[derive(Debug, Clone, Copy, Default)]
struct Ways {
    at_start: bool,
    across: bool,
    at_end: bool,
}

impl Ways {
    const EMPTY: Self = Self { at_start: true, across: false, at_end: true };

    fn through(part: &JsPart) -> Self {
        match part {
            JsPart::Sequence(parts) => parts.iter().map(Self::through).fold(Self::EMPTY, Self::then),
            JsPart::Alternatives(parts) => parts.iter().map(Self::through).fold(Self::default(), Self::or),
            JsPart::Capture(_, body) => Self::through(body),
            JsPart::Repeat(repeat) => Self::through_repeat(repeat),
            // An assertion consumes nothing. Of the two ends that every text has, `^` holds at one and `$` at the
            // other.
            JsPart::Assertion(JsAssertion::Start | JsAssertion::LineStart) => {
                Self { at_end: false, ..Self::EMPTY }
            }
            JsPart::Assertion(JsAssertion::End | JsAssertion::LineEnd) => {
                Self { at_start: false, ..Self::EMPTY }
            }
            JsPart::Look(_) if matches_everywhere(part) => Self::EMPTY,
            JsPart::Look(_) | JsPart::Assertion(_) | JsPart::Unit(_) | JsPart::Reference { .. } => {
                Self::default()
            }
        }
    }

    fn through_repeat(repeat: &JsRepeat) -> Self {
        // `[^]*` is the way from any position to any other. `.*` is not, because it stops at a line break.
        let takes_any = matches!(&*repeat.body, JsPart::Unit(set) if *set == UnitSet::all_units());
        if takes_any && repeat.min == 0 && repeat.max.is_none() {
            return Self { across: true, ..Self::EMPTY };
        }
        // A repetition is at least `least` rounds. More rounds only add ways, unless their number is fixed.
        let once = Self::through(&repeat.body);
        // No way leads back from the end, so two rounds reach all that more rounds reach.
        let least = match repeat.min {
            0 => Self::EMPTY,
            1 => once,
            _ => once.then(once),
        };
        if repeat.max == Some(repeat.min) { least } else { least.or(least.then(once)) }
    }

    fn then(self, next: Self) -> Self {
        Self {
            at_start: self.at_start && next.at_start,
            // One part crosses the text, while the other matches nothing at its start or at its end.
            across: self.at_start && next.across || self.across && next.at_end,
            at_end: self.at_end && next.at_end,
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            at_start: self.at_start || other.at_start,
            across: self.across || other.across,
            at_end: self.at_end || other.at_end,
        }
    }
}
