//! A class: `[...]`.

use super::JsRegexError;
use super::escape::EscapePosition;
use super::parse::JsParser;
use super::syntax::JsPart;
use super::units::UnitSet;

/// A member of a class: one unit, which may begin or end a range, or a set such as `\d`, which may not.
enum ClassMember {
    Unit(u16),
    Set(UnitSet),
}

impl ClassMember {
    fn into_ranges(self) -> Vec<(u16, u16)> {
        match self {
            Self::Unit(unit) => vec![(unit, unit)],
            Self::Set(set) => set.ranges().to_vec(),
        }
    }
}

impl JsParser {
    /// A class. `[]` matches nothing and `[^]` everything.
    pub(super) fn parse_class(&mut self) -> Result<JsPart, JsRegexError> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let negated = self.cursor.eat("^");
        let mut ranges = Vec::new();
        while !self.cursor.eat("]") {
            // A class may contain anything, so its missing end is noticed at the end of the pattern only.
            if self.cursor.peek().is_none() {
                let message = "this class is not closed: add `]`, or write `\\[` for the character";
                return Err(self.cursor.error_at(start, message));
            }
            self.parse_member_or_range(&mut ranges)?;
        }
        let set = self.apply_case(UnitSet::new(ranges));
        Ok(JsPart::Unit(if negated { set.complement() } else { set }))
    }

    /// A member, or a range of two. A dash beside a set, or at an end of the class, is a character.
    fn parse_member_or_range(&mut self, ranges: &mut Vec<(u16, u16)>) -> Result<(), JsRegexError> {
        let start = self.cursor.at;
        let first = self.parse_member()?;
        // A dash makes a range only between two members. At the end of the class it is a character.
        let is_range = self.cursor.peek() == Some('-') && !matches!(self.cursor.look(1), None | Some(']'));
        if !is_range {
            ranges.extend(first.into_ranges());
            return Ok(());
        }
        self.cursor.at += 1;
        match (first, self.parse_member()?) {
            (ClassMember::Unit(low), ClassMember::Unit(high)) if low > high => {
                let message = "this range is out of order: the smaller character comes first";
                return Err(self.cursor.error_at(start, message));
            }
            (ClassMember::Unit(low), ClassMember::Unit(high)) => ranges.push((low, high)),
            // `[\w-.]`: without the flag `u`, JavaScript reads a dash next to a set as a character.
            (first, second) => {
                ranges.extend(first.into_ranges());
                ranges.extend(second.into_ranges());
                ranges.push((u16::from(b'-'), u16::from(b'-')));
            }
        }
        Ok(())
    }

    fn parse_member(&mut self) -> Result<ClassMember, JsRegexError> {
        if !self.cursor.eat("\\") {
            return Ok(ClassMember::Unit(self.cursor.take_unit().unwrap_or_default()));
        }
        if let Some(set) = self.cursor.peek().and_then(UnitSet::find_escape) {
            self.cursor.at += 1;
            return Ok(ClassMember::Set(set));
        }
        // Inside of a class, `\b` is a backspace; outside it is an assertion.
        if self.cursor.eat("b") {
            return Ok(ClassMember::Unit(0x08));
        }
        self.parse_character(EscapePosition::InClass).map(ClassMember::Unit)
    }
}
