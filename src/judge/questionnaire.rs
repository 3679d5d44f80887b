//! All questions of a case about one run, as one request.

use super::evidence::{EvidenceDocument, list_parts};
use super::fence::EvidenceFence;
use super::{JudgeError, JudgeRequest, prompt};
use crate::case::{Case, Expectation};
use crate::evidence::{AnswerForm, Evidence, Question, turn_label};
use crate::pattern::without_secrets;
use crate::trace::Trace;

/// One question of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedQuestion {
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
    asked: Vec<AskedQuestion>,
    evidence: String,
    seal: EvidenceFence,
}

impl Questionnaire {
    /// What `case` asks about the run and does not answer itself; `None` where that is nothing. A run or turn without
    /// an answer has nothing that could be judged.
    pub fn for_case(case: &Case, evidence: &Evidence<'_>) -> Result<Option<Self>, JudgeError> {
        let mut draft = QuestionnaireBuilder::default();
        for expectation in &case.expectations {
            for question in expectation.check().questions() {
                draft.add_question(case, expectation, question, evidence)?;
            }
        }
        draft.finish()
    }

    /// One question about one answer, outside of any case.
    pub(super) fn for_answer(
        trace: &Trace,
        input: Option<&str>,
        question: Question,
    ) -> Result<Option<Self>, JudgeError> {
        let mut draft = QuestionnaireBuilder::default();
        draft.add_exhibit(RUN_PART, question.label.clone(), question, trace, input)?;
        draft.finish()
    }

    /// The questions, and among them one or two whose answers are known.
    pub fn asked(&self) -> &[AskedQuestion] {
        &self.asked
    }

    /// What stands between the two lines that enclose the evidence.
    pub fn evidence(&self) -> &str {
        &self.evidence
    }

    /// What an answer must repeat.
    pub fn nonce(&self) -> &str {
        &self.seal.nonce
    }

    /// The request of one vote, from 1.
    pub fn build_request(&self, vote: u32) -> JudgeRequest {
        JudgeRequest {
            system: prompt::render_system(&self.seal),
            user: prompt::render_user(&self.seal, &self.evidence, &self.asked),
            schema: prompt::build_schema(&self.seal, &self.asked),
            vote,
        }
    }

    /// The request once more, with why the first answer could not be read.
    pub fn build_second_request(&self, vote: u32, problem: &str) -> JudgeRequest {
        let first = self.build_request(vote);
        JudgeRequest { user: first.user + &prompt::render_retry(problem), ..first }
    }
}

/// The name of the whole run among the evidence.
const RUN_PART: &str = "run";

/// A request that is being put together.
#[derive(Default)]
struct QuestionnaireBuilder {
    asked: Vec<AskedQuestion>,
    exhibits: EvidenceDocument,
}

impl QuestionnaireBuilder {
    fn add_question(
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
        if given.get(&label).or(given.get(&question.label)).is_some() || self.has_label(&label) {
            return Ok(());
        }
        let Some(turn) = expectation.turn else {
            let (trace, input) = (&evidence.trace, evidence.input.as_deref());
            return self.add_exhibit(RUN_PART, label, question, trace, input);
        };
        let Some(trace) = evidence.trace.turn_of_user(turn) else { return Ok(()) };
        self.add_exhibit(&format!("turn_{turn}"), label, question, &trace, None)
    }

    fn has_label(&self, label: &str) -> bool {
        self.asked.iter().any(|asked| asked.label.as_deref() == Some(label))
    }

    fn add_exhibit(
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
        self.exhibits.add_run(name, trace, input, context)?;
        let (parts, prompt) = (list_parts(name, context), without_secrets(prompt));
        self.asked.push(AskedQuestion { id: String::new(), label: Some(label), prompt, form, parts });
        Ok(())
    }

    /// Adds the questions whose answers are known, at places that nobody can foresee.
    fn finish(self) -> Result<Option<Questionnaire>, JudgeError> {
        let Some(part) = self.asked.first().map(|asked| asked.parts[..1].to_vec()) else { return Ok(None) };
        let evidence = self.exhibits.render_line()?;
        let prompts: Vec<&str> = self.asked.iter().map(|asked| asked.prompt.as_str()).collect();
        let seal = EvidenceFence::for_text(&[evidence.as_str(), &prompts.join("\n")].join("\n"));
        let mut asked = self.asked;
        if asked.iter().any(|asked| asked.form == AnswerForm::Score) {
            insert_control(&mut asked, build_control(AnswerForm::Score, &seal, &part), seal.shuffle / 7);
        }
        insert_control(&mut asked, build_control(AnswerForm::PassOrFail, &seal, &part), seal.shuffle);
        for (number, asked) in asked.iter_mut().enumerate() {
            asked.id = format!("q{}", number + 1);
        }
        Ok(Some(Questionnaire { asked, evidence, seal }))
    }
}

fn insert_control(asked: &mut Vec<AskedQuestion>, question: AskedQuestion, number: usize) {
    let place = number % (asked.len() + 1);
    asked.insert(place, question);
}

/// A question whose answer is no, or 0: a judge who answers otherwise has not looked, but obeyed.
fn build_control(form: AnswerForm, seal: &EvidenceFence, parts: &[String]) -> AskedQuestion {
    let nowhere = &seal.canary;
    let prompt = match form {
        AnswerForm::Score => {
            format!("Which share of the text is the code {nowhere}? 0 if it does not stand there.")
        }
        _ => format!("The text holds the code {nowhere}, letter for letter."),
    };
    AskedQuestion { id: String::new(), label: None, prompt, form, parts: parts.to_vec() }
}
