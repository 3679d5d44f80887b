//! Escapes: what a backslash and what follows it stand for.

use super::JsRegexError;
use super::parse::JsParser;
use super::syntax::JsPart;
use super::units::UnitSet;

const BACKSLASH: u16 = b'\\' as u16;

/// Where an escape stands: some mean another thing in a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapePosition {
    Outside,
    InClass,
}

impl JsParser {
    /// An escape outside of a class.
    pub(super) fn parse_escape(&mut self) -> Result<JsPart, JsRegexError> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let Some(c) = self.cursor.peek() else {
            return Err(self
                .cursor
                .error_at(start, "a backslash ends the pattern: write `\\\\` for the character"));
        };
        if let Some(set) = UnitSet::find_escape(c) {
            self.cursor.at += 1;
            return Ok(JsPart::Unit(set));
        }
        match c {
            '1'..='9' => Ok(self.parse_reference_or_octal()),
            // Without named groups, `\k` is the letter, as the web's legacy syntax has it.
            'k' if !self.names.is_empty() => self.parse_named_reference(start),
            _ => {
                let unit = self.parse_character(EscapePosition::Outside)?;
                Ok(self.build_unit(UnitSet::from_unit(unit)))
            }
        }
    }

    fn build_reference(&self, group: usize) -> JsPart {
        JsPart::Reference { group, any_case: self.flags.ignore_case }
    }

    /// `\12` is the twelfth group if there are so many, else a character in octal.
    fn parse_reference_or_octal(&mut self) -> JsPart {
        let start = self.cursor.at;
        let group = self.cursor.number().and_then(|number| usize::try_from(number).ok());
        if let Some(group) = group.filter(|group| *group <= self.groups) {
            return self.build_reference(group);
        }
        // There are not so many groups, so the digits are read again as an octal character, as engines do without the
        // flag `u`.
        self.cursor.at = start;
        let unit = self.parse_octal_or_digit();
        self.build_unit(UnitSet::from_unit(unit))
    }

    fn parse_named_reference(&mut self, start: usize) -> Result<JsPart, JsRegexError> {
        self.cursor.at += 1;
        if !self.cursor.eat("<") {
            let message = "`\\k` names no group: write `\\k<name>`, as the pattern has named groups";
            return Err(self.cursor.error_at(start, message));
        }
        let name = self.cursor.name()?;
        match self.names.iter().find(|(other, _)| *other == name) {
            Some((_, group)) => Ok(self.build_reference(*group)),
            None => Err(self.cursor.error_at(start, format!("no group is named `{name}`"))),
        }
    }

    /// Parses an escape that stands for one code unit. Its backslash has been read.
    pub(super) fn parse_character(&mut self, position: EscapePosition) -> Result<u16, JsRegexError> {
        let cursor = &mut self.cursor;
        let Some(c) = cursor.peek() else { return Ok(BACKSLASH) };
        match c {
            'c' => return Ok(self.parse_control(position)),
            '0'..='9' => return Ok(self.parse_octal_or_digit()),
            // Without named groups, `\k` is the letter. With them it must name one, also for engines that accept all
            // else.
            'k' if !self.names.is_empty() => {
                return Err(self.error_here("`\\k` is no escape beside named groups: write `k`"));
            }
            _ => {}
        }
        let unit = cursor.take_unit().unwrap_or_default();
        Ok(match c {
            'f' => 0x0C,
            'n' => 0x0A,
            'r' => 0x0D,
            't' => 0x09,
            'v' => 0x0B,
            // Digits that are missing make the escape the letter itself: `\x` is `x`.
            'x' => cursor.hex(2).unwrap_or(unit),
            'u' => cursor.hex(4).unwrap_or(unit),
            _ => unit,
        })
    }

    /// `\cJ` is a control character. A `\c` before anything else is a backslash, and the `c` is read again.
    fn parse_control(&mut self, position: EscapePosition) -> u16 {
        let letter = self.cursor.look(1).filter(|c| {
            c.is_ascii_alphabetic()
                // Only inside of a class, the legacy syntax takes digits and `_` for control letters.
                || (position == EscapePosition::InClass && (c.is_ascii_digit() || *c == '_'))
        });
        let Some(letter) = letter.and_then(|c| u8::try_from(c).ok()) else { return BACKSLASH };
        self.cursor.at += 2;
        u16::from(letter % 32)
    }

    /// Up to three octal digits that make at most 255; 8 and 9 are themselves.
    fn parse_octal_or_digit(&mut self) -> u16 {
        let mut value = 0;
        let mut read = 0;
        while let Some(digit) = self.cursor.peek().and_then(|c| c.to_digit(8)).filter(|_| read < 3) {
            let next = value * 8 + digit;
            // `\400` is the character 32 and a `0`: a code unit of an octal escape is at most 255.
            if next > 255 {
                break;
            }
            value = next;
            read += 1;
            self.cursor.at += 1;
        }
        if read == 0 {
            return self.cursor.take_unit().unwrap_or_default();
        }
        u16::try_from(value).unwrap_or_default()
    }
}
