//! What is personal data and what only looks like it, as a table.

use super::*;
use crate::pattern::read_examples;
use crate::pattern::steps::assert_linear;

const EXAMPLES: &str = include_str!("tests.json");

fn found(text: &str) -> Vec<(PersonalKind, &str)> {
    find_personal(text).into_iter().map(|one| (one.kind, &text[one.range])).collect()
}

/// Masks what is found: secrets as a whole, other values except their ends.
fn mask_personal(text: &str) -> String {
    mask_ranges(text, &find_personal(text)).0
}

#[test]
fn every_pattern_compiles() {
    let count = contact::EMAIL.len() + bank::RULES.len() + contact::RULES.len();
    assert_eq!(RULES.len(), count);
}

#[test]
fn personal_data_is_found() {
    for (text, kind, value) in read_examples::<(String, PersonalKind, String)>(EXAMPLES, "found") {
        assert_eq!(found(&text), [(kind, value.as_str())], "{text}");
    }
}

#[test]
fn secrets_are_found_by_their_shapes() {
    let tail = "aB3".repeat(15);
    let token = format!("eyJ{tail}.eyJ{tail}.{tail}");
    let keys = [
        format!("sk-proj-{tail}"),
        "sk-1234567890abcdef".to_owned(),
        format!("sk_live_{}", &tail[..24]),
        "AKIAIOSFODNN7EXAMPLE".to_owned(),
        format!("ghp_{}", &tail[..36]),
        format!("xoxb-{tail}"),
        format!("AIza{}", &tail[..35]),
        format!("hf_{tail}"),
        token,
        "-----BEGIN RSA PRIVATE KEY-----".to_owned(),
    ];
    for key in keys {
        let text = format!("It is `{key}`, keep it.");
        assert_eq!(found(&text), [(PersonalKind::Secret, key.as_str())]);
        assert_eq!(mask_personal(&text), "It is `***`, keep it.");
    }
}

#[test]
fn what_only_looks_like_it_is_left_alone() {
    for text in read_examples::<String>(EXAMPLES, "left_alone") {
        assert_eq!(found(&text), [], "{text}");
    }
}

#[test]
fn a_mask_shows_the_ends_at_most() {
    assert_eq!(
        mask_personal("I wrote to ada@shop.example, or +14155552671."),
        "I wrote to ad***le, or +1***71."
    );
    assert_eq!(mask_personal("a@b.de is short"), "*** is short");
    assert_eq!(mask_personal("nothing here"), "nothing here");
}

#[test]
fn steps_grow_with_the_length_of_the_text() {
    let pieces = "1|4|a@|eyJ|-----BEGIN PRIVATE KEY-----|password=|://a:|+1|sk-|1 |AB12|(4|a.";
    let layouts =
        "DB_PASS=|--password |curl -u a:b| -u a:b|login a password |<password>|password, value|password \"";
    let spellings =
        "%5F|%41%|a%5Fsk-|\\u0067|\u{200b}|ghp\u{200b}|Z2hwXw|Z2hwX2FhYWFhYWFhYWFhYWFhYWFhYQ= |QUFBQUFB";
    let ends = "-----END PRIVATE KEY-----|q8\n-----END PRIVATE KEY-----|a\n";
    let all = [pieces, layouts, spellings, ends].map(|pieces| pieces.split('|'));
    for piece in all.into_iter().flatten().chain(["|password|", "| password | "]) {
        assert_linear(piece, find_personal);
    }
}
