//! What is an atom, and what it means, as a table.

use super::*;
use crate::pattern::read_examples;
use crate::pattern::steps::assert_linear;

/// The atoms of `text`, each as its words, its kind's first letters and its readings.
fn seen(text: &str) -> String {
    let shown: Vec<String> = find_atoms(text, AtomKind::ALL)
        .iter()
        .map(|atom| {
            let readings: Vec<String> = atom.readings.iter().map(show).collect();
            format!("{} = {}", &text[atom.range.clone()], readings.join(" or "))
        })
        .collect();
    shown.join("; ")
}

fn show(reading: &AtomReading) -> String {
    match reading {
        AtomReading::Number(number, unit) => {
            format!("{number}{}", unit.map_or(String::new(), |unit| format!(" {unit}")))
        }
        AtomReading::Date(date) => date.to_string(),
        AtomReading::Time(time) => time.to_string(),
        AtomReading::Text(text) => format!("{text:?}"),
    }
}

fn hold(name: &str) {
    for (text, atoms) in read_examples::<(String, String)>(include_str!("tests.json"), name) {
        assert_eq!(seen(&text), atoms, "in: {text}");
    }
}

#[test]
fn money_is_read_in_every_usual_form() {
    hold("money_is_read_in_every_usual_form");
}

#[test]
fn numbers_have_their_units() {
    hold("numbers_have_their_units");
}

#[test]
fn numbers_that_count_the_answer_itself_are_none() {
    hold("numbers_that_count_the_answer_itself_are_none");
}

#[test]
fn dates_and_times_are_read_in_every_usual_form() {
    hold("dates_and_times_are_read_in_every_usual_form");
}

#[test]
fn identifiers_are_words_of_letters_and_digits() {
    hold("identifiers_are_words_of_letters_and_digits");
}

#[test]
fn urls_and_paths_end_where_the_sentence_goes_on() {
    hold("urls_and_paths_end_where_the_sentence_goes_on");
}

#[test]
fn quotations_are_one_atom() {
    hold("quotations_are_one_atom");
    let without: Vec<AtomKind> =
        AtomKind::ALL.iter().copied().filter(|kind| *kind != AtomKind::Quotes).collect();
    assert_eq!(find_atoms("\"costs $5\"", &without).len(), 1);
}

#[test]
fn no_text_panics_and_ranges_are_its_own() {
    let pieces = [
        "$", "1", ",", ".", "-", " ", "a", "#", "/", "\\", "\"", "é", "٤", "May", ":", "@", "%", "\u{a0}",
        "🙂", "\n",
    ];
    let mut seed = 7_usize;
    for length in 0..4000 {
        let text: String = (0..length % 17)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                pieces[(seed >> 33) % pieces.len()]
            })
            .collect();
        for atom in find_atoms(&text, AtomKind::ALL) {
            assert!(!text[atom.range].is_empty());
        }
    }
}

#[test]
fn steps_grow_with_the_length_of_the_text() {
    let pieces = [
        "1", "1,", "1,22", "a-", "a1-", "\"", "\"a", "http://", "a/", "((", "May ", "1.", "é", "a@", "1 kg/",
    ];
    for piece in pieces {
        assert_linear(piece, |text| find_atoms(text, AtomKind::ALL));
    }
}
