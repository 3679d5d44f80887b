//! The units of numbers in one spelling, currencies among them.

use std::sync::LazyLock;

use crate::pattern::word_table::{list_lines, list_rows};

/// A unit: `kg`, `day`, `%`, `USD`.
pub type Unit = &'static str;

/// The sign of more than one currency.
const DOLLAR: Unit = "$";
const YEN_OR_YUAN: Unit = "¥";
/// The yuan of several countries, behind an amount.
const YUAN: Unit = "元";
const DOLLARS: &[Unit] = &["USD", "AUD", "CAD", "HKD", "MXN", "NZD", "SGD", "TWD"];

/// A spelling, and the currency that it means.
type CurrencyTable = LazyLock<Vec<(&'static str, Vec<Unit>)>>;

/// Signs that stand before or after an amount; a longer one comes before its own end.
static SIGNS: CurrencyTable = LazyLock::new(|| list_rows(include_str!("data/currency_signs.txt")));
/// Names of currencies after an amount.
static MONEY_WORDS: CurrencyTable = LazyLock::new(|| list_rows(include_str!("data/currency_words.txt")));

const CODES: &[Unit] = &[
    "AED", "ARS", "AUD", "BRL", "BTC", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "ETH", "EUR", "GBP",
    "HKD", "HUF", "IDR", "ILS", "INR", "JPY", "KRW", "MXN", "MYR", "NOK", "NZD", "PHP", "PLN", "RON", "RUB",
    "SAR", "SEK", "SGD", "THB", "TRY", "TWD", "UAH", "USD", "VND", "ZAR",
];

/// Spellings of one unit, the first of which is its name. Those of one letter that are words as well (`m`, `in`, `a`)
/// are left out.
static UNITS: LazyLock<Vec<Vec<Unit>>> = LazyLock::new(|| {
    list_lines(include_str!("data/units.txt")).into_iter().map(|line| line.split(' ').collect()).collect()
});

/// The currency sign that `text` begins with, and its length.
pub(super) fn find_sign(text: &str) -> Option<(Unit, usize)> {
    let (sign, units) = SIGNS.iter().find(|(sign, _)| text.starts_with(sign))?;
    Some((units.first()?, sign.len()))
}

/// The currency of a code: `EUR`.
pub(super) fn find_code(word: &str) -> Option<Unit> {
    CODES.iter().copied().find(|code| *code == word)
}

/// The currency that a word after an amount means: a code or a name.
pub(super) fn find_money_word(word: &str) -> Option<Unit> {
    find_code(word).or_else(|| {
        let (_, units) = MONEY_WORDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name))?;
        units.first().copied()
    })
}

/// The unit that is spelt `word`, in any case.
pub(super) fn find_unit(word: &str) -> Option<Unit> {
    let mut units = UNITS.iter();
    let spellings = units.find(|unit| unit.iter().any(|spelling| word.eq_ignore_ascii_case(spelling)))?;
    spellings.first().copied()
}

/// Whether a number in `claimed` can be one seen in `seen`: a number without a unit can be any.
pub fn units_agree(claimed: Option<Unit>, seen: Option<Unit>) -> bool {
    let (Some(claimed), Some(seen)) = (claimed, seen) else { return true };
    claimed == seen || is_sign_of(claimed, seen) || is_sign_of(seen, claimed)
}

/// Whether `unit` is a currency.
pub fn is_currency(unit: Unit) -> bool {
    matches!(unit, DOLLAR | YEN_OR_YUAN | YUAN) || CODES.contains(&unit)
}

/// Whether the sign of several currencies, such as `$`, can mean the currency `code`.
fn is_sign_of(sign: Unit, code: Unit) -> bool {
    match sign {
        DOLLAR => DOLLARS.contains(&code),
        YEN_OR_YUAN => ["JPY", "CNY"].contains(&code),
        YUAN => ["CNY", "TWD", "HKD", YEN_OR_YUAN].contains(&code),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_spelling_is_two_units() {
        let mut spellings: Vec<&str> = UNITS.iter().flat_map(|unit| unit.iter().copied()).collect();
        let count = spellings.len();
        spellings.sort_unstable();
        spellings.dedup();
        assert_eq!(spellings.len(), count);
    }

    #[test]
    fn a_sign_of_many_currencies_agrees_with_each() {
        assert!(units_agree(Some("$"), Some("CAD")) && units_agree(Some("USD"), Some("$")));
        assert!(!units_agree(Some("$"), Some("EUR")) && !units_agree(Some("USD"), Some("CAD")));
        assert!(units_agree(None, Some("kg")) && units_agree(Some("kg"), None));
    }
}
