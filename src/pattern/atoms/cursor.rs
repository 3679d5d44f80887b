//! A cursor over a piece of text. It is copied before a part that may not match, and the copy is the way back.

use super::{is_letter, is_word};
use crate::pattern::steps::count_steps;

#[derive(Clone, Copy)]
pub(super) struct AtomCursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> AtomCursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn peek(self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Returns the number of bytes that were read.
    pub(super) fn used(self) -> usize {
        self.at
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Takes the next character, if it is one of `wanted`.
    pub(super) fn take_char(&mut self, wanted: &[char]) -> Option<char> {
        let next = self.peek().filter(|next| wanted.contains(next))?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Takes the next characters, if they are `wanted`, without regard to case.
    pub(super) fn take_text(&mut self, wanted: &str) -> Option<()> {
        let next = self.rest().get(..wanted.len()).filter(|next| next.eq_ignore_ascii_case(wanted))?;
        self.at += next.len();
        Some(())
    }

    /// Takes the next digits.
    pub(super) fn take_digits(&mut self) -> &'t str {
        self.take_while(|c| c.is_ascii_digit())
    }

    /// Takes the next letters.
    pub(super) fn take_letters(&mut self) -> &'t str {
        self.take_while(is_letter)
    }

    /// Takes the next characters, as long as they are `wanted`.
    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let run = &rest[..rest.find(|c: char| !wanted(c)).unwrap_or(rest.len())];
        count_steps(run.len());
        self.at += run.len();
        run
    }

    /// Takes all of the next digits as a number, if their count is in `length`.
    pub(super) fn take_number(&mut self, length: std::ops::RangeInclusive<usize>) -> Option<u16> {
        let mut ahead = *self;
        let digits = ahead.take_digits();
        let number = length.contains(&digits.len()).then(|| digits.parse().ok()).flatten()?;
        *self = ahead;
        Some(number)
    }

    /// Whether no word continues here.
    pub(super) fn at_end_of_word(self) -> bool {
        self.peek().is_none_or(|next| !is_word(next))
    }
}
