//! The words by which a field is known in an answer: an answer may write `price` as `$`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use regex::{Regex, escape};
use serde::Deserialize;

use super::error::PatternError;
use super::regex::compile_sized;
use crate::JsonSchema;
use crate::place::LoadErrors;
use crate::yaml::{Node, OrderedMap};
use arraign_trace::compiled::Compiled;

/// By the text of the pattern, which holds all aliases: two tables may know one field by different words.
static PATTERNS: Compiled<Regex> = Compiled::empty();

/// The aliases of fields. A field without any is known by its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldAliases(BTreeMap<String, Vec<String>>);

impl Default for FieldAliases {
    fn default() -> Self {
        let known: [(&str, &[&str]); 4] = [
            ("price", &["price", "$", "USD", "cost"]),
            ("rating", &["rating", "stars", "score"]),
            ("status", &["status", "state"]),
            ("tracking_number", &["tracking", "shipment"]),
        ];
        let fields = known
            .into_iter()
            .map(|(field, words)| (field.to_owned(), words.iter().map(|word| (*word).to_owned()).collect()));
        Self(fields.collect())
    }
}

/// The aliases of some fields, as users write them: `{price: [fee]}`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct WrittenAliases(OrderedMap<String, Vec<FieldAlias>>);

/// One alias. An empty one is an error, because nearly every answer contains it.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(with = "String", description = "", inline)]
#[serde(try_from = "String")]
struct FieldAlias(String);

impl TryFrom<String> for FieldAlias {
    type Error = &'static str;

    fn try_from(word: String) -> Result<Self, Self::Error> {
        if word.is_empty() {
            return Err("an alias cannot be empty: nearly every answer has it");
        }
        Ok(Self(word))
    }
}

impl FieldAliases {
    /// Returns this table with the aliases of the mapping `node`. Null adds nothing.
    pub fn extend_from(&self, node: Node<'_>) -> Result<Self, LoadErrors> {
        let written: Option<WrittenAliases> = node.decode_all()?;
        Ok(self.extend(written.unwrap_or_default()))
    }

    /// Returns this table with other aliases for the written fields. A field with an empty list is known by its own name.
    pub(crate) fn extend(&self, written: WrittenAliases) -> Self {
        let mut table = self.0.clone();
        for (field, aliases) in written.0.0 {
            table.insert(field, aliases.into_iter().map(|FieldAlias(word)| word).collect());
        }
        Self(table)
    }

    /// Compiles the pattern that finds `field` in an answer.
    pub fn compile_pattern(&self, field: &str) -> Result<FieldPattern, PatternError> {
        let aliases = self.0.get(field).filter(|aliases| !aliases.is_empty());
        let aliases = aliases.cloned().unwrap_or_else(|| vec![field.to_owned()]);
        let any = aliases.iter().map(|alias| escape(alias)).collect::<Vec<_>>().join("|");
        // Only the words are matched in any case: the long s is no letter of ASCII, though it folds to one.
        let text = format!("(?:^|[^A-Za-z])(?i:{any})(?:[^A-Za-z]|$)");
        let alone = PATTERNS.get(&text, || compile_sized(&text)).map_err(|_| PatternError::FieldTooLong)?;
        Ok(FieldPattern { aliases, alone })
    }
}

/// Finds the words of one field in an answer.
#[derive(Debug, Clone)]
pub struct FieldPattern {
    aliases: Vec<String>,
    alone: Arc<Regex>,
}

impl FieldPattern {
    /// Whether `answer` has one of the words under simple case folding, without an ASCII letter directly before or
    /// after it.
    pub fn is_match(&self, answer: &str) -> bool {
        self.alone.is_match(answer)
    }

    /// The words.
    pub fn aliases(&self) -> &[String] {
        &self.aliases
    }

