//! A pattern as the linear-time engine takes it.
//!
//! That engine matches characters, JavaScript code units: `.` is half an emoji. So a text is handed on with each
//! half of a surrogate pair as a character of its own, from a private plane that no such text can hold otherwise.

use std::borrow::Cow;
use std::fmt::Write;

use regex::{Regex, RegexBuilder};

use super::syntax::{Assertion, Part, Pattern, Repeat};
use super::units::Units;

/// A compiled program above this many bytes is left to the engine that counts its steps.
const SIZE_LIMIT: usize = 1 << 20;
/// A surrogate's place in the private plane is this far from its own.
const PRIVATE: u32 = 0x10_0000;
const SURROGATES: (u16, u16) = (0xD800, 0xDFFF);

/// The same pattern for the linear-time engine, if that can express it.
pub(super) fn compile(pattern: &Pattern) -> Option<Regex> {
    Writer::compile(&pattern.root, Reading::Exact)
}

/// Patterns that are found in every text in which `pattern` is: itself without what this engine cannot express, and
/// what it looks for around the match. A text without one of them needs no search.
pub(super) fn needs(pattern: &Pattern) -> Vec<Regex> {
    let mut parts = vec![&pattern.root];
    looked_for(&pattern.root, &mut parts);
    parts.into_iter().filter_map(|part| Writer::compile(part, Reading::Loose)).collect()
}

fn looked_for<'p>(part: &'p Part, found: &mut Vec<&'p Part>) {
    match part {
        Part::Sequence(parts) => parts.iter().for_each(|part| looked_for(part, found)),
        Part::Capture(_, body) => looked_for(body, found),
        Part::Look(look) if !look.negative => found.push(&look.body),
        _ => {}
    }
}

/// Whether groups that this engine captures are those of JavaScript, which unsets a loop's groups in each round
/// and refuses a round that is empty.
pub(super) fn captures_alike(part: &Part) -> bool {
    match part {
        Part::Sequence(parts) | Part::Alternatives(parts) => parts.iter().all(captures_alike),
        Part::Capture(_, body) => captures_alike(body),
        Part::Repeat(repeat) => repeat.groups.is_empty() && !repeat.body.may_be_empty(),
        _ => true,
    }
}

/// A text in which every code unit is one character.
pub(super) fn spread(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c.len_utf16() == 1) {
        return Cow::Borrowed(text);
    }
    // Surrogates are no `char`s, so each moves to a private plane, where `Writer::set` looks for it.
    let spread = |unit| char::from_u32(u32::from(unit)).or(char::from_u32(PRIVATE + u32::from(unit)));
    Cow::Owned(text.encode_utf16().filter_map(spread).collect())
}

/// The text that was spread. Half a character alone becomes U+FFFD.
pub(super) fn gather(spread: &str) -> String {
    let unit = |c| u16::try_from(u32::from(c) % PRIVATE).unwrap_or_default();
    String::from_utf16_lossy(&spread.chars().map(unit).collect::<Vec<_>>())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// What the engine cannot express is an error.
    Exact,
    /// What the engine cannot express matches whatever it could match, and more.
    Loose,
}

struct Writer {
    out: String,
    reading: Reading,
}

impl Writer {
    fn compile(part: &Part, reading: Reading) -> Option<Regex> {
        let mut writer = Self { out: String::new(), reading };
        writer.part(part)?;
        RegexBuilder::new(&writer.out).size_limit(SIZE_LIMIT).build().ok()
    }

    /// `None` where the engine has no such thing.
    fn part(&mut self, part: &Part) -> Option<()> {
        match part {
            Part::Unit(set) => self.set(set),
            Part::Sequence(parts) => parts.iter().try_for_each(|part| self.part(part)),
            Part::Alternatives(parts) => {
                self.out.push_str("(?:");
                for (index, part) in parts.iter().enumerate() {
                    self.out.push_str(if index == 0 { "" } else { "|" });
                    self.part(part)?;
                }
                self.out.push(')');
                Some(())
            }
            Part::Capture(_, body) => self.group("(", body),
            Part::Repeat(repeat) => self.repeat(repeat),
            Part::Assertion(assertion) => self.assertion(*assertion),
            Part::Look(_) => self.loosely(""),
            Part::Reference { .. } => self.loosely("(?s:.*)"),
        }
    }

    fn loosely(&mut self, text: &str) -> Option<()> {
        self.out.push_str(text);
        (self.reading == Reading::Loose).then_some(())
    }

    fn group(&mut self, open: &str, body: &Part) -> Option<()> {
        self.out.push_str(open);
        self.part(body)?;
        self.out.push(')');
        Some(())
    }

    fn repeat(&mut self, repeat: &Repeat) -> Option<()> {
        self.group("(?:", &repeat.body)?;
        match repeat.max {
            Some(max) => write!(self.out, "{{{},{max}}}", repeat.min).ok()?,
            None => write!(self.out, "{{{},}}", repeat.min).ok()?,
        }
        self.out.push_str(if repeat.greedy { "" } else { "?" });
        Some(())
    }

    fn assertion(&mut self, assertion: Assertion) -> Option<()> {
        self.out.push_str(match assertion {
            Assertion::Start => r"\A",
            Assertion::End => r"\z",
            Assertion::WordBoundary => r"(?-u:\b)",
            Assertion::LineStart | Assertion::LineEnd | Assertion::NoWordBoundary => return self.loosely(""),
        });
        Some(())
    }

    fn set(&mut self, set: &Units) -> Option<()> {
        if set.ranges().is_empty() {
            self.out.push_str("[a&&b]");
            return Some(());
        }
        self.out.push('[');
        for (low, high) in set.ranges() {
            self.clipped((*low, *high), (0, SURROGATES.0 - 1), 0)?;
            self.clipped((*low, *high), SURROGATES, PRIVATE)?;
            self.clipped((*low, *high), (SURROGATES.1 + 1, u16::MAX), 0)?;
        }
        self.out.push(']');
        Some(())
    }

    /// The part of `range` within `bounds`, moved by `shift`.
    fn clipped(&mut self, range: (u16, u16), bounds: (u16, u16), shift: u32) -> Option<()> {
        let (low, high) = (range.0.max(bounds.0), range.1.min(bounds.1));
        if low > high {
            return Some(());
        }
        write!(self.out, r"\x{{{:X}}}-\x{{{:X}}}", u32::from(low) + shift, u32::from(high) + shift).ok()
    }
}
