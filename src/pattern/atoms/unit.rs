//! The units of numbers in one spelling, currencies among them.

/// A unit: `kg`, `day`, `%`, `USD`.
pub type Unit = &'static str;

/// The sign of more than one currency.
const DOLLAR: Unit = "$";
const YEN_OR_YUAN: Unit = "¥";
const DOLLARS: &[Unit] = &["USD", "AUD", "CAD", "HKD", "MXN", "NZD", "SGD", "TWD"];

/// Signs that stand before or after an amount; a longer one comes before its own end.
const SIGNS: &[(&str, Unit)] = &[
    ("US$", "USD"),
    ("AU$", "AUD"),
    ("CA$", "CAD"),
    ("HK$", "HKD"),
    ("NZ$", "NZD"),
    ("A$", "AUD"),
    ("C$", "CAD"),
    ("R$", "BRL"),
    ("S$", "SGD"),
    ("$", DOLLAR),
    ("€", "EUR"),
    ("£", "GBP"),
    ("¥", YEN_OR_YUAN),
    ("₹", "INR"),
    ("₩", "KRW"),
    ("₽", "RUB"),
    ("₺", "TRY"),
    ("₴", "UAH"),
    ("₪", "ILS"),
    ("₫", "VND"),
    ("₱", "PHP"),
    ("฿", "THB"),
    ("₿", "BTC"),
];

const CODES: &[Unit] = &[
    "AED", "ARS", "AUD", "BRL", "BTC", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "ETH", "EUR", "GBP",
    "HKD", "HUF", "IDR", "ILS", "INR", "JPY", "KRW", "MXN", "MYR", "NOK", "NZD", "PHP", "PLN", "RON", "RUB",
    "SAR", "SEK", "SGD", "THB", "TRY", "TWD", "UAH", "USD", "VND", "ZAR",
];

const MONEY_WORDS: &[(&str, Unit)] = &[
    ("dollar", DOLLAR),
    ("dollars", DOLLAR),
    ("euro", "EUR"),
    ("euros", "EUR"),
    ("yen", "JPY"),
    ("yuan", "CNY"),
    ("rupees", "INR"),
    ("francs", "CHF"),
];

/// Spellings of one unit, the first of which is its name. Those of one letter that are words as well (`m`, `in`, `a`)
/// are left out.
const UNITS: &[&[&str]] = &[
    &["kg", "kgs", "kilo", "kilos", "kilogram", "kilograms", "kilogramme", "kilogrammes"],
    &["mg", "milligram", "milligrams"],
    &["g", "gram", "grams", "gramme", "grammes"],
    &["lb", "lbs", "pound", "pounds"],
    &["oz", "ounce", "ounces"],
    &["tonne", "tonnes", "ton", "tons"],
    &["km", "kilometer", "kilometers", "kilometre", "kilometres"],
    &["cm", "centimeter", "centimeters", "centimetre", "centimetres"],
    &["mm", "millimeter", "millimeters", "millimetre", "millimetres"],
    &["meter", "meters", "metre", "metres"],
    &["mile", "miles", "mi"],
    &["ft", "foot", "feet"],
    &["inch", "inches"],
    &["yd", "yard", "yards"],
    &["l", "liter", "liters", "litre", "litres"],
    &["ml", "milliliter", "milliliters", "millilitre", "millilitres"],
    &["gal", "gallon", "gallons"],
    &["ms", "millisecond", "milliseconds", "msec"],
    &["s", "sec", "secs", "second", "seconds"],
    &["min", "mins", "minute", "minutes"],
    &["h", "hr", "hrs", "hour", "hours"],
    &["day", "days"],
    &["week", "weeks", "wk", "wks"],
    &["month", "months"],
    &["year", "years", "yr", "yrs"],
    &["byte", "bytes"],
    &["kb", "kilobyte", "kilobytes"],
    &["mb", "megabyte", "megabytes"],
    &["gb", "gigabyte", "gigabytes"],
    &["tb", "terabyte", "terabytes"],
    &["°c", "celsius"],
    &["°f", "fahrenheit"],
    &["km/h", "kmh", "kph"],
    &["mph"],
    &["w", "watt", "watts"],
    &["kw", "kilowatt", "kilowatts"],
    &["kwh"],
    &["v", "volt", "volts"],
    &["hz", "hertz"],
    &["ghz"],
    &["px", "pixel", "pixels"],
];

/// The currency sign that `text` begins with, and its length.
pub(super) fn find_sign(text: &str) -> Option<(Unit, usize)> {
    SIGNS.iter().find(|(sign, _)| text.starts_with(sign)).map(|(sign, unit)| (*unit, sign.len()))
}

/// The currency of a code: `EUR`.
pub(super) fn find_code(word: &str) -> Option<Unit> {
    CODES.iter().copied().find(|code| *code == word)
}

/// The currency that a word after an amount means: a code or a name.
pub(super) fn find_money_word(word: &str) -> Option<Unit> {
    find_code(word).or_else(|| {
        let found = MONEY_WORDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
        found.map(|(_, unit)| *unit)
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

/// Whether the sign of several currencies, such as `$`, can mean the currency `code`.
fn is_sign_of(sign: Unit, code: Unit) -> bool {
    match sign {
        DOLLAR => DOLLARS.contains(&code),
        YEN_OR_YUAN => ["JPY", "CNY"].contains(&code),
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
