//! An index of the facts in texts and values, as `grounded` and the relations of arguments look them up.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use aho_corasick::AhoCorasick;

use crate::json::{Json, JsonNumber};
use crate::pattern::{
    Atom, AtomKind, AtomReading, ClockTime, Date, Decimal, Unit, find_atoms, fold_text, is_currency,
    is_unspaced, list_digit_runs, units_agree,
};

/// All atoms but quotations, which would hide what they quote.
const LEARNT: &[AtomKind] = &[
    AtomKind::Money,
    AtomKind::Numbers,
    AtomKind::Percentages,
    AtomKind::Dates,
    AtomKind::Ids,
    AtomKind::Urls,
    AtomKind::Paths,
];

/// Small numbers as people write them.
const WORDS: &[&str] =
    &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// The greatest number of names that are kept for hints.
const MOST_NAMES: usize = 2000;

/// A piece of the evidence that is not made of others.
#[derive(Debug, Clone, Copy)]
pub(in crate::check) enum Leaf<'e> {
    /// A text, or the key of an object.
    Text(&'e str),
    /// A number.
    Number(&'e JsonNumber<'static>),
    /// The number of entries or calls.
    Count(usize),
}

/// The facts in a part of the evidence.
#[derive(Default)]
pub(in crate::check) struct KnownFacts {
    /// Each number with the units in which it was seen.
    pub(in crate::check) numbers: HashMap<Decimal, Vec<Option<Unit>>>,
    /// The lengths of lists and the numbers of calls, which count things and no money.
    counts: HashSet<Decimal>,
    /// Each date, and each of its parts.
    pub(in crate::check) dates: HashSet<Date>,
    /// Days that were said without a year.
    yearless: HashSet<Date>,
    pub(in crate::check) times: HashSet<ClockTime>,
    /// The texts that were looked for and found.
    texts: HashSet<String>,
    /// Identifiers, URLs and paths, as they were written.
    pub(in crate::check) names: BTreeMap<String, String>,
}

impl KnownFacts {
    /// Collects the values in `leaves`. Of free texts, only those in `wanted` are searched for. `None` if they are too many
    /// for the search.
    pub(in crate::check) fn new<'r>(
        leaves: &[Leaf<'_>],
        wanted: impl Iterator<Item = (AtomKind, &'r AtomReading)>,
    ) -> Option<Self> {
        let wanted = wanted.filter_map(|(kind, reading)| {
            let text = as_text(reading)?;
            Some((text, WantedForm::of(kind, text)))
        });
        let wanted: HashMap<&str, WantedForm> = wanted.collect();
        let wanted: Vec<(&str, WantedForm)> = wanted.into_iter().collect();
        // All wanted texts are found in one pass over the evidence, however many claims the answer makes.
        let finder = AhoCorasick::new(wanted.iter().map(|(text, _)| text)).ok()?;
        let mut known = Self::default();
        for leaf in leaves {
            match leaf {
                Leaf::Text(text) => {
                    known.learn_text(text);
                    known.find(text, &finder, &wanted);
                }
                Leaf::Number(number) => known.learn_number(Decimal::from_json(&number.to_string()), None),
                Leaf::Count(count) => {
                    known.counts.insert(Decimal::new(&count.to_string(), ""));
                }
            }
        }
        Some(known)
    }

    fn learn_text(&mut self, text: &str) {
        for atom in find_atoms(text, LEARNT) {
            let written = &text[atom.range];
            for reading in atom.readings {
                self.learn(reading, written);
            }
        }
        // `three` supports `3`. All number words have three to six letters, which spares most words the comparison.
        for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| (3..=6).contains(&word.len())) {
            if let Some(index) = WORDS.iter().position(|number| number.eq_ignore_ascii_case(word)) {
                self.learn_count(index + 1);
            }
        }
    }

    fn learn(&mut self, reading: AtomReading, written: &str) {
        match reading {
            AtomReading::Number(number, unit) => {
                self.learn_number(number, unit);
                if unit.is_none() {
                    self.learn_digits(written);
                    self.learn_columns(written);
                }
            }
            AtomReading::Date(date) => self.learn_date(date),
            AtomReading::Time(time) => {
                // `10:15` and `10:15:00` support each other.
                self.times.extend([time, ClockTime { second: None, ..time }]);
                self.times.insert(ClockTime { second: time.second.or(Some(0)), ..time });
            }
            AtomReading::Text(text) => {
                self.learn_digits(written);
                // The index is bounded, because the evidence can be a whole database.
                if self.names.len() < MOST_NAMES {
                    self.names.entry(text).or_insert_with(|| written.to_owned());
                }
            }
        }
    }

    /// A number below zero also supports what is said without its sign: a refund of 30 is -30 in a ledger.
    fn learn_number(&mut self, number: Decimal, unit: Option<Unit>) {
        if number.is_negative() {
            self.learn_number(number.magnitude(), unit);
        }
        let units = self.numbers.entry(number).or_default();
        if !units.contains(&unit) {
            units.push(unit);
        }
    }

