//! `similarity`: the final answer is close to this text.
//!
//! Two measures, neither of which knows meanings: the number of edits between the texts (Levenshtein), in which letter
//! case counts, and the words that both contain (ROUGE-N, the F1 of sequences of words), in which it does not. In scripts
//! that put no blanks between words (Chinese, Japanese, Korean, Thai, Lao, Khmer), each character is a word. For an answer that says the same in other words, ask a judge (`agent_check`).
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/similarity/fail-edits.yaml")]
//! ```

use serde::Deserialize;

use crate::check::support::amount::Amount;
use crate::check::support::answer_text::{answer, beginning, saying};
use crate::check::support::rouge::measure_rouge;
use crate::check::{Check, Kind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation, count_to_f64};
use crate::place::LoadErrors;
use crate::yaml::Node;

pub(crate) const KIND: Kind =
    Kind::with::<Similarity>("similarity", "the final answer is close to this text", read).without_calls();

/// The length limit of the texts, in UTF-16 units: the cost of counting edits grows with the square of the length.
const MAX_UNITS: usize = 20_000;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Similarity {
    /// The text that the answer is compared with.
    to: String,
    /// The most insertions, deletions and replacements of a character that turn one text into the other.
    max_edits: Option<Amount>,
    /// The least ROUGE score, from 0 to 1.
    min_rouge: Option<Amount>,
    /// The length of the sequences of words that ROUGE counts. Default: 1, single words.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    words: Option<usize>,
}

fn read(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let settings: Similarity = node.decode_all()?;
    let problem = match (&settings.max_edits, &settings.min_rouge, settings.words) {
        (None, None, _) => "expected `max_edits` or `min_rouge`: how close the answer must be",
        (_, Some(share), _) if share.get() > 1.0 => "`min_rouge`: expected a number from 0 to 1",
        (_, None, Some(_)) => "`words` is a setting of `min_rouge`",
        (_, _, Some(0)) => "`words`: expected a number from 1 up",
        _ => return Ok(Box::new(settings)),
    };
    Err(node.error(problem).into())
}

impl Similarity {
    /// Counts the edits as JavaScript sees the texts: in UTF-16 units.
    fn count_edits(&self, answer: &str) -> Result<usize, Unfit> {
        let [answer, to] = [answer, &self.to].map(|text| text.encode_utf16().collect::<Vec<u16>>());
        // The edits are counted in a table of both lengths, so the product of the two is the time.
        if answer.len().max(to.len()) > MAX_UNITS {
            let why = format!("`similarity` counts edits of texts of at most {MAX_UNITS} characters");
            return Err(Unfit::budget_exceeded(why));
        }
        Ok(strsim::generic_levenshtein(&answer, &to))
    }

    fn find_edits(&self, answer: &str) -> Result<Option<Violation>, Unfit> {
        let Some(most) = self.max_edits else { return Ok(None) };
        let edits = self.count_edits(answer)?;
        let is_close = count_to_f64(edits) <= most.get();
        let message =
            format!("the answer is {edits} edits away from the text: at most {} are allowed", most.get());
        Ok((!is_close).then(|| self.render_violation("/max_edits", message, answer)))
    }

    fn find_rouge(&self, answer: &str) -> Option<Violation> {
        let (least, size) = (self.min_rouge?.get(), self.words.unwrap_or(1));
        let score = measure_rouge(answer, &self.to, size);
        let message =
            format!("the answer has a ROUGE-{size} score of {score:.2}: at least {least} is required");
        (score < least).then(|| self.render_violation("/min_rouge", message, answer))
    }

    fn render_violation(&self, at: &str, message: String, answer: &str) -> Violation {
        Violation::new(message)
            .at(at)
            .expected(format!("an answer close to {}", beginning(&self.to)), beginning(answer))
            .help("change what the agent answers, or how close the answer must be")
    }
}

impl Check for Similarity {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let answer = answer(evidence)?;
        Ok(self.find_edits(answer)?.or_else(|| self.find_rouge(answer)).into())
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        if self.min_rouge.is_some_and(|least| least.get() > 0.0) {
            return Some(saying(""));
        }
        let most = self.max_edits?.get();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and saturating"
        )]
        let longer = (most as usize).saturating_add(1);
        // No answer that is short enough to be compared is further away.
        (longer <= MAX_UNITS).then(|| saying(self.to.clone() + &"x".repeat(longer)))
    }

    fn is_vacuous(&self) -> bool {
        self.counterexample().is_none()
    }
}
