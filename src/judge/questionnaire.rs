//! All questions of a case about one run, as one request.

use super::evidence::{Exhibits, parts};
use super::seal::Seal;
use super::{JudgeError, JudgeRequest, words};
use crate::case::{Case, Expectation};
use crate::evidence::{AnswerForm, Evidence, Question, turn_label};
use crate::pattern::without_secrets;
use crate::trace::Trace;

/// One question of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// What it is called in the request.
    pub id: String,
    /// What the opinion is called; `None` for a question whose answer is known, which tells whether the judge does its
    /// work.
    pub label: Option<String>,
    /// What is asked.
    pub prompt: String,
    /// The form of the answer.
    pub form: AnswerForm,
    /// Which parts of the evidence it is about.
    pub parts: Vec<String>,
}

/// The questions of one request and what they are about.
#[derive(Debug, Clone)]
pub struct Questionnaire {
    asked: Vec<Asked>,
    evidence: String,
    seal: Seal,
}

impl Questionnaire {
    /// What `case` asks about the run and does not answer itself; `None` where that is nothing. A run or turn without
    /// an answer has nothing that could be judged.
    pub fn of(case: &Case, evidence: &Evidence<'_>) -> Result<Option<Self>, JudgeError> {
        let mut draft = Draft::default();
        for expectation in &case.expectations {
            for question in expectation.check().questions() {
                draft.ask(case, expectation, question, evidence)?;
            }
        }
        draft.sealed()
    }

    /// One question about one answer, outside of any case.
    pub(super) fn about(
        trace: &Trace,
        input: Option<&str>,
        question: Question,
    ) -> Result<Option<Self>, JudgeError> {
        let mut draft = Draft::default();
        draft.add(RUN, question.label.clone(), question, trace, input)?;
        draft.sealed()
    }

    /// The questions, and among them one or two whose answers are known.
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// What stands between the two lines that enclose the evidence.
    pub fn evidence(&self) -> &str {
        &self.evidence
    }

    /// What an answer must repeat.
    pub fn code(&self) -> &str {
        &self.seal.code
    }

    /// The request of one vote, from 1.
    pub fn request(&self, vote: u32) -> JudgeRequest {
        JudgeRequest {
            system: words::system(&self.seal),
            user: words::user(&self.seal, &self.evidence, &self.asked),
            schema: words::schema(&self.seal, &self.asked),
            vote,
        }
    }

    /// The request once more, with why the first answer could not be read.
    pub fn request_again(&self, vote: u32, problem: &str) -> JudgeRequest {
        let first = self.request(vote);
        JudgeRequest { user: first.user + &words::again(problem), ..first }
    }
}

/// The name of the whole run among the evidence.
const RUN: &str = "run";

/// A request that is being put together.
#[derive(Default)]
struct Draft {
    asked: Vec<Asked>,
    exhibits: Exhibits,
}

impl Draft {
    fn ask(
        &mut self,
        case: &Case,
        expectation: &Expectation,
        question: Question,
        evidence: &Evidence<'_>,
    ) -> Result<(), JudgeError> {
        let given = &case.opinions;
        let label = match expectation.turn {
            Some(turn) => turn_label(turn, &question.label),
            None => question.label.clone(),
        };
        if given.get(&label).or(given.get(&question.label)).is_some() || self.has(&label) {
            return Ok(());
        }
        let Some(turn) = expectation.turn else {
            let (trace, input) = (&evidence.trace, evidence.input.as_deref());
            return self.add(RUN, label, question, trace, input);
        };
        let Some(trace) = evidence.trace.turn_of_user(turn) else { return Ok(()) };
        self.add(&format!("turn_{turn}"), label, question, &trace, None)
    }

    fn has(&self, label: &str) -> bool {
        self.asked.iter().any(|asked| asked.label.as_deref() == Some(label))
    }

    fn add(
        &mut self,
        name: &str,
        label: String,
        question: Question,
        trace: &Trace,
        input: Option<&str>,
    ) -> Result<(), JudgeError> {
        if trace.answer.is_none() {
            return Ok(());
        }
        let Question { prompt, answer: form, context, .. } = question;
        self.exhibits.show(name, trace, input, context)?;
        let (parts, prompt) = (parts(name, context), without_secrets(prompt));
        self.asked.push(Asked { id: String::new(), label: Some(label), prompt, form, parts });
        Ok(())
    }

    /// Adds the questions whose answers are known, at places that nobody can foresee.
    fn sealed(self) -> Result<Option<Questionnaire>, JudgeError> {
        let Some(part) = self.asked.first().map(|asked| asked.parts[..1].to_vec()) else { return Ok(None) };
        let evidence = self.exhibits.line()?;
        let prompts: Vec<&str> = self.asked.iter().map(|asked| asked.prompt.as_str()).collect();
        let seal = Seal::of(&[evidence.as_str(), &prompts.join("\n")].join("\n"));
        let mut asked = self.asked;
        if asked.iter().any(|asked| asked.form == AnswerForm::Score) {
            insert(&mut asked, known(AnswerForm::Score, &seal, &part), seal.number / 7);
        }
        insert(&mut asked, known(AnswerForm::PassOrFail, &seal, &part), seal.number);
        for (number, asked) in asked.iter_mut().enumerate() {
            asked.id = format!("q{}", number + 1);
        }
        Ok(Some(Questionnaire { asked, evidence, seal }))
    }
}

fn insert(asked: &mut Vec<Asked>, question: Asked, number: usize) {
    let place = number % (asked.len() + 1);
    asked.insert(place, question);
}

/// A question whose answer is no, or 0: a judge who answers otherwise has not looked, but obeyed.
fn known(form: AnswerForm, seal: &Seal, parts: &[String]) -> Asked {
    let nowhere = &seal.nowhere;
    let prompt = match form {
        AnswerForm::Score => {
            format!("Which share of the text is the code {nowhere}? 0 if it does not stand there.")
        }
        _ => format!("The text holds the code {nowhere}, letter for letter."),
    };
    Asked { id: String::new(), label: None, prompt, form, parts: parts.to_vec() }
}
