//! A judge's opinion on all claims of an answer, also on those that are no atoms.

use super::Allowed;
use crate::check::support::opinion::{form, on_answer, reason};
use crate::evidence::{AnswerForm, Evidence, JudgeContext, Judged, Opinion, Question};
use crate::outcome::{CannotDecide, Item, Outcome, Violation};

/// The label of the question.
const LABEL: &str = "hallucination";

const PROMPT: &str = "Take the answer apart into its claims of fact. A claim is supported if the prompt, or the \
    arguments or results of the calls, say the same or imply it; what you know yourself is no support. Opinions, \
    greetings, questions and offers are no claims.";

pub(super) fn question() -> Question {
    let label = LABEL.to_owned();
    let prompt = PROMPT.to_owned();
    Question { label, prompt, answer: AnswerForm::Claims, context: JudgeContext::everything() }
}

/// Adds the judge's opinion to the outcome of the atoms, if there is one. An answer that fails by its atoms fails without it.
pub(super) fn added(
    mut outcome: Outcome,
    evidence: &Evidence<'_>,
    allowed: Allowed,
) -> Result<Outcome, CannotDecide> {
    let opinions = &evidence.opinions;
    if !opinions.has_judge() && opinions.get(LABEL).is_none() {
        return Ok(outcome);
    }
    let opinion = match on_answer(evidence, LABEL) {
        // The atoms decide already, so a missing opinion does not matter.
        Err(unfit) if outcome.violations.is_empty() => return Err(unfit),
        Err(_) => return Ok(outcome),
        Ok(opinion) => opinion,
    };
    let (said, holds) = describe_opinion(opinion, allowed)?;
    let why = reason(opinion);
    let note = why.as_ref().map_or_else(|| said.clone(), |why| format!("{said}: {why}"));
    outcome.items.push(Item::tested("the judge's opinion", holds).note(note));
    let violations =
        outcome.violations.into_iter().chain((!holds).then(|| describe_unsupported(&said, why))).collect();
    let judged = Outcome::of_items(outcome.items, violations);
    Ok(Outcome { stats: outcome.stats, ..judged })
}

/// Describes the opinion. Also returns whether the answer passes.
fn describe_opinion(opinion: &Opinion, allowed: Allowed) -> Result<(String, bool), CannotDecide> {
    match opinion.judged {
        Judged::Pass => Ok(("the judge finds each claim supported".to_owned(), true)),
        Judged::Fail => Ok(("the judge finds claims without support".to_owned(), false)),
        Judged::Claims { all, unsupported } => {
            let said = format!("the judge finds {unsupported} of {all} claims without support");
            Ok((said, allowed.allows(unsupported as usize, all as usize)))
        }
        Judged::Score(_) => {
            let problem = format!("the opinion on `{LABEL}` is {}, not one on claims", form(opinion));
            Err(CannotDecide::invalid(problem)
                .help("write `{claims: 4, unsupported: 1}`, or ask the judge again"))
        }
    }
}

fn describe_unsupported(said: &str, why: Option<String>) -> Violation {
    let why = why.unwrap_or_else(|| "it does not say which".to_owned());
    Violation::new(said)
        .at("/max_unsupported")
        .expected("each claim follows from the prompt or from a call", why)
        .help("have the agent look it up, or allow some by `max_unsupported`")
}
