//! A parsed JavaScript pattern.

use std::ops::Range;

use super::units::UnitSet;

/// Counted repeats written out may be this long; beyond, the pattern is a mistake or an attack.
pub(super) const MAX_SIZE: u64 = 50_000;

/// A part of a pattern. Case and the flags `m` and `s` are settled in it.
#[derive(Debug)]
pub(super) enum JsPart {
    /// One code unit.
    Unit(UnitSet),
    Sequence(Vec<JsPart>),
    Alternatives(Vec<JsPart>),
    /// A group that captures; the first is 1.
    Capture(usize, Box<JsPart>),
    Repeat(JsRepeat),
    Assertion(JsAssertion),
    Look(JsLook),
    /// What the group captured once more, in any case or not.
    Reference {
        group: usize,
        any_case: bool,
    },
}

#[derive(Debug)]
pub(super) struct JsRepeat {
    pub(super) body: Box<JsPart>,
    pub(super) min: u32,
    /// `None` is without end.
    pub(super) max: Option<u32>,
    pub(super) greedy: bool,
    /// The groups in the body: each round begins with them unset.
    pub(super) groups: Range<usize>,
}

#[derive(Debug)]
pub(super) struct JsLook {
    pub(super) body: Box<JsPart>,
    pub(super) behind: bool,
    pub(super) negative: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsAssertion {
    Start,
    End,
    LineStart,
    LineEnd,
    WordBoundary,
    NoWordBoundary,
}

/// A whole pattern.
#[derive(Debug)]
pub(super) struct JsPattern {
    pub(super) root: JsPart,
    /// How many groups capture.
    pub(super) groups: usize,
    pub(super) names: Vec<(String, usize)>,
}

impl JsPart {
    /// Whether a quantifier may follow. A look-ahead can be repeated (Annex B): its meaning is useless, and engines accept it.
    pub(super) fn is_repeatable(&self) -> bool {
        !matches!(self, Self::Assertion(_) | Self::Look(JsLook { behind: true, .. }))
    }

    /// Returns the size of the part with its counted repeats written out.
    pub(super) fn expanded_size(&self) -> u64 {
        match self {
            Self::Sequence(parts) | Self::Alternatives(parts) => {
                parts.iter().map(Self::expanded_size).fold(1, u64::saturating_add)
            }
            Self::Capture(_, body) | Self::Look(JsLook { body, .. }) => {
                body.expanded_size().saturating_add(1)
            }
            Self::Repeat(repeat) => {
                // An unbounded repeat is a loop in the program, and counts as often as its minimum is written out.
                let times = u64::from(repeat.max.unwrap_or(repeat.min).max(1));
                repeat.body.expanded_size().saturating_mul(times)
            }
            Self::Unit(_) | Self::Assertion(_) | Self::Reference { .. } => 1,
        }
    }

    /// Whether the part can match the empty text, as far as its form shows.
    pub(super) fn may_be_empty(&self) -> bool {
        match self {
            Self::Unit(_) => false,
            Self::Sequence(parts) => parts.iter().all(Self::may_be_empty),
            Self::Alternatives(parts) => parts.iter().any(Self::may_be_empty),
            Self::Capture(_, body) => body.may_be_empty(),
            Self::Repeat(repeat) => repeat.min == 0 || repeat.body.may_be_empty(),
            // What these match depends on the text, so they are taken for empty.
            Self::Assertion(_) | Self::Look(_) | Self::Reference { .. } => true,
        }
    }
}