    /// The first place of a word in `answer`, whatever stands beside it: for a user who sees it there.
    pub fn find_within(&self, answer: &str) -> Option<Range<usize>> {
        let any = self.aliases.iter().map(|alias| escape(alias)).collect::<Vec<_>>().join("|");
        let (pattern, _) = compile_sized(&format!("(?i:{any})")).ok()?;
        pattern.find(answer).map(|found| found.range())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Source;
    use crate::yaml::Document;

    fn extended(text: &str) -> Result<FieldAliases, LoadErrors> {
        let documents = Document::parse(&Source::new("f.yaml", text)).expect("valid YAML");
        FieldAliases::default().extend_from(documents[0].root())
    }

    fn told(aliases: &FieldAliases, field: &str, answer: &str) -> bool {
        aliases.compile_pattern(field).expect("a pattern").is_match(answer)
    }

    #[test]
    fn a_letter_beside_the_word_hides_it_and_nothing_else_does() {
        let aliases = FieldAliases::default();
        for answer in
            ["$199", "199$", "the PRICE", "price2", "_price_", "préprice", "éprice", "cost\nusd", "1$1"]
        {
            assert!(told(&aliases, "price", answer), "{answer}");
        }
        for answer in
            ["profit margin", "surprise", "a$b", "a$", "$b", "US$199", "€5", "", "prices", "xprice price's_"]
        {
            assert_eq!(told(&aliases, "price", answer), answer.contains("price's"), "{answer}");
        }
    }

    #[test]
    fn case_folds_simply_and_only_in_the_word() {
        let aliases = FieldAliases::default();
        // The long s and the Kelvin sign fold to ASCII letters; they must not match them.
        assert!(told(&aliases, "status", "\u{17f}tatu\u{17f}"));
        assert!(told(&aliases, "tracking_number", "trac\u{212a}ing"));
        assert!(told(&aliases, "price", "\u{17f}price\u{212a}"));
        assert!(told(&aliases, "stra\u{df}e", "STRA\u{1e9e}E"));
        // Full folding would know these.
        assert!(!told(&aliases, "stra\u{df}e", "STRASSE"));
        assert!(!told(&aliases, "rating", "RAT\u{130}NG"));
    }

    #[test]
    fn the_end_is_the_end_of_the_text_and_an_empty_field_needs_a_free_spot() {
        let aliases = FieldAliases::default();
        assert!(told(&aliases, "a.b", "x\na.b\n") && !told(&aliases, "a.b", "acb"));
        for (answer, found) in
            [("", true), ("ab", false), ("a b", false), ("a  b", true), ("ab.", true), ("\n", true)]
        {
            assert_eq!(told(&aliases, "", answer), found, "{answer:?}");
        }
    }

    #[test]
    fn one_field_may_have_other_words_in_another_table() {
        let fees = extended("{price: [fee], total: [sum], rating: []}").expect("a table");
        assert!(told(&fees, "price", "the fee") && !told(&fees, "price", "the price"));
        assert!(told(&FieldAliases::default(), "price", "the price"));
        assert!(told(&fees, "total", "Sum: 4") && !told(&fees, "total", "total"));
        assert!(told(&fees, "rating", "rating") && !told(&fees, "rating", "stars"));
        assert!(told(&fees, "status", "state"));
        assert_eq!(extended("{}").expect("nothing new"), FieldAliases::default());
    }

    #[test]
    fn a_table_that_is_none_says_so() {
        assert_eq!(
            extended("[price]").expect_err("a list").to_string(),
            "f.yaml:1:1: expected a mapping, found a list"
        );
        assert_eq!(
            extended("{price: cost, rating: [1, stars], status: ['']}").expect_err("three").to_string(),
            "f.yaml:1:9: expected a list, found the text `cost`\n\
             f.yaml:1:24: expected a text, found `1` (help: quote it, so that it is a text)\n\
             f.yaml:1:44: an alias cannot be empty: nearly every answer has it"
        );
        assert!(FieldAliases::default().compile_pattern(&"x".repeat(1 << 20)).is_err());
    }
}
