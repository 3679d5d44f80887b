//! The shared part of checks that compare the final answer with a text: settings, comparison, messages.

use std::ops::Range;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::answer::{answer, beginning, saying};
use crate::check::{Check, Demand};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Outcome, Violation};
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Node, Placed, adopt_encoding, read_all};

/// A relation between the answer and a text: `(answer, value)`.
pub(crate) type Relation = fn(&str, &str) -> bool;

/// A check that the answer stands in one relation to a text.
pub(crate) struct TextRule {
    pub(crate) relation: Relation,
    /// Builds the violation of an answer that does not.
    pub(crate) describe: fn(&Literal, &str) -> Violation,
}

struct TextCheck {
    text: Literal,
    rule: &'static TextRule,
}

/// Reads a text as the settings of the check with this rule.
pub(crate) fn read_text_check(node: Node<'_>, rule: &'static TextRule) -> Result<Box<dyn Check>, LoadErrors> {
    Ok(Box::new(TextCheck { text: node.decode_all()?, rule }))
}

impl Check for TextCheck {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let answer = answer(evidence)?;
        let held = self.text.holds(answer, self.rule.relation);
        Ok((!held).then(|| (self.rule.describe)(&self.text, answer)).into())
    }

    // An empty answer contains, begins and ends with an empty text alone. It equals one as well, a longer answer does not.
    fn counterexample(&self) -> Option<Evidence<'static>> {
        let answers = [String::new(), format!("{}!", self.text.as_str())];
        answers.into_iter().find(|answer| !self.text.holds(answer, self.rule.relation)).map(saying)
    }

    fn is_vacuous(&self) -> bool {
        self.counterexample().is_none()
    }

    fn demands(&self) -> Vec<Demand<'_>> {
        vec![Demand::text(&self.text)]
    }
}

/// A text that the answer is held against.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Literal {
    /// The text, exactly as written: nothing is trimmed.
    value: Placed<String>,
    /// `true`: letter case counts, so `Refund` is not `refund`. Default: it does not.
    #[serde(default)]
    pub(super) case_sensitive: bool,
}

impl Literal {
    /// Each of `values` in any case. `problem` is the error of an empty one.
    pub(crate) fn list_in_any_case(
        values: Vec<Placed<String>>,
        problem: &str,
    ) -> Result<Vec<Self>, LoadErrors> {
        read_all(values.into_iter().map(|value| {
            let literal = Self { value, case_sensitive: false };
            literal.refuse_empty(problem).map(|()| literal)
        }))
    }

    /// Returns an error at the text if it is empty.
    pub(crate) fn refuse_empty(&self, problem: &str) -> Result<(), LoadError> {
        if self.value.is_empty() { Err(self.value.error(problem)) } else { Ok(()) }
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        &self.value
    }

    /// Whether this text is in every answer that contains `text`, in exactly its letter case or in any.
    pub(crate) fn bans(&self, text: &str, is_exact: bool) -> bool {
        (is_exact || !self.case_sensitive) && self.find(text).is_some()
    }

    /// Whether the answer stands in `relation` to the text.
    pub(crate) fn holds(&self, answer: &str, relation: Relation) -> bool {
        if self.case_sensitive { relation(answer, &self.value) } else { self.in_any_case(answer, relation) }
    }

    fn in_any_case(&self, answer: &str, relation: Relation) -> bool {
        relation(&answer.to_lowercase(), &self.value.to_lowercase())
    }

    /// The first place of the text in the answer.
    pub(crate) fn find(&self, answer: &str) -> Option<Range<usize>> {
        if self.case_sensitive {
            return answer.find(self.value.as_str()).map(|at| at..at + self.value.len());
        }
        self.find_lowered(answer, &answer.to_lowercase())
    }

    /// Finds the text in any case, as [`Literal::find`] does. `lowered` is the answer in lower case, which many texts share.
    pub(crate) fn find_lowered(&self, answer: &str, lowered: &str) -> Option<Range<usize>> {
        let wanted = self.value.to_lowercase();
        let at = lowered.find(&wanted)?;
        // In ASCII, each character has as many bytes in both cases.
        if answer.is_ascii() {
            return Some(at..at + wanted.len());
        }
        Some(before_lowering(answer, at)..before_lowering(answer, at + wanted.len()))
    }

