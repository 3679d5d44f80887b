//! An index of the values in the evidence.

use std::collections::{BTreeMap, HashMap, HashSet};

use aho_corasick::AhoCorasick;

use super::sources::Leaf;
use crate::pattern::{
    AtomKind, AtomReading, ClockTime, Date, Decimal, Unit, find_atoms, fold_text, list_digit_runs,
    units_agree,
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

#[derive(Default)]
pub(super) struct Known {
    /// Each number with the units in which it was seen.
    pub(super) numbers: HashMap<Decimal, Vec<Option<Unit>>>,
    /// Each date, and each of its parts.
    pub(super) dates: HashSet<Date>,
    /// Days that were said without a year.
    yearless: HashSet<Date>,
    pub(super) times: HashSet<ClockTime>,
    /// The texts that were looked for and found.
    texts: HashSet<String>,
    /// Identifiers, URLs and paths, as they were written.
    pub(super) names: BTreeMap<String, String>,
}

impl Known {
    /// Collects the values in `leaves`. Of free texts, only those in `wanted` are searched for. `None` if they are too many
    /// for the search.
    pub(super) fn new<'r>(
        leaves: &[Leaf<'_>],
        wanted: impl Iterator<Item = &'r AtomReading>,
    ) -> Option<Self> {
        let wanted: HashSet<&str> = wanted.filter_map(as_text).collect();
        let wanted: Vec<&str> = wanted.into_iter().collect();
        // All wanted texts are found in one pass over the evidence, however many claims the answer makes.
        let finder = AhoCorasick::new(&wanted).ok()?;
        let mut known = Self::default();
        for leaf in leaves {
            match leaf {
                Leaf::Text(text) => {
                    known.learn_text(text);
                    known.find(text, &finder, &wanted);
                }
                Leaf::Number(number) => known.learn_number(Decimal::from_json(&number.to_string()), None),
                Leaf::Count(count) => known.learn_count(*count),
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
    fn find(&mut self, text: &str, finder: &AhoCorasick, wanted: &[&str]) {
        if wanted.is_empty() {
            return;
        }
        let text = fold_text(text);
        // One wanted text may contain another, and both are found.
        for found in finder.find_overlapping_iter(&text) {
            let wanted = wanted[found.pattern()];
            if is_whole(&text, found.start(), found.end()) && !self.texts.contains(wanted) {
                self.texts.insert(wanted.to_owned());
            }
        }
    }

    /// Whether the evidence contains the value.
    pub(super) fn supports(&self, reading: &AtomReading) -> bool {
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
        // 0.5 supports 50 %. A whole number does not: every 1 would support 100 %.
        let share = (unit == Some("%")).then(|| number.clone().times_ten_to(-2));
        let share = share.filter(Decimal::is_fraction).and_then(|share| self.numbers.get(&share));
        share.is_some_and(|units| units.contains(&None))
    }

    fn has_date(&self, date: Date) -> bool {
        let day = Date { year: None, ..date };
        // A day without a year and the year as a number, anywhere in the evidence, support the full date.
        let has_year =
            date.year.is_some_and(|year| self.has_number(&Decimal::new(&year.to_string(), ""), None));
        self.dates.contains(&date) || (has_year && self.yearless.contains(&day))
    }
}

fn as_text(reading: &AtomReading) -> Option<&str> {
    match reading {
        AtomReading::Text(text) => Some(text),
        _ => None,
    }
}

/// Whether no word extends across the start or the end of a range in `text`.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    !splits_word(text, start) && !splits_word(text, end)
}

fn splits_word(text: &str, at: usize) -> bool {
    // A place splits a word if there are word characters on both of its sides.
    let neighbours = [text[..at].chars().next_back(), text[at..].chars().next()];
    neighbours.iter().all(|c| c.is_some_and(|c| c.is_alphanumeric() || c == '_'))
}
