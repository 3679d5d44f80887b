//! Text of a run as outputs may show it: secrets are masked in the whole text, and the result is cut afterwards.
//!
//! A secret is recognized by its shape or by the name before it. A piece of a secret has neither, so a text that is cut
//! first would show the piece.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::json::{self, Json};
use crate::pattern::{find_secrets, mask_json_secrets, mask_ranges, visit_secret_values};

/// The size of the text on each side of an excerpt that is searched for secrets, in bytes. It is larger than any key.
const LOOKAROUND: usize = 64 << 10;

/// A text without its secrets, which can be cut anywhere.
#[derive(Debug, Clone)]
pub(crate) struct QuotedText<'t> {
    shown: Cow<'t, str>,
    /// The byte of the original at which `shown` begins.
    offset: usize,
    /// The bytes of each secret in the original and of its mask in `shown`, from left to right.
    masks: Vec<(Range<usize>, Range<usize>)>,
    /// Whether the original goes on after the searched part.
    is_part: bool,
}

/// A piece of a quoted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CutText<'q> {
    /// The piece, without marks of a cut.
    pub(crate) text: &'q str,
    /// Whether text before the piece was left out.
    pub(crate) cut_before: bool,
    /// Whether text after the piece was left out.
    pub(crate) cut_after: bool,
}

impl<'t> QuotedText<'t> {
    /// Masks the whole text.
    pub(crate) fn new(text: &'t str) -> Self {
        Self::mask_part(text, 0..text.len())
    }

    /// Masks the text around `range`, as much of it as can contain a secret that is in an excerpt of `range`.
    pub(crate) fn near(text: &'t str, range: &Range<usize>) -> Self {
        // A secret that begins before the range or ends behind it is found only with enough text around.
        let start = range.start.saturating_sub(LOOKAROUND);
        let end = range.end.saturating_add(LOOKAROUND).min(text.len());
        Self::mask_part(text, text.floor_char_boundary(start)..text.floor_char_boundary(end))
    }

    /// Renders `value` as compact JSON without its secrets.
    pub(crate) fn from_json(value: &Json) -> QuotedText<'static> {
        let mut has_secrets = false;
        visit_secret_values(value, &mut |_| has_secrets = true);
        // Most values have none, and are written without a copy.
        let shown = if has_secrets { &mask_json_secrets(value.clone()) } else { value };
        QuotedText::from_masked(json::to_string(shown).unwrap_or_default())
    }

    /// Wraps a text whose secrets are masked already.
    pub(crate) fn from_masked(shown: String) -> QuotedText<'static> {
        QuotedText { shown: Cow::Owned(shown), offset: 0, masks: Vec::new(), is_part: false }
    }

    fn mask_part(text: &'t str, part: Range<usize>) -> Self {
        // A part that ends before the text is marked as cut, even if it is shown whole.
        let offset = part.start;
        let is_part = part.end < text.len();
        let searched = &text[part];
        let found = find_secrets(searched);
        if found.is_empty() {
            return Self { shown: Cow::Borrowed(searched), offset, masks: Vec::new(), is_part };
        }
        let (shown, places) = mask_ranges(searched, &found);
        let masks = found.into_iter().map(|one| one.range).zip(places).collect();
        Self { shown: Cow::Owned(shown), offset, masks, is_part }
    }

    /// Returns the first `most` characters.
    pub(crate) fn cut_end(&self, most: usize) -> CutText<'_> {
        self.cut_from(0, most)
    }

    /// Returns `most` characters around `range`, the bytes of the original.
    pub(crate) fn cut_around(&self, range: &Range<usize>, most: usize) -> CutText<'_> {
        let start = self.find_shown(range.start).start;
        let end = self.find_shown(range.end).end;
        let within = self.shown[start..end.max(start)].chars().count();
        // The rest of the room is shared by both sides; what one side does not need goes to the end.
        let around = most.saturating_sub(within) / 2;
        let from = self.shown[..start].char_indices().rev().take(around).last().map_or(start, |(at, _)| at);
        self.cut_from(from, most)
    }

    /// Returns the shown text of `range`, the bytes of the original, cut to `most` characters.
    pub(crate) fn cut_range(&self, range: &Range<usize>, most: usize) -> CutText<'_> {
        let start = self.find_shown(range.start).start;
        let end = self.find_shown(range.end).end;
        let text = &self.shown[start..end.max(start)];
        let cut = text.char_indices().nth(most).map(|(at, _)| at);
        CutText { text: &text[..cut.unwrap_or(text.len())], cut_before: false, cut_after: cut.is_some() }
    }

    /// Returns the first `most` characters from the byte `at` of the original on.
    pub(crate) fn cut_after(&self, at: usize, most: usize) -> CutText<'_> {
        CutText { cut_before: false, ..self.cut_from(self.find_shown(at).start, most) }
    }

    /// Returns the last `most` characters before the byte `at` of the original.
    pub(crate) fn cut_before(&self, at: usize, most: usize) -> CutText<'_> {
        let before = &self.shown[..self.find_shown(at).end];
        let start = before.char_indices().rev().take(most).last().map_or(0, |(at, _)| at);
        CutText { text: &before[start..], cut_before: start > 0 || self.offset > 0, cut_after: false }
    }

    fn cut_from(&self, from: usize, most: usize) -> CutText<'_> {
        // A text with fewer bytes has fewer characters, which need not be counted.
        let is_short = self.shown.len() - from <= most;
        let end = if is_short { None } else { self.shown[from..].char_indices().nth(most) };
        let end = end.map(|(at, _)| from + at);
        CutText {
            text: &self.shown[from..end.unwrap_or(self.shown.len())],
            cut_before: from > 0 || self.offset > 0,
            cut_after: end.is_some() || self.is_part,
        }
    }

    /// Returns the place at which the byte `at` of the original is shown: its own, or the mask of its secret.
    fn find_shown(&self, at: usize) -> Range<usize> {
        let at = at.saturating_sub(self.offset);
        // The masks are sorted: all before this index end before the byte, so the last of them gives the shift between both texts.
        let before = self.masks.partition_point(|(secret, _)| secret.end <= at);
        // A byte inside a secret has no place of its own any more.
        if let Some((_, mask)) = self.masks.get(before).filter(|(secret, _)| secret.start < at) {
            return mask.clone();
        }
        let shown = match before.checked_sub(1).map(|last| &self.masks[last]) {
            Some((secret, mask)) => mask.end + (at - secret.end),
            None => at,
        };
        let shown = self.shown.floor_char_boundary(shown);
        shown..shown
    }
}

