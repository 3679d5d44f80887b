//! Reading a piece of text bit by bit. A copy of it is the way back.

use super::is_word;

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

    /// How many bytes were read.
    pub(super) fn used(self) -> usize {
        self.at
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// The next character, if it is one of `wanted`.
    pub(super) fn take_char(&mut self, wanted: &[char]) -> Option<char> {
        let next = self.peek().filter(|next| wanted.contains(next))?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// The next characters, if they are `wanted` in any case.
    pub(super) fn take_text(&mut self, wanted: &str) -> Option<()> {
        let next = self.rest().get(..wanted.len()).filter(|next| next.eq_ignore_ascii_case(wanted))?;
        self.at += next.len();
        Some(())
    }

    /// The digits that come next.
    pub(super) fn take_digits(&mut self) -> &'t str {
        self.take_while(|c| c.is_ascii_digit())
    }

    /// The letters that come next.
    pub(super) fn take_letters(&mut self) -> &'t str {
        self.take_while(char::is_alphabetic)
    }

    /// The characters that come next and are `wanted`.
    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let run = &rest[..rest.find(|c: char| !wanted(c)).unwrap_or(rest.len())];
        self.at += run.len();
        run
    }

    /// The number of all the digits that come next, if they are so many.
    pub(super) fn take_number(&mut self, length: std::ops::RangeInclusive<usize>) -> Option<u16> {
        let mut ahead = *self;
        let digits = ahead.take_digits();
        let number = length.contains(&digits.len()).then(|| digits.parse().ok()).flatten()?;
        *self = ahead;
        Some(number)
    }

    /// Whether no word goes on here.
    pub(super) fn at_end_of_word(self) -> bool {
        self.peek().is_none_or(|next| !is_word(next))
    }
}
