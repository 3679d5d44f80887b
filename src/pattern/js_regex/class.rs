//! A class: `[...]`.

use super::JsRegexError;
use super::escape::Position;
use super::parse::Parser;
use super::syntax::Part;
use super::units::Units;

/// What stands in a class: one unit, which may begin or end a range, or a set such as `\d`, which may not.
enum Member {
    Unit(u16),
    Set(Units),
}

impl Member {
    fn ranges(self) -> Vec<(u16, u16)> {
        match self {
            Self::Unit(unit) => vec![(unit, unit)],
            Self::Set(set) => set.ranges().to_vec(),
        }
    }
}

impl Parser {
    /// A class. `[]` matches nothing and `[^]` everything.
    pub(super) fn class(&mut self) -> Result<Part, JsRegexError> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let negated = self.cursor.eat("^");
        let mut ranges = Vec::new();
        while !self.cursor.eat("]") {
            if self.cursor.peek().is_none() {
                let message = "this class is not closed: add `]`, or write `\\[` for the character";
                return Err(self.cursor.error_at(start, message));
            }
            self.member_or_range(&mut ranges)?;
        }
        let set = self.in_its_cases(Units::new(ranges));
        Ok(Part::Unit(if negated { set.complement() } else { set }))
    }

    /// A member, or a range of two. A dash beside a set, or at an end of the class, is a character.
    fn member_or_range(&mut self, ranges: &mut Vec<(u16, u16)>) -> Result<(), JsRegexError> {
        let start = self.cursor.at;
        let first = self.member()?;
        let is_range = self.cursor.peek() == Some('-') && !matches!(self.cursor.look(1), None | Some(']'));
        if !is_range {
            ranges.extend(first.ranges());
            return Ok(());
        }
        self.cursor.at += 1;
        match (first, self.member()?) {
            (Member::Unit(low), Member::Unit(high)) if low > high => {
                let message = "this range is out of order: the smaller character comes first";
                return Err(self.cursor.error_at(start, message));
            }
            (Member::Unit(low), Member::Unit(high)) => ranges.push((low, high)),
            (first, second) => {
                ranges.extend(first.ranges());
                ranges.extend(second.ranges());
                ranges.push((u16::from(b'-'), u16::from(b'-')));
            }
        }
        Ok(())
    }

    fn member(&mut self) -> Result<Member, JsRegexError> {
        if !self.cursor.eat("\\") {
            return Ok(Member::Unit(self.cursor.take_unit().unwrap_or_default()));
        }
        if let Some(set) = self.cursor.peek().and_then(Units::named) {
            self.cursor.at += 1;
            return Ok(Member::Set(set));
        }
        if self.cursor.eat("b") {
            return Ok(Member::Unit(0x08));
        }
        self.character(Position::InClass).map(Member::Unit)
    }
}
