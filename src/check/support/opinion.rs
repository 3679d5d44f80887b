//! A judge's opinion on one question. Its reason is untrusted text.

use std::borrow::Cow;

use crate::check::support::answer::{answer, saying};
use crate::evidence::{Evidence, Judged, Opinion, Opinions};
use crate::outcome::{CannotDecide, Item, Outcome, State, Violation};
use crate::secrets::QuotedText;

/// How much of a judge's reason is shown, in characters.
const SHOWN: usize = 300;

/// Builds the outcome of a question with the answers pass and fail. `refusal` is the message for fail.
pub(crate) fn passes(evidence: &Evidence<'_>, label: &str, refusal: &str) -> Result<Outcome, CannotDecide> {
    let opinion = on_answer(evidence, label)?;
    let (state, violation) = match opinion.judged {
        Judged::Pass => (State::Held, None),
        Judged::Fail => (State::Violated, Some(describe_refused(refusal, opinion))),
        Judged::Score(_) | Judged::Claims { .. } => {
            let problem = format!("the opinion on `{label}` is {}, not a pass or a fail", form(opinion));
            return Err(
                CannotDecide::invalid(problem).help("write `true` or `false`, or ask the judge again")
            );
        }
    };
    let item = Item { note: reason(opinion), ..Item::new(label, state) };
    Ok(Outcome::of_items(vec![item], violation.into_iter().collect()))
}

/// Returns the opinion `label` on the answer. A run without an answer is undecided.
pub(crate) fn on_answer<'e>(evidence: &'e Evidence<'_>, label: &str) -> Result<&'e Opinion, CannotDecide> {
    answer(evidence)?;
    evidence.opinions.of(label)
}

fn describe_refused(claim: &str, opinion: &Opinion) -> Violation {
    let why = reason(opinion).unwrap_or_else(|| "it gives no reason".to_owned());
    Violation::new(claim).expected("the judge lets it pass", why).help("change what the agent answers")
}

/// Returns the score of an opinion, between 0 and 100.
pub(crate) fn score(opinion: &Opinion, label: &str) -> Result<f64, CannotDecide> {
    match opinion.judged {
        Judged::Score(score) if (0.0..=100.0).contains(&score) => Ok(score),
        Judged::Score(score) => Err(CannotDecide::invalid(format!(
            "the opinion on `{label}` is the score {score}, not one between 0 and 100"
        ))),
        Judged::Pass | Judged::Fail | Judged::Claims { .. } => {
            let problem =
                format!("the opinion on `{label}` is {}, not a score between 0 and 100", form(opinion));
            Err(CannotDecide::invalid(problem).help("write the score, or ask the judge again"))
        }
    }
}

/// Describes the form of an opinion.
pub(crate) fn form(opinion: &Opinion) -> String {
    match opinion.judged {
        Judged::Pass | Judged::Fail => "a pass or a fail".to_owned(),
        Judged::Score(score) => format!("a score ({score})"),
        Judged::Claims { all, .. } => format!("one on {all} claims"),
    }
}

/// Quotes the judge's reason. A long reason is cut.
pub(crate) fn reason(opinion: &Opinion) -> Option<String> {
    let text = opinion.reason.as_deref()?;
    Some(QuotedText::new(text).cut_end(SHOWN).in_quotes())
}

/// Builds a run with this opinion, for a counterexample.
pub(crate) fn judged(label: &str, judged: Judged) -> Evidence<'static> {
    let mut opinions = Opinions::default();
    opinions.insert(label, Opinion { judged, reason: None });
    Evidence { opinions: Cow::Owned(opinions), ..saying("") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::UndecidedReason;

    #[test]
    fn an_answer_in_another_form_is_an_error() {
        let unfit = passes(&judged("tone", Judged::Score(80.0)), "tone", "no").expect_err("a score");
        assert!(matches!(unfit.reason, UndecidedReason::InvalidEvidence(_)));
        for judged in [Judged::Pass, Judged::Score(100.5), Judged::Score(-1.0), Judged::Score(f64::NAN)] {
            let unfit = score(&Opinion { judged, reason: None }, "quality").expect_err("no score");
            assert!(matches!(unfit.reason, UndecidedReason::InvalidEvidence(_)), "{judged:?}");
        }
    }

    #[test]
    fn no_opinion_is_missing_and_never_a_pass() {
        let unfit = passes(&Opinions::default().into(), "tone", "no").expect_err("silence");
        assert!(matches!(unfit.reason, UndecidedReason::MissingEvidence(_)));
    }

    #[test]
    fn a_reason_is_cut_at_a_character() {
        let opinion = Opinion { judged: Judged::Fail, reason: Some("ä\u{1b}".repeat(1000)) };
        let shown = reason(&opinion).expect("a reason");
        assert!(shown.ends_with("\"...") && !shown.contains('\u{1b}'));
    }
}