    /// Returns the byte offsets, in the answer and in the text, of their first difference.
    pub(crate) fn difference(&self, answer: &str) -> (usize, usize) {
        let pairs = answer.chars().zip(self.value.chars());
        let same = pairs.take_while(|(one, other)| {
            one == other || (!self.case_sensitive && one.to_lowercase().eq(other.to_lowercase()))
        });
        // The offsets differ, as the two spellings of a character may have different lengths.
        same.fold((0, 0), |(answer, value), (one, other)| (answer + one.len_utf8(), value + other.len_utf8()))
    }

    /// The text in quotes, cut when it is long.
    pub(crate) fn shown(&self) -> String {
        beginning(&self.value)
    }

    /// Creates a violation with the expected and the actual text.
    pub(crate) fn broken(&self, message: String, wanted: &str, actual: String) -> Violation {
        let case = if self.case_sensitive { "in exactly this case" } else { "in any case" };
        Violation::new(message).at("/value").expected(format!("{wanted}, {case}"), actual)
    }

    /// Returns the help if the texts differ only in what a reader hardly sees: the letter case, the encoding of accents,
    /// typographic characters. Otherwise returns `otherwise`.
    pub(crate) fn help(&self, answer: &str, relation: Relation, otherwise: &'static str) -> &'static str {
        if self.case_sensitive && self.in_any_case(answer, relation) {
            return "only the case differs: drop `case_sensitive` if that is enough";
        }
        // The comparison is in lower case for texts of any case, so the encodings are compared in lower case as well.
        let in_compared_case =
            |text: &str| if self.case_sensitive { text.to_owned() } else { text.to_lowercase() };
        let answer = in_compared_case(answer);
        let value = in_compared_case(&self.value);
        if adopt_encoding(&answer, &value).is_some_and(|adopted: String| relation(&adopted, &value)) {
            return "both look the same: a letter and its accent are one character in one text, and two in the other (Unicode \
                    NFC and NFD); write the text as the agent does: copy it from the trace";
        }
        if relation(&fold_typography(&answer), &fold_typography(&value)) {
            return "only typographic characters differ (curly quotes, dashes, special blanks, ligatures): write them as the \
                    agent does, or use `regex` with `.` in their places";
        }
        otherwise
    }
}

/// Replaces typographic characters by those of a keyboard, and removes the invisible ones.
fn fold_typography(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{ff07}' => folded.push('\''),
            '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ff02}' => folded.push('"'),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => folded.push('-'),
            '\u{2026}' => folded.push_str("..."),
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => folded.push(' '),
            '\u{fb00}' => folded.push_str("ff"),
            '\u{fb01}' => folded.push_str("fi"),
            '\u{fb02}' => folded.push_str("fl"),
            '\u{fb03}' => folded.push_str("ffi"),
            '\u{fb04}' => folded.push_str("ffl"),
            '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => {}
            c => folded.push(c),
        }
    }
    folded
}

/// Returns the byte of `text` that corresponds to the byte `lowered` of the text in lower case.
fn before_lowering(text: &str, lowered: usize) -> usize {
    // `İ` has two characters in lower case, so offsets in the lowered text are counted back character by character.
    let mut end = 0;
    for (at, c) in text.char_indices() {
        end += c.to_lowercase().map(char::len_utf8).sum::<usize>();
        // The first character that ends behind the byte contains it.
        if end > lowered {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{Place, Source, Span};

    fn literal(value: &str) -> Literal {
        let place = Place::new(&Source::new("", value), Span::default());
        Literal { value: Placed::new(value.to_owned(), place), case_sensitive: false }
    }

    #[test]
    fn a_place_is_one_of_the_answer_and_not_of_its_lower_case() {
        // The lower case of the first letter is a byte longer.
        let answer = "İİ: ÄPFEL!";
        let found = literal("äpfel").find(answer).expect("it is there");
        assert_eq!(&answer[found], "ÄPFEL");
        assert_eq!(literal("i").find("İ"), Some(0..0));
        let exact = Literal { case_sensitive: true, ..literal("PFEL") };
        assert_eq!(exact.find(answer).map(|found| &answer[found]), Some("PFEL"));
    }

    #[test]
    fn both_sides_are_lowered() {
        assert!(literal("ΟΔΌΣ").holds("οδός", |answer, value| answer == value));
        assert!(!literal("straße").holds("STRASSE", |answer, value| answer == value));
        assert_eq!(literal("Grüße an").difference("GRÜßE von"), ("GRÜßE ".len(), "Grüße ".len()));
    }
}
