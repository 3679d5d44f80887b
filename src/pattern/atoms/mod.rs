//! The atoms of a text: what in it can be looked up word for word.
//!
//! Numbers with their units, money, percentages, dates and times, identifiers, quotations, URLs and file paths, each
//! in every form that it may mean: `1.234` is 1.234 and 1234, `03/04/2025` is in March and in April. The text is read
//! once from left to right; each recogniser looks at a bounded piece of it.

mod cursor;
mod date;
mod decimal;
mod identifier;
mod number;
mod ordinal;
mod quantity;
mod quote;
mod time;
mod unit;
mod url;

use std::ops::Range;

use crate::JsonSchema;

use serde::{Deserialize, Serialize};

use super::plain::PlainText;
use super::steps::count_steps;
use super::unspaced::is_unspaced;

pub use date::Date;
pub use decimal::Decimal;
pub use identifier::list_digit_runs;
pub use time::ClockTime;
pub use unit::{Unit, is_currency, units_agree};

/// The kind of an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AtomKind {
    /// An amount in a currency.
    Money,
    /// A number, with or without a unit.
    Numbers,
    /// A share of a hundred.
    Percentages,
    /// A date, or a time of day.
    Dates,
    /// A word of letters and digits, a version, an email address, a number after `#`.
    Ids,
    /// A text in quotation marks.
    Quotes,
    /// An address on the web.
    Urls,
    /// A path, or a file's name.
    Paths,
}

impl AtomKind {
    /// All kinds.
    pub const ALL: &[AtomKind] = &[
        Self::Money,
        Self::Numbers,
        Self::Percentages,
        Self::Dates,
        Self::Ids,
        Self::Quotes,
        Self::Urls,
        Self::Paths,
    ];

    /// Returns the name of one atom of this kind, as messages use it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Money => "amount of money",
            Self::Numbers => "number",
            Self::Percentages => "percentage",
            Self::Dates => "date or time",
            Self::Ids => "identifier",
            Self::Quotes => "quotation",
            Self::Urls => "URL",
            Self::Paths => "path",
        }
    }
}

/// One possible meaning of an atom.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AtomReading {
    /// A number, and its unit if it has one.
    Number(Decimal, Option<Unit>),
    /// A date.
    Date(Date),
    /// A time of day.
    Time(ClockTime),
    /// Text in the form of [`fold_text`].
    Text(String),
}

/// A piece of a text that can be looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atom {
    /// The kind of the atom.
    pub kind: AtomKind,
    /// The byte range in the text.
    pub range: Range<usize>,
    /// The possible meanings, the likeliest first.
    pub readings: Vec<AtomReading>,
}

/// Finds the atoms of `text` with one of `kinds`, from left to right.
pub fn find_atoms(text: &str, kinds: &[AtomKind]) -> Vec<Atom> {
    let plain = PlainText::new(text);
    let quotes = kinds.contains(&AtomKind::Quotes);
    let mut found = Vec::new();
    // One pass from left to right. At each place the recognisers are tried in order, and a piece is never read twice:
    // what belongs to a URL or a date is no number as well. Pieces of kinds that nobody asks for are recognised, too,
    // so that their parts are not taken for others.
    let mut here = TextPosition { text: plain.as_str(), at: 0, settled: 0, entry: 0 };
    while here.at < here.text.len() {
        let Some(piece) = recognise_atom(here, quotes) else {
            here.at += here.distance_to_next();
            continue;
        };
        let end = here.at + piece.length;
        // Such a piece may be the number of an entry, such as `2.`, with which the next entry is compared.
        if piece.readings.is_empty() {
            here.entry = here.text[here.at..end].parse().unwrap_or(here.entry);
        } else if kinds.contains(&piece.kind) {
            let range = plain.original_range(here.at..end);
            found.push(Atom { kind: piece.kind, range, readings: piece.readings });
        }
        here = TextPosition { at: end, settled: end, ..here };
    }
    found
}