impl CutText<'_> {
    /// Renders the piece in quotes, with dots where it was cut.
    pub(crate) fn in_quotes(self) -> String {
        format!("{}{:?}{}", mark_cut(self.cut_before), self.text, mark_cut(self.cut_after))
    }
}

/// The piece with dots where it was cut.
impl fmt::Display for CutText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", mark_cut(self.cut_before), self.text, mark_cut(self.cut_after))
    }
}

fn mark_cut(is_cut: bool) -> &'static str {
    if is_cut { "..." } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ä` around a token, so that bytes and characters differ.
    fn surround_token(before: usize, after: usize) -> String {
        format!("{} ghp_{} {}", "ä".repeat(before), "a1B2c3".repeat(6), "ä".repeat(after))
    }

    #[test]
    fn no_cut_shows_a_piece_of_a_secret() {
        for before in 0..120 {
            let text = surround_token(before, 90);
            let quoted = QuotedText::new(&text);
            for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                let shown = [
                    quoted.cut_around(&(at..at), 60).in_quotes(),
                    quoted.cut_end(at).to_string(),
                    quoted.cut_before(at, 60).to_string(),
                    quoted.cut_after(at, 60).to_string(),
                ];
                assert!(!shown.concat().contains("ghp_"), "{shown:?}");
            }
        }
    }

    #[test]
    fn an_excerpt_shows_the_place_in_the_original() {
        let text = format!("{}here", surround_token(5, 3));
        let at = text.find("here").expect("a word");
        assert_eq!(QuotedText::new(&text).cut_around(&(at..at + 4), 4).text, "here");
        assert_eq!(QuotedText::new(&text).cut_around(&(20..24), 3).text, "***");
        assert_eq!(QuotedText::new("short").cut_around(&(2..3), 60).in_quotes(), "\"short\"");
    }

    #[test]
    fn a_large_text_is_searched_around_its_excerpt_only() {
        let text = surround_token(LOOKAROUND, 2 * LOOKAROUND);
        let at = text.find("ghp_").expect("a token") + 20;
        let quoted = QuotedText::near(&text, &(at..at));
        assert!(quoted.shown.len() <= 2 * LOOKAROUND);
        assert_eq!(quoted.cut_around(&(at..at), 3).text, "***");
        assert!(quoted.cut_end(1).cut_before || quoted.offset == 0);
    }
}
