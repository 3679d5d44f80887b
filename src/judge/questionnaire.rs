//! All questions of a case about one run, as one request.

use super::evidence::{EvidenceDocument, list_parts};
use super::fence::EvidenceFence;
use super::{JudgeError, JudgeRequest, prompt};
use crate::case::{Case, Expectation};
use crate::evidence::{AnswerForm, Evidence, Question, turn_label};
use crate::pattern::mask_secrets;
use crate::trace::Trace;

/// One question of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedQuestion {
    /// The id of the question in the request.
    pub id: String,
    /// The label of the opinion. `None` for a control question with a known answer, which shows whether the judge does
    /// its work.
    pub label: Option<String>,
    /// The text of the question.
    pub prompt: String,
    /// The form of the answer.
    pub form: AnswerForm,
    /// The parts of the evidence that the question is about.
    pub parts: Vec<String>,
}

/// The questions of one request and their evidence.
#[derive(Debug, Clone)]
pub struct Questionnaire {
    asked: Vec<AskedQuestion>,
    evidence: String,
    fence: EvidenceFence,
}

impl Questionnaire {
    /// Collects the questions of `case` about the run that the case does not answer itself. `None` without questions. A
    /// run or turn without an answer cannot be judged.
    pub fn for_case(case: &Case, evidence: &Evidence<'_>) -> Result<Option<Self>, JudgeError> {
        let mut draft = QuestionnaireBuilder::default();
        for expectation in &case.expectations {
            for question in expectation.check().questions() {
                draft.add_question(case, expectation, question, evidence)?;
            }
        }
        draft.finish()
    }

    /// Asks one question about one answer, outside of any case.
    pub(super) fn for_answer(
        trace: &Trace,
        input: Option<&str>,
        question: Question,
    ) -> Result<Option<Self>, JudgeError> {
        let mut draft = QuestionnaireBuilder::default();
        draft.add_exhibit(RUN_PART, question.label.clone(), question, trace, input)?;
        draft.finish()
    }

    /// Returns the questions, including one or two control questions.
    pub fn asked(&self) -> &[AskedQuestion] {
        &self.asked
    }

    /// Returns the evidence between the two fence lines.
    pub fn evidence(&self) -> &str {
        &self.evidence
    }

    /// Returns the nonce that a reply must repeat.
    pub fn nonce(&self) -> &str {
        &self.fence.nonce
    }

    /// Builds the request for one vote, from 1.
    pub fn build_request(&self, vote: u32) -> JudgeRequest {
        JudgeRequest {
            system: prompt::render_system(&self.fence),
            user: prompt::render_user(&self.fence, &self.evidence, &self.asked),
            schema: prompt::build_schema(&self.fence, &self.asked),
            vote,
        }
    }

    /// Builds the request again, with the reason why the first reply could not be parsed.
    pub fn build_second_request(&self, vote: u32, problem: &str) -> JudgeRequest {
        let first = self.build_request(vote);
        JudgeRequest { user: first.user + &prompt::render_retry(problem), ..first }
    }
}

/// The name of the whole run in the evidence.
const RUN_PART: &str = "run";

/// Collects questions and evidence.
#[derive(Default)]
struct QuestionnaireBuilder {
    asked: Vec<AskedQuestion>,
    exhibits: EvidenceDocument,
}

impl QuestionnaireBuilder {
    /// Adds a question, unless the case gives the opinion, another check asks the same, or the turn does not exist.
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
        // An opinion without a turn is about each turn.
        let is_asked = self.asked.iter().any(|asked| asked.label.as_ref() == Some(&label));
        if is_asked || given.get(&label).or(given.get(&question.label)).is_some() {
            return Ok(());
        }
        let Some(turn) = expectation.turn else {
            let trace = &evidence.trace;
            let input = evidence.input.as_deref();
            return self.add_exhibit(RUN_PART, label, question, trace, input);
        };
        // A turn that the run does not have is the check's own finding.
        let Some(trace) = evidence.trace.turn_of_user(turn) else { return Ok(()) };
        self.add_exhibit(&format!("turn_{turn}"), label, question, &trace, None)
    }

    fn add_exhibit(
        &mut self,
        name: &str,
        label: String,
        question: Question,
        trace: &Trace,
        input: Option<&str>,
    ) -> Result<(), JudgeError> {
        // There is nothing to judge without an answer, or without all of it, and the check says so itself.
        if trace.answer.is_none() || trace.answer_doubt().is_some() {
            return Ok(());
        }
        let Question { prompt, answer: form, context, .. } = question;
        self.exhibits.add_run(name, trace, input, context)?;
        let parts = list_parts(name, context);
        let prompt = mask_secrets(prompt);
        self.asked.push(AskedQuestion { id: String::new(), label: Some(label), prompt, form, parts });
        Ok(())
    }

    /// Adds the control questions, at positions that the author of the evidence cannot predict.
    fn finish(self) -> Result<Option<Questionnaire>, JudgeError> {
        let Some(part) = self.asked.first().map(|asked| asked.parts[..1].to_vec()) else { return Ok(None) };
        let evidence = self.exhibits.render_line()?;
        let prompts: Vec<&str> = self.asked.iter().map(|asked| asked.prompt.as_str()).collect();
        // The codes of the fence occur in none of the texts that it encloses.
        let fence = EvidenceFence::for_text(&[evidence.as_str(), &prompts.join("\n")].join("\n"));
        let mut asked = self.asked;
        // A control question must not stand out, so a score is asked for only if a real question asks for one. The two
        // positions come from different digits of the same number.
        if asked.iter().any(|asked| asked.form == AnswerForm::Score) {
            insert_control(&mut asked, build_control(AnswerForm::Score, &fence, &part), fence.shuffle / 7);
        }
        insert_control(&mut asked, build_control(AnswerForm::PassOrFail, &fence, &part), fence.shuffle);
        for (number, asked) in asked.iter_mut().enumerate() {
            asked.id = format!("q{}", number + 1);
        }
        Ok(Some(Questionnaire { asked, evidence, fence }))
    }
}

fn insert_control(asked: &mut Vec<AskedQuestion>, question: AskedQuestion, number: usize) {
    let place = number % (asked.len() + 1);
    asked.insert(place, question);
}

/// Builds a control question about a code that the evidence does not contain: its answer is no, or 0. A judge who
/// answers otherwise followed the evidence instead of reading it.
fn build_control(form: AnswerForm, fence: &EvidenceFence, parts: &[String]) -> AskedQuestion {
    let canary = &fence.canary;
    // The texts of requests are part of the key of a cassette: a changed word makes all recordings stale.
    let prompt = match form {
        AnswerForm::Score => {
            format!("Which share of the text is the code {canary}? 0 if it does not stand there.")
        }
        _ => format!("The text holds the code {canary}, letter for letter."),
    };
    AskedQuestion { id: String::new(), label: None, prompt, form, parts: parts.to_vec() }
}
