//! The text that a machine reads, either way.

use std::ops::Range;

use super::canon::canonical;
use super::program::Way;
use super::syntax::Assertion;
use super::units::{Units, ends_line, in_word};

/// Code units.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'t>(pub(super) &'t [u16]);

impl Text<'_> {
    /// The position behind one unit of `set`.
    pub(super) fn read(self, position: usize, set: &Units, way: Way) -> Option<usize> {
        let (unit, next) = match way {
            Way::Forward => (position, position + 1),
            Way::Back => (position.checked_sub(1)?, position - 1),
        };
        self.0.get(unit).is_some_and(|unit| set.contains(*unit)).then_some(next)
    }

    /// The position behind what stands in `captured` once more.
    pub(super) fn again(
        self,
        captured: Range<usize>,
        position: usize,
        any_case: bool,
        way: Way,
    ) -> Option<usize> {
        let (here, next) = match way {
            Way::Forward => (position..position + captured.len(), position + captured.len()),
            Way::Back => (position.checked_sub(captured.len())?..position, position - captured.len()),
        };
        let same = |(a, b): (&u16, &u16)| a == b || (any_case && canonical(*a) == canonical(*b));
        let is_same = self.0.get(captured)?.iter().zip(self.0.get(here)?).all(same);
        is_same.then_some(next)
    }

    pub(super) fn holds(self, assertion: Assertion, position: usize) -> bool {
        let before = position.checked_sub(1).and_then(|before| self.0.get(before)).copied();
        let after = self.0.get(position).copied();
        let at_word = before.is_some_and(in_word) != after.is_some_and(in_word);
        match assertion {
            Assertion::Start => before.is_none(),
            Assertion::End => after.is_none(),
            Assertion::LineStart => before.is_none_or(ends_line),
            Assertion::LineEnd => after.is_none_or(ends_line),
            Assertion::WordBoundary => at_word,
            Assertion::NoWordBoundary => !at_word,
        }
    }
}
