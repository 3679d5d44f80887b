//! Translates a pattern for the linear-time engine.
//!
//! That engine matches characters, while JavaScript matches code units: `.` is half an emoji. So each half of a surrogate
//! pair becomes a character of its own in the text, from a private plane that such a text cannot contain otherwise.

use std::borrow::Cow;
use std::fmt::Write;

use arraign_trace::compiled::SizedForm;
use regex::Regex;

use super::super::regex::compile_sized;
use super::syntax::{JsAssertion, JsPart, JsPattern, JsRepeat};
use super::units::UnitSet;

/// The distance between a surrogate and its character in the private plane.
const PRIVATE_OFFSET: u32 = 0x10_0000;
const SURROGATES: (u16, u16) = (0xD800, 0xDFFF);

/// The same pattern for the linear-time engine, if that can express it and it is not too large for it.
pub(super) fn compile_linear(pattern: &JsPattern) -> Option<SizedForm<Regex>> {
    LinearWriter::compile_part(&pattern.root, Strictness::Exact)
}

/// Compiles patterns that match in every text in which `pattern` matches: the pattern without the parts that this engine
/// cannot express, and the bodies of its look-arounds. A text without one of them needs no search.
pub(super) fn compile_needs(pattern: &JsPattern) -> Vec<SizedForm<Regex>> {
    // Each positive look-around on the way to every match is a condition of its own. A text that lacks one of them
    // cannot match, and the linear engine finds that out fast.
    let mut parts = vec![&pattern.root];
    collect_lookarounds(&pattern.root, &mut parts);
    parts.into_iter().filter_map(|part| LinearWriter::compile_part(part, Strictness::Loose)).collect()
}

fn collect_lookarounds<'p>(part: &'p JsPart, found: &mut Vec<&'p JsPart>) {
    match part {
        JsPart::Sequence(parts) => parts.iter().for_each(|part| collect_lookarounds(part, found)),
        JsPart::Capture(_, body) => collect_lookarounds(body, found),
        JsPart::Look(look) if !look.negative => found.push(&look.body),
        // The other parts may be skipped in a match, so nothing inside of them is needed.
        _ => {}
    }
}

/// Whether groups that this engine captures are those of JavaScript, which unsets a loop's groups in each round
/// and refuses a round that is empty.
pub(super) fn has_same_captures(part: &JsPart) -> bool {
    match part {
        JsPart::Sequence(parts) | JsPart::Alternatives(parts) => parts.iter().all(has_same_captures),
        JsPart::Capture(_, body) => has_same_captures(body),
        JsPart::Repeat(repeat) => repeat.groups.is_empty() && !repeat.body.may_be_empty(),
        _ => true,
    }
}

/// Converts a text so that every code unit is one character.
pub(super) fn spread_units(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c.len_utf16() == 1) {
        return Cow::Borrowed(text);
    }
    // A surrogate is not a `char`, so each moves to a private plane, where `LinearWriter` looks for it.
    let units = text.encode_utf16().map(u32::from);
    Cow::Owned(
        units.filter_map(|unit| char::from_u32(unit).or(char::from_u32(PRIVATE_OFFSET + unit))).collect(),
    )
}

/// Reverses [`spread_units`]. An unpaired surrogate becomes U+FFFD.
pub(super) fn gather_units(spread: &str) -> String {
    let units = spread.chars().map(|c| u16::try_from(u32::from(c) % PRIVATE_OFFSET).unwrap_or_default());
    String::from_utf16_lossy(&units.collect::<Vec<_>>())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strictness {
    /// A part that the engine cannot express is an error.
    Exact,
    /// A part that the engine cannot express becomes one that matches at least as much.
    Loose,
}

struct LinearWriter {
    out: String,
    reading: Strictness,
}

impl LinearWriter {
    fn compile_part(part: &JsPart, reading: Strictness) -> Option<SizedForm<Regex>> {
        let mut writer = Self { out: String::new(), reading };
        writer.write_part(part)?;
        compile_sized(&writer.out).ok()
    }

    /// Writes a part in the syntax of the linear engine; `None` if the engine cannot express it.
    fn write_part(&mut self, part: &JsPart) -> Option<()> {
        match part {
            JsPart::Unit(set) => self.write_set(set),
            JsPart::Sequence(parts) => parts.iter().try_for_each(|part| self.write_part(part)),
            JsPart::Alternatives(parts) => {
                self.out.push_str("(?:");
                for (index, part) in parts.iter().enumerate() {
                    self.out.push_str(if index == 0 { "" } else { "|" });
                    self.write_part(part)?;
                }
                self.out.push(')');
                Some(())
            }
            JsPart::Capture(_, body) => self.write_group("(", body),
            JsPart::Repeat(repeat) => self.write_repeat(repeat),
            JsPart::Assertion(assertion) => self.write_assertion(*assertion),
            // The linear engine has neither look-arounds nor back-references. Where an approximation is allowed, a
            // wider one is written: what it does not find, the exact machine does not find either.
            JsPart::Look(_) => self.write_loosely(""),
            JsPart::Reference { .. } => self.write_loosely("(?s:.*)"),
        }
    }

    fn write_loosely(&mut self, text: &str) -> Option<()> {
        self.out.push_str(text);
        (self.reading == Strictness::Loose).then_some(())
    }

    fn write_group(&mut self, open: &str, body: &JsPart) -> Option<()> {
        self.out.push_str(open);
        self.write_part(body)?;
        self.out.push(')');
        Some(())
    }

    fn write_repeat(&mut self, repeat: &JsRepeat) -> Option<()> {
        self.write_group("(?:", &repeat.body)?;
        match repeat.max {
            Some(max) => write!(self.out, "{{{},{max}}}", repeat.min).ok()?,
            None => write!(self.out, "{{{},}}", repeat.min).ok()?,
        }
        self.out.push_str(if repeat.greedy { "" } else { "?" });
        Some(())
    }

    fn write_assertion(&mut self, assertion: JsAssertion) -> Option<()> {
        self.out.push_str(match assertion {
            JsAssertion::Start => r"\A",
            JsAssertion::End => r"\z",
            JsAssertion::WordBoundary => r"(?-u:\b)",
            JsAssertion::LineStart | JsAssertion::LineEnd | JsAssertion::NoWordBoundary => {
                return self.write_loosely("");
            }
        });
        Some(())
    }

    fn write_set(&mut self, set: &UnitSet) -> Option<()> {
        if set.ranges().is_empty() {
            // A class without members, which never matches.
            self.out.push_str("[a&&b]");
            return Some(());
        }
        self.out.push('[');
        for (low, high) in set.ranges() {
            // Surrogates are no characters in Rust, so a range is written in three parts, the middle one moved to
            // where the text has its surrogates.
            self.write_clipped((*low, *high), (0, SURROGATES.0 - 1), 0)?;
            self.write_clipped((*low, *high), SURROGATES, PRIVATE_OFFSET)?;
            self.write_clipped((*low, *high), (SURROGATES.1 + 1, u16::MAX), 0)?;
        }
        self.out.push(']');
        Some(())
    }

    /// The part of `range` within `bounds`, moved by `shift`.
    fn write_clipped(&mut self, range: (u16, u16), bounds: (u16, u16), shift: u32) -> Option<()> {
        let low = range.0.max(bounds.0);
        let high = range.1.min(bounds.1);
        // An empty part is written as nothing, and its class stays valid.
        if low > high {
            return Some(());
        }
        write!(self.out, r"\x{{{:X}}}-\x{{{:X}}}", u32::from(low) + shift, u32::from(high) + shift).ok()
    }
}