    fn learn_digits(&mut self, written: &str) {
        // Digits among points and commas are parts of one number, and no numbers themselves.
        if !written.contains(['.', ',']) || written.contains(char::is_alphabetic) {
            list_digit_runs(written).for_each(|number| self.learn_number(number, None));
        }
    }

    /// `12 345` may be one number, or two of a table.
    fn learn_columns(&mut self, written: &str) {
        if written.contains(' ') && !written.contains(['.', ',']) {
            for digits in list_columns(written) {
                self.learn_number(Decimal::new(digits, ""), None);
            }
        }
    }

    fn learn_count(&mut self, count: usize) {
        self.learn_number(Decimal::new(&count.to_string(), ""), None);
    }

    fn learn_date(&mut self, date: Date) {
        match date.year {
            Some(year) => self.learn_count(usize::from(year)),
            None => {
                self.yearless.insert(date);
            }
        }
        // A full date also supports the day without its year, and the month without its day.
        self.dates.extend([date, Date { year: None, ..date }, Date { day: None, ..date }]);
    }

    /// Looks for the wanted texts in `text`, where words of it end as they do.
    fn find(&mut self, text: &str, finder: &AhoCorasick, wanted: &[(&str, WantedForm)]) {
        if wanted.is_empty() {
            return;
        }
        let text = fold_text(text);
        // One wanted text may contain another, and both are found.
        for found in finder.find_overlapping_iter(&text) {
            let (wanted, form) = wanted[found.pattern()];
            if is_whole(&text, found.range(), form) && !self.texts.contains(wanted) {
                self.texts.insert(wanted.to_owned());
            }
        }
    }

    /// Whether the evidence contains the value.
    pub(in crate::check) fn supports(&self, reading: &AtomReading) -> bool {
        match reading {
            AtomReading::Number(number, unit) => self.has_number(number, *unit),
            AtomReading::Date(date) => self.has_date(*date),
            AtomReading::Time(time) => self.times.contains(time),
            AtomReading::Text(text) => self.texts.contains(text),
        }
    }

    fn has_number(&self, number: &Decimal, unit: Option<Unit>) -> bool {
        let seen = self.numbers.get(number);
        if seen.is_some_and(|units| units.iter().any(|seen| units_agree(unit, *seen))) {
            return true;
        }
        if self.counts.contains(number) && unit.is_none_or(|unit| unit != "%" && !is_currency(unit)) {
            return true;
        }
        // 0.5 supports 50 %. A whole number does not: every 1 would support 100 %.
        let share = (unit == Some("%")).then(|| number.clone().times_ten_to(-2));
        let share = share.filter(Decimal::is_fraction).and_then(|share| self.numbers.get(&share));
        share.is_some_and(|units| units.contains(&None))
    }

    /// Whether `written` is digits with blanks between them, such as `101 102`, each of which the evidence has.
    pub(in crate::check) fn has_columns(&self, written: &str) -> bool {
        let is_list = written.contains(' ') && written.chars().all(|c| c.is_ascii_digit() || c == ' ');
        is_list && list_columns(written).all(|digits| self.numbers.contains_key(&Decimal::new(digits, "")))
    }

    fn has_date(&self, date: Date) -> bool {
        let day = Date { year: None, ..date };
        // A day without a year and the year as a number, anywhere in the evidence, support the full date.
        let has_year =
            date.year.is_some_and(|year| self.has_number(&Decimal::new(&year.to_string(), ""), None));
        self.dates.contains(&date) || (has_year && self.yearless.contains(&day))
    }
}

/// The facts of one text, in which any value can be looked up.
pub(in crate::check) struct FactsOfText {
    folded: String,
    known: KnownFacts,
}

impl FactsOfText {
    pub(in crate::check) fn new(text: &str) -> Self {
        let mut known = KnownFacts::default();
        known.learn_text(text);
        Self { folded: fold_text(text), known }
    }

    /// Whether the text says the value: a figure in some spelling, or whole words. `false` for values that are neither.
    pub(in crate::check) fn has_value(&self, value: &Json) -> bool {
        match value {
            Json::Number(number) => self.known.has_number(&Decimal::from_json(&number.to_string()), None),
            Json::String(text) => {
                let text = text.trim();
                let atom = find_whole_atom(text);
                let form = atom.as_ref().map_or(WantedForm::Words, |atom| WantedForm::of(atom.kind, text));
                let readings = atom.into_iter().flat_map(|atom| atom.readings);
                self.has_words(&fold_text(text), form)
                    || readings.into_iter().any(|reading| match &reading {
                        AtomReading::Text(text) => self.has_words(text, form),
                        reading => self.known.supports(reading),
                    })
            }
            _ => false,
        }
    }