/// Folds a text to the form in which it is compared: lower case, one space between words, forward slashes, plain quotes.
pub fn fold_text(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in PlainText::new(text).as_str().chars() {
        // The differences that are folded are those that an agent makes when it repeats a text: spacing, quotes that
        // are made curly, slashes of Windows, capitals.
        match c {
            c if c.is_whitespace() => {
                if !folded.ends_with(' ') {
                    folded.push(' ');
                }
            }
            '\\' => folded.push('/'),
            '\u{2018}' | '\u{2019}' => folded.push('\''),
            '\u{201c}' | '\u{201d}' | '\u{201e}' => folded.push('"'),
            c => folded.extend(c.to_lowercase()),
        }
    }
    folded
}

/// The piece that a recogniser found. Without any reading, it is text that cannot be looked up.
struct RecognisedAtom {
    length: usize,
    kind: AtomKind,
    readings: Vec<AtomReading>,
}

impl RecognisedAtom {
    /// Creates a piece of `length` bytes that means `text`.
    fn of_text(length: usize, kind: AtomKind, text: &str) -> Self {
        Self { length, kind, readings: vec![AtomReading::Text(fold_text(text))] }
    }
}

/// A place in a text.
#[derive(Clone, Copy)]
struct TextPosition<'t> {
    text: &'t str,
    at: usize,
    /// The end of the last piece. A new piece may begin there, even inside of a word (`2025-03-03T10:15`).
    settled: usize,
    /// The number of the last entry of a list.
    entry: u16,
}

type Recogniser = fn(TextPosition<'_>) -> Option<RecognisedAtom>;

/// The recognisers in order. The first one that finds a piece decides.
const RECOGNISERS: &[Recogniser] = &[
    url::recognise_url,
    url::recognise_path,
    identifier::recognise_email,
    date::recognise_date,
    ordinal::ordinal,
    time::recognise_time,
    identifier::recognise_numeric,
    quantity::recognise_quantity,
    identifier::recognise_identifier,
];

fn recognise_atom(here: TextPosition<'_>, quotes: bool) -> Option<RecognisedAtom> {
    count_steps(1);
    let next = here.rest().chars().next()?;
    if next.is_ascii_whitespace() || here.is_inside_word(next) {
        return None;
    }
    // Quotations come first: everything inside of one belongs to it.
    let quotation = if quotes { quote::quote(here) } else { None };
    quotation.or_else(|| RECOGNISERS.iter().find_map(|recogniser| recogniser(here)))
}

impl<'t> TextPosition<'t> {
    fn rest(self) -> &'t str {
        &self.text[self.at..]
    }

    /// Returns at most `length` bytes from here on.
    fn head(self, length: usize) -> &'t str {
        let rest = self.rest();
        &rest[..rest.floor_char_boundary(length)]
    }

    /// Returns at most `length` bytes before this position.
    fn tail(self, length: usize) -> &'t str {
        let start = self.text.ceil_char_boundary(self.at.saturating_sub(length));
        &self.text[start..self.at]
    }

    fn before(self) -> Option<char> {
        self.text[..self.at].chars().next_back()
    }

    fn is_inside_word(self, next: char) -> bool {
        self.at != self.settled && is_word(next) && self.before().is_some_and(is_letter)
    }

    /// Whether a word with points or hyphens in it goes on here: it was looked at as a whole.
    fn continues_word(self) -> bool {
        let mut before = self.text[..self.at].chars().rev();
        before.next().is_some_and(|c| matches!(c, '-' | '.' | '_' | '+' | '%'))
            && before.next().is_some_and(is_word)
    }

    /// Returns the distance to the next place where an atom may begin.
    fn distance_to_next(self) -> usize {
        let rest = self.rest();
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if word > 0 { word } else { rest.chars().next().map_or(1, char::len_utf8) }
    }
}

/// Whether `c` may be part of a word with digits in it. Figures touch the letters of some scripts and are no part of their
/// words: `42件`.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c)
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !is_unspaced(c)
}

#[cfg(test)]
mod tests;
