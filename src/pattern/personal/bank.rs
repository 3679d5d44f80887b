//! Numbers of bank accounts and payment cards, which are recognized by their check digits.

use super::{PersonalKind, PersonalRule};

pub(super) const RULES: &[PersonalRule] = &[
    PersonalRule {
        kind: PersonalKind::Iban,
        name: "an IBAN",
        pattern: r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?",
        confirm: Some(confirm_iban),
        apart_from: "_",
    },
    PersonalRule {
        kind: PersonalKind::Card,
        name: "a card number",
        pattern: r"[2-6]\d{3}(?:[ -]?\d){8,15}",
        confirm: Some(confirm_card),
        apart_from: "-_/#.",
    },
];

/// Accepts an account number with remainder 1 modulo 97.
fn confirm_iban(text: &str) -> Option<usize> {
    find_longest(text, |account| (15..=34).contains(&account.len()) && compute_remainder_97(account) == 1)
}

/// Accepts 13 to 19 digits with the prefix of a card network and a valid Luhn checksum.
fn confirm_card(text: &str) -> Option<usize> {
    find_longest(text, |number| {
        let digits: Vec<u32> = number.chars().filter_map(|c| c.to_digit(10)).collect();
        let start = digits.iter().take(4).fold(0, |number, digit| number * 10 + digit);
        is_network_prefix(start, digits.len()) && passes_luhn(&digits)
    })
}

/// Finds the longest beginning of `text` that ends with a group and that `is_one` accepts without blanks and hyphens. The
/// next word may look like one more group: `4111 1111 1111 1111 12/27`.
fn find_longest(text: &str, is_one: impl Fn(&str) -> bool) -> Option<usize> {
    let ends: Vec<usize> = text.match_indices([' ', '-']).map(|(at, _)| at).chain([text.len()]).collect();
    ends.into_iter().rev().find(|end| {
        let joined: String = text[..*end].chars().filter(char::is_ascii_alphanumeric).collect();
        is_one(&joined)
    })
}

/// Letters count from 10; the country and the check digits go to the end.
fn compute_remainder_97(account: &str) -> u32 {
    let turned = account[4..].chars().chain(account[..4].chars());
    // The digits are reduced as they come, because the whole number would have up to 60 digits. A letter stands for
    // two digits, so the remainder moves by two places.
    turned.filter_map(|c| c.to_digit(36)).fold(0, |rest, value| {
        let shift = if value < 10 { 10 } else { 100 };
        (rest * shift + value) % 97
    })
}

/// Visa; Mastercard; American Express; Diners Club; JCB, Discover, `UnionPay` and Maestro.
fn is_network_prefix(start: u32, length: usize) -> bool {
    match start {
        4000..=4999 => matches!(length, 13 | 16 | 19),
        5100..=5599 | 2221..=2720 => length == 16,
        3400..=3499 | 3700..=3799 => length == 15,
        3000..=3059 | 3600..=3699 | 3800..=3999 => length == 14,
        3528..=3589 | 6000..=6999 => (16..=19).contains(&length),
        _ => false,
    }
}

fn passes_luhn(digits: &[u32]) -> bool {
    // Luhn: from the right, every second digit is doubled, and the digits of the results are added.
    let sum: u32 = digits.iter().rev().enumerate().fold(0, |sum, (place, digit)| {
        let value = if place % 2 == 0 { *digit } else { digit * 2 };
        sum + value / 10 + value % 10
    });
    // All zeros pass the checksum but are no card number.
    sum.is_multiple_of(10) && sum > 0
}
