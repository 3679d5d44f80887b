//! Email addresses, social security numbers and phone numbers.
//!
//! A pattern that begins with `(?:^|[^\d ]) {0,2}` has no other group of digits before it: some groups of a long tracking
//! number look like a phone number.

use super::{PersonalKind, PersonalRule};

pub(super) const EMAIL: &[PersonalRule] = &[PersonalRule {
    kind: PersonalKind::Email,
    name: "an email address",
    pattern: r"[\p{L}0-9][\p{L}0-9._%+'-]*@(?:[\p{L}0-9-]+\.)+\p{L}{2,24}",
    confirm: None,
    apart_from: "@",
}];

/// The marks that make an identifier, an amount or a version of digits.
const JOINTS: &str = "-_/#.,:=$€£%@";

pub(super) const RULES: &[PersonalRule] = &[
    PersonalRule {
        kind: PersonalKind::UsSsn,
        name: "a US social security number",
        pattern: r"(?:^|[^\d ]) {0,2}(?P<value>\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4})",
        confirm: Some(confirm_social_security),
        apart_from: JOINTS,
    },
    PersonalRule {
        kind: PersonalKind::UsSsn,
        name: "a US social security number",
        pattern: r"(?i)\b(?:ssn|social security (?:number|no\.?))(?: is)?[:=]?\s{0,3}(?P<value>\d{9})\b",
        confirm: Some(confirm_social_security),
        apart_from: "",
    },
    // `+49 30 901820`: with the code of a country, 8 to 15 digits.
    PersonalRule {
        kind: PersonalKind::Phone,
        name: "a phone number",
        pattern: r"\+[1-9](?:[ .()/-]{0,2}\d){7,14}",
        confirm: None,
        apart_from: "+#=$€£@",
    },
    // `0049 30 901820`: in groups, since an order may begin with zeros too.
    PersonalRule {
        kind: PersonalKind::Phone,
        name: "a phone number",
        pattern: r"(?:^|[^\d ]) {0,2}(?P<value>00[1-9]\d{0,2}[ .()/-]{1,2}\d(?:[ .()/-]{0,2}\d){5,12})",
        confirm: None,
        apart_from: JOINTS,
    },
    // `(415) 555-2671`, `1-415-555-2671`: North America's ten digits, only with marks between their parts.
    PersonalRule {
        kind: PersonalKind::Phone,
        name: "a phone number",
        pattern: r"(?:^|[^\d ]) {0,2}(?P<value>(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4})",
        confirm: None,
        apart_from: JOINTS,
    },
    // Any other number that is said to be one.
    PersonalRule {
        kind: PersonalKind::Phone,
        name: "a phone number",
        pattern: r"(?i)\b(?:phone|tel|telephone|mobile|cell|fax|whatsapp)\b\.?(?: (?:number|no\.?))?(?: is)?[:=]?\s{0,3}(?P<value>\(?\d(?:[ .()/-]{0,2}\d){6,14})",
        confirm: None,
        apart_from: "",
    },
];

/// Rejects areas 000, 666 and 900 or above, group 00 and serial 0000, which are never assigned.
fn confirm_social_security(text: &str) -> Option<usize> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let area = digits.get(..3)?;
    let group = digits.get(3..5)?;
    let serial = digits.get(5..)?;
    let given = area != "000" && area != "666" && !area.starts_with('9') && group != "00" && serial != "0000";
    given.then_some(text.len())
}
