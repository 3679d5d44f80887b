//! Finds personal data and secrets in a text, and masks them.
//!
//! Each kind has its own file, with a rule that is strict enough to let order numbers, dates, versions and tracking
//! numbers through. The patterns take time linear in the text.

mod bank;
mod contact;
mod json;
mod secret;

use std::ops::Range;
use std::sync::LazyLock;

use crate::JsonSchema;

use regex::Regex;
use serde::{Deserialize, Serialize};

pub use json::{mask_json_secrets, visit_secret_values};

use super::plain::PlainText;
use super::steps::count_steps;

/// A kind of personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PersonalKind {
    /// A private key, a token, an API key.
    Secret,
    /// An email address.
    Email,
    /// An international bank account number.
    Iban,
    /// The number of a payment card.
    Card,
    /// A social security number of the United States.
    UsSsn,
    /// A phone number.
    Phone,
}

impl PersonalKind {
    /// All kinds. A finding of two kinds counts as the first.
    pub const ALL: &[PersonalKind] =
        &[Self::Secret, Self::Email, Self::Iban, Self::Card, Self::UsSsn, Self::Phone];

    /// Returns the name that users write.
    pub fn name(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Email => "email",
            Self::Iban => "iban",
            Self::Card => "card",
            Self::UsSsn => "us_ssn",
            Self::Phone => "phone",
        }
    }
}

/// A piece of personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Personal {
    /// The kind.
    pub kind: PersonalKind,
    /// The byte range in the text.
    pub range: Range<usize>,
    /// The name in messages: `a Slack token`.
    pub name: &'static str,
}

/// A rule for one shape of personal data.
struct PersonalRule {
    kind: PersonalKind,
    name: &'static str,
    /// The regular expression. If it has a group `value`, that group is the finding.
    pattern: &'static str,
    /// Returns the length of the finding at the beginning of a match, or `None`. Without this function, the whole match is
    /// the finding.
    confirm: Option<fn(&str) -> Option<usize>>,
    /// Characters that are never directly beside a finding.
    apart_from: &'static str,
}

static RULES: LazyLock<Vec<(&'static PersonalRule, Regex)>> = LazyLock::new(|| {
    let rules = [contact::EMAIL, bank::RULES, contact::RULES].into_iter().flatten();
    rules.filter_map(|rule| Some((rule, Regex::new(rule.pattern).ok()?))).collect()
});

/// Finds the personal data in `text`, from left to right and without overlaps.
pub fn find_personal(text: &str) -> Vec<Personal> {
    let plain = PlainText::new(text);
    count_steps(text.len());
    let mut found = secret::find_secrets(text);
    for (rule, regex) in RULES.iter() {
        // The rules run in the order of their kinds. What an earlier rule found is not searched again as a part of
        // something else.
        let before = found.len();
        for mut one in rule.find_matches(regex, plain.as_str()) {
            // The rules read the text in its plain spelling, and a finding is a range of the text as it was written.
            one.range = plain.original_range(one.range);
            found.push(one);
        }
        found = drop_overlaps(found, before);
    }
    found
}

/// Finds the secrets in `text`, from left to right and without overlaps.
pub fn find_secrets(text: &str) -> Vec<Personal> {
    secret::find_secrets(text)
}

/// Masks the secrets in `text`, which may then be written to a file.
pub fn mask_secrets(text: String) -> String {
    let secrets = secret::find_secrets(&text);
    if secrets.is_empty() { text } else { mask_ranges(&text, &secrets).0 }
}

/// Masks `found` in `text`. Also returns the byte ranges of the masks.
pub fn mask_ranges(text: &str, found: &[Personal]) -> (String, Vec<Range<usize>>) {
    let mut shown = String::with_capacity(text.len());
    let mut places = Vec::new();
    let mut end = 0;
    // `found` is in order and free of overlaps, so the text between two findings is copied as it is.
    for one in found {
        shown.push_str(&text[end..one.range.start]);
        let start = shown.len();
        shown.push_str(&mask_value(one.kind, &text[one.range.clone()]));
        places.push(start..shown.len());
        end = one.range.end;
    }
    shown.push_str(&text[end..]);
    (shown, places)
}

/// Shows at most the first and the last two characters. Secrets and short values are hidden as a whole.
fn mask_value(kind: PersonalKind, text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    match (kind, chars.as_slice()) {
        (PersonalKind::Secret, _) => "***".to_owned(),
        // With less in the middle, the shown ends would be most of the value.
        (_, [a, b, middle @ .., y, z]) if middle.len() >= 5 => format!("{a}{b}***{y}{z}"),
        _ => "***".to_owned(),
    }
}

/// Removes the new findings, from index `old` on, that overlap an old one, and sorts the rest by place.
fn drop_overlaps(mut found: Vec<Personal>, old: usize) -> Vec<Personal> {
    if found.len() == old {
        return found;
    }
    let mut new = found.split_off(old);
    // `found` is sorted and free of overlaps, so only the first range that ends behind the start of a new one can
    // overlap it.
    new.retain(|one| {
        let next = found.partition_point(|known| known.range.end <= one.range.start);
        found.get(next).is_none_or(|known| known.range.start >= one.range.end)
    });
    found.extend(new);
    found.sort_by_key(|one| one.range.start);
    found
}

impl PersonalRule {
    fn find_matches(&'static self, regex: &Regex, text: &str) -> Vec<Personal> {
        let candidates = regex.captures_iter(text).filter_map(|captures| {
            let found = captures.name("value").or_else(|| captures.get(0))?;
            count_steps(found.len());
            let length = self.confirm.map_or(Some(found.len()), |confirm| confirm(found.as_str()))?;
            let range = found.start()..found.start() + length;
            self.stands_alone(text, &range).then_some(Personal { kind: self.kind, range, name: self.name })
        });
        candidates.collect()
    }

    /// Whether `range` is not part of a longer word or number.
    fn stands_alone(&self, text: &str, range: &Range<usize>) -> bool {
        let mut after = text[range.end..].chars();
        let next = after.next();
        // A full stop, a comma or a hyphen ends the finding, unless a letter or digit follows directly.
        let goes_on = match next {
            Some(next @ ('.' | ',' | '-')) if self.apart_from.contains(next) => {
                after.next().is_some_and(char::is_alphanumeric)
            }
            next => next.is_some_and(|c| self.joins(c)),
        };
        !goes_on && !text[..range.start].chars().next_back().is_some_and(|c| self.joins(c))
    }

    /// Whether `c` right before or after a finding makes it a part of something longer.
    fn joins(&self, c: char) -> bool {
        c.is_alphanumeric() || self.apart_from.contains(c)
    }
}

#[cfg(test)]
mod tests;
