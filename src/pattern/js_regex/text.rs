//! The text that a machine reads, either way.

use std::ops::Range;

use super::canon::fold_case;
use super::program::ReadDirection;
use super::syntax::JsAssertion;
use super::units::{UnitSet, ends_line, is_word_unit};

/// Code units.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnitText<'t>(pub(super) &'t [u16]);

impl UnitText<'_> {
    /// The position behind one unit of `set`.
    pub(super) fn match_unit(self, position: usize, set: &UnitSet, way: ReadDirection) -> Option<usize> {
        let (unit, next) = match way {
            ReadDirection::Forward => (position, position + 1),
            // A lookbehind reads the unit before the position.
            ReadDirection::Back => (position.checked_sub(1)?, position - 1),
        };
        self.0.get(unit).is_some_and(|unit| set.contains(*unit)).then_some(next)
    }

    /// The position behind what stands in `captured` once more.
    pub(super) fn match_captured(
        self,
        captured: Range<usize>,
        position: usize,
        any_case: bool,
        way: ReadDirection,
    ) -> Option<usize> {
        let (here, next) = match way {
            ReadDirection::Forward => (position..position + captured.len(), position + captured.len()),
            ReadDirection::Back => {
                (position.checked_sub(captured.len())?..position, position - captured.len())
            }
        };
        // A range that leaves the text has no units, so the reference fails there.
        let mut pairs = self.0.get(captured)?.iter().zip(self.0.get(here)?);
        pairs.all(|(a, b)| a == b || (any_case && fold_case(*a) == fold_case(*b))).then_some(next)
    }

    pub(super) fn check_assertion(self, assertion: JsAssertion, position: usize) -> bool {
        let before = position.checked_sub(1).and_then(|before| self.0.get(before)).copied();
        let after = self.0.get(position).copied();
        // The edges of the text count as no word.
        let at_word = before.is_some_and(is_word_unit) != after.is_some_and(is_word_unit);
        match assertion {
            JsAssertion::Start => before.is_none(),
            JsAssertion::End => after.is_none(),
            JsAssertion::LineStart => before.is_none_or(ends_line),
            JsAssertion::LineEnd => after.is_none_or(ends_line),
            JsAssertion::WordBoundary => at_word,
            JsAssertion::NoWordBoundary => !at_word,
        }
    }
}
