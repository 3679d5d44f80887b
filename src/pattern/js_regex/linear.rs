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
    let mut text = String::new();
    write_part(&mut text, &pattern.root)?;
    RegexBuilder::new(&text).size_limit(SIZE_LIMIT).build().ok()
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
    let spread = |unit| char::from_u32(u32::from(unit)).or(char::from_u32(PRIVATE + u32::from(unit)));
    Cow::Owned(text.encode_utf16().filter_map(spread).collect())
}

/// The text that was spread. Half a character alone becomes U+FFFD.
pub(super) fn gather(spread: &str) -> String {
    let unit = |c| u16::try_from(u32::from(c) % PRIVATE).unwrap_or_default();
    String::from_utf16_lossy(&spread.chars().map(unit).collect::<Vec<_>>())
}

/// `None` where the engine has no such thing.
fn write_part(out: &mut String, part: &Part) -> Option<()> {
    match part {
        Part::Unit(set) => write_set(out, set),
        Part::Sequence(parts) => parts.iter().try_for_each(|part| write_part(out, part)),
        Part::Alternatives(parts) => {
            out.push_str("(?:");
            for (index, part) in parts.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "|" });
                write_part(out, part)?;
            }
            out.push(')');
            Some(())
        }
        Part::Capture(_, body) => write_group(out, "(", body),
        Part::Repeat(repeat) => write_repeat(out, repeat),
        Part::Assertion(assertion) => write_assertion(out, *assertion),
        Part::Look(_) | Part::Reference { .. } => None,
    }
}

fn write_group(out: &mut String, open: &str, body: &Part) -> Option<()> {
    out.push_str(open);
    write_part(out, body)?;
    out.push(')');
    Some(())
}

fn write_repeat(out: &mut String, repeat: &Repeat) -> Option<()> {
    write_group(out, "(?:", &repeat.body)?;
    match repeat.max {
        Some(max) => write!(out, "{{{},{max}}}", repeat.min).ok()?,
        None => write!(out, "{{{},}}", repeat.min).ok()?,
    }
    out.push_str(if repeat.greedy { "" } else { "?" });
    Some(())
}

fn write_assertion(out: &mut String, assertion: Assertion) -> Option<()> {
    out.push_str(match assertion {
        Assertion::Start => r"\A",
        Assertion::End => r"\z",
        Assertion::WordBoundary => r"(?-u:\b)",
        Assertion::LineStart | Assertion::LineEnd | Assertion::NoWordBoundary => return None,
    });
    Some(())
}

fn write_set(out: &mut String, set: &Units) -> Option<()> {
    if set.ranges().is_empty() {
        out.push_str("[a&&b]");
        return Some(());
    }
    out.push('[');
    for (low, high) in set.ranges() {
        write_clipped(out, (*low, *high), (0, SURROGATES.0 - 1), 0)?;
        write_clipped(out, (*low, *high), SURROGATES, PRIVATE)?;
        write_clipped(out, (*low, *high), (SURROGATES.1 + 1, u16::MAX), 0)?;
    }
    out.push(']');
    Some(())
}

/// The part of `range` within `bounds`, moved by `shift`.
fn write_clipped(out: &mut String, range: (u16, u16), bounds: (u16, u16), shift: u32) -> Option<()> {
    let (low, high) = (range.0.max(bounds.0), range.1.min(bounds.1));
    if low > high {
        return Some(());
    }
    write!(out, r"\x{{{:X}}}-\x{{{:X}}}", u32::from(low) + shift, u32::from(high) + shift).ok()
}