    fn has_words(&self, wanted: &str, form: WantedForm) -> bool {
        if wanted.is_empty() {
            return false;
        }
        // Places may overlap, and only one of them may be a whole word.
        let mut from = 0;
        while let Some(at) = self.folded.get(from..).and_then(|rest| rest.find(wanted)) {
            let start = from + at;
            if is_whole(&self.folded, start..start + wanted.len(), form) {
                return true;
            }
            from = start + wanted.chars().next().map_or(1, char::len_utf8);
        }
        false
    }
}

/// The atom that a text consists of.
fn find_whole_atom(text: &str) -> Option<Atom> {
    let mut atoms = find_atoms(text, LEARNT).into_iter();
    atoms.next().filter(|atom| atom.range == (0..text.len()))
}

/// Whether one of two values is a number, and the other a text that says nothing but this number: 30 and `$30.00`.
pub(in crate::check) fn is_same_figure(one: &Json, other: &Json) -> bool {
    let (number, text) = match (one, other) {
        (Json::Number(number), Json::String(text)) | (Json::String(text), Json::Number(number)) => {
            (number, text.trim())
        }
        _ => return false,
    };
    let number = Decimal::from_json(&number.to_string());
    find_whole_atom(text).is_some_and(|atom| {
        atom.readings.iter().any(|reading| matches!(reading, AtomReading::Number(said, _) if *said == number))
    })
}

fn as_text(reading: &AtomReading) -> Option<&str> {
    match reading {
        AtomReading::Text(text) => Some(text),
        _ => None,
    }
}

/// The runs of digits in a number with blanks.
fn list_columns(written: &str) -> impl Iterator<Item = &str> {
    written.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty())
}

/// What a wanted text is, by which it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WantedForm {
    /// Words, which end where words do.
    Words,
    /// An identifier, which may be a part of another one.
    Name,
    /// The address of a page or of a mailbox, whose host may be a part of another one.
    Address,
}

impl WantedForm {
    fn of(kind: AtomKind, text: &str) -> Self {
        match kind {
            AtomKind::Urls => Self::Address,
            AtomKind::Ids if text.contains('@') => Self::Address,
            AtomKind::Ids => Self::Name,
            _ => Self::Words,
        }
    }
}

/// Whether no word extends across the start or the end of a range in `text`, and what is wanted is no part of a longer
/// name.
fn is_whole(text: &str, range: Range<usize>, form: WantedForm) -> bool {
    let splits = splits_word(text, range.start) || splits_word(text, range.end);
    !splits && !continues_before(text, range.start, form) && !continues_behind(text, range, form)
}

/// Whether a name goes on in front of `start`: `TRK-88` in `X-TRK-88`, `a.example` in `b.a.example`.
fn continues_before(text: &str, start: usize, form: WantedForm) -> bool {
    let mut before = text[..start].chars().rev();
    let joins = matches!(
        (before.next(), form),
        (Some('-'), WantedForm::Name | WantedForm::Address) | (Some('.' | '@'), WantedForm::Address)
    );
    joins && before.next().is_some_and(char::is_alphanumeric)
}

/// Whether a name goes on behind a range: `TRK-88` in `TRK-88-99`, `1.2.3` in `1.2.3.4`, a host in a longer one, with a port, or
/// as the name of a user before the host.
fn continues_behind(text: &str, range: Range<usize>, form: WantedForm) -> bool {
    let wanted = &text[range.clone()];
    let mut behind = text[range.end..].chars();
    let mark = behind.next();
    let next = behind.next();
    let is_next = |wanted: fn(char) -> bool| next.is_some_and(wanted);
    match (mark, form) {
        (_, WantedForm::Words) => false,
        // The first block of a UUID is its usual short form.
        (Some('-'), WantedForm::Name) if is_hex_block(wanted) => {
            !is_hex_block(text.get(range.end + 1..range.end + 5).unwrap_or_default())
                && is_next(char::is_alphanumeric)
        }
        (Some('-' | '@'), _) | (Some('.'), WantedForm::Address) => is_next(char::is_alphanumeric),
        (Some('.'), WantedForm::Name) => {
            is_next(|c| c.is_ascii_digit()) && wanted.ends_with(|c: char| c.is_ascii_digit())
        }
        (Some(':'), WantedForm::Address) => is_next(|c| c.is_ascii_digit()) && !wanted.contains('/'),
        _ => false,
    }
}

fn is_hex_block(text: &str) -> bool {
    matches!(text.len(), 4 | 8) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn splits_word(text: &str, at: usize) -> bool {
    // A place splits a word if there are word characters on both of its sides.
    let neighbours = [text[..at].chars().next_back(), text[at..].chars().next()];
    // Letters of scripts without blanks split nothing: `订单TRK-88已`.
    let is_word = |c: char| (c.is_alphanumeric() && !is_unspaced(c)) || c == '_';
    neighbours.iter().all(|c| c.is_some_and(is_word))
}
