//! A pattern as JavaScript sees it: code units, read one after another.

use std::sync::LazyLock;

use regex::Regex;

use super::JsRegexError;

static NAME: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[$_\p{ID_Start}][$\x{200C}\x{200D}\p{ID_Continue}]*$").ok());

#[derive(Debug, Clone)]
pub(super) struct PatternCursor {
    units: Vec<u16>,
    /// The byte in the pattern at which each unit begins, and the pattern's end.
    offsets: Vec<usize>,
    pub(super) at: usize,
}

impl PatternCursor {
    pub(super) fn new(pattern: &str) -> Self {
        let mut units = Vec::with_capacity(pattern.len());
        let mut offsets = Vec::with_capacity(pattern.len() + 1);
        // JavaScript reads code units, and errors are reported by byte. `offsets` leads from one to the other.
        for (offset, c) in pattern.char_indices() {
            let mut pair = [0; 2];
            for unit in c.encode_utf16(&mut pair) {
                units.push(*unit);
                offsets.push(offset);
            }
        }
        offsets.push(pattern.len());
        Self { units, offsets, at: 0 }
    }

    /// The unit after `ahead` others, as a character. Half a character is shown as U+FFFD, which no rule names.
    pub(super) fn look(&self, ahead: usize) -> Option<char> {
        let unit = *self.units.get(self.at + ahead)?;
        Some(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.look(0)
    }

    /// Returns the character that was read last.
    pub(super) fn behind(&self) -> Option<char> {
        let unit = *self.units.get(self.at.checked_sub(1)?)?;
        char::from_u32(u32::from(unit))
    }

    pub(super) fn take_unit(&mut self) -> Option<u16> {
        let unit = *self.units.get(self.at)?;
        self.at += 1;
        Some(unit)
    }

    pub(super) fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    /// Reads `text` if it stands here. `text` is ASCII.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let here = text.chars().enumerate().all(|(ahead, c)| self.look(ahead) == Some(c));
        if here {
            self.at += text.len();
        }
        here
    }

    /// Exactly `count` hexadecimal digits, or nothing is read.
    pub(super) fn hex(&mut self, count: usize) -> Option<u16> {
        let digits: Option<Vec<u32>> = (0..count).map(|ahead| self.look(ahead)?.to_digit(16)).collect();
        let value = digits?.iter().fold(0, |value, digit| value * 16 + digit);
        self.at += count;
        u16::try_from(value).ok()
    }

    /// A decimal number; one too large is the largest.
    pub(super) fn number(&mut self) -> Option<u32> {
        let mut value = self.peek()?.to_digit(10)?;
        self.at += 1;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            // A number that is too large stays too large, and is refused by its limit.
            value = value.saturating_mul(10).saturating_add(digit);
            self.at += 1;
        }
        Some(value)
    }

    /// The name of a group and its `>`.
    pub(super) fn name(&mut self) -> Result<String, JsRegexError> {
        let start = self.at;
        let mut units = Vec::new();
        while let Some(c) = self.peek().filter(|c| *c != '>') {
            match c {
                '\\' => self.name_escape(&mut units),
                _ => units.extend(self.take_unit()),
            }
        }
        // A lone surrogate in a name makes it empty, which is no valid name.
        let name = String::from_utf16(&units).unwrap_or_default();
        let valid = NAME.as_ref().is_some_and(|valid| valid.is_match(&name));
        if !self.eat(">") || !valid {
            let message = "a group's name is letters, digits, `_` or `$`, no digit first, and ends with `>`";
            return Err(self.error_at(start, message));
        }
        Ok(name)
    }

    /// `\uHHHH` or `\u{H...}` in a name; anything else spoils the name.
    fn name_escape(&mut self, units: &mut Vec<u16>) {
        let point = match self.eat("\\u{") {
            true => self.braced_hex(),
            false if self.eat("\\u") => self.hex(4).map(u32::from),
            false => self.take_unit().and(None),
        };
        match point.map(|point| (char::from_u32(point), u16::try_from(point))) {
            // A surrogate may be half of a pair that two escapes write together, so it is kept as a unit.
            Some((Some(c), _)) => units.extend(c.encode_utf16(&mut [0; 2]).iter()),
            Some((None, Ok(surrogate))) => units.push(surrogate),
            _ => units.push(u16::from(b'\\')),
        }
    }

    fn braced_hex(&mut self) -> Option<u32> {
        let mut value = 0_u32;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) {
            value = value.saturating_mul(16).saturating_add(digit);
            self.at += 1;
        }
        self.eat("}").then_some(value)
    }

    pub(super) fn error_at(&self, at: usize, message: impl Into<String>) -> JsRegexError {
        let offset = self.offsets.get(at).or(self.offsets.last()).copied().unwrap_or_default();
        JsRegexError { message: message.into(), offset }
    }
}
