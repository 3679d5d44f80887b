//! The return types of agents in the test target: a trace, or messages in a format with a reader.

use serde::Serialize;

use super::AgentProblem;
use crate::json::{self, Json};
use crate::reader::{self, ReaderSet};
use crate::trace::{CallsUnrecorded, Ended, Message, Role, Trace};

/// A value that can be converted to one run of an agent.
pub trait IntoTrace {
    /// Converts the value to a run. The error says why it cannot be read.
    fn into_trace(self) -> Result<Trace, AgentProblem>;

    /// Returns the messages as they are, for [`AgentInput::conversation`](super::AgentInput::conversation) of the next turn.
    fn to_messages(&self) -> Option<Json> {
        None
    }
}

impl IntoTrace for Trace {
    fn into_trace(mut self) -> Result<Trace, AgentProblem> {
        self.settle_answer();
        Ok(self)
    }
}

impl IntoTrace for Json {
    fn into_trace(self) -> Result<Trace, AgentProblem> {
        read_single_run(&self.to_string(), None, &ReaderSet::default())
    }

    fn to_messages(&self) -> Option<Json> {
        Some(self.clone())
    }
}

/// The messages of an agent framework, or a whole response of one: anything that serializes to a format with a reader.
///
/// They are all messages of the run, those with calls included: a list without any call is a run without calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Messages<T>(pub T);

impl<T: Serialize> IntoTrace for Messages<T> {
    fn into_trace(self) -> Result<Trace, AgentProblem> {
        let text = json::to_string(&self.0);
        let text = text.map_err(|error| AgentProblem::Nonsense(error.to_string()))?;
        let mut run = read_single_run(&text, None, &ReaderSet::default())?;
        run.calls_unrecorded.take_if(|reason| matches!(reason, CallsUnrecorded::NotShown { .. }));
        Ok(run)
    }

    fn to_messages(&self) -> Option<Json> {
        json::to_json(&self.0).ok()
    }
}

/// Reads the one run in `text` by the readers of its case.
pub(super) fn read_single_run(
    text: &str,
    format: Option<&str>,
    readers: &ReaderSet,
) -> Result<Trace, AgentProblem> {
    let recording = reader::read_with(readers, text, format).map_err(|error| {
        let help = error.help.as_ref().map_or_else(String::new, |help| format!("\n{help}"));
        AgentProblem::Nonsense(format!("{error}{help}"))
    })?;
    let count = recording.runs.len();
    match <[Trace; 1]>::try_from(recording.runs) {
        Ok([run]) => reject_failed_run(run),
        Err(_) => Err(AgentProblem::SeveralRuns(count)),
    }
}

/// Returns an error for a run that its own format marks as failed: the steps that it did not make any more prove nothing, and
/// it must not replace a good recording.
fn reject_failed_run(run: Trace) -> Result<Trace, AgentProblem> {
    match run.ended {
        Ended::Failed(reason) => Err(AgentProblem::Failed(reason.into())),
        _ => Ok(run),
    }
}

/// Creates a run with only a known answer. Its calls are marked as unrecorded, so that no check takes them for none.
pub(super) fn answer_only_trace(query: String, answer: String) -> Trace {
    let reply = Message::new(Role::Assistant, answer.clone(), 0);
    let question = (!query.is_empty()).then(|| Message::new(Role::User, query.clone(), 0));
    Trace {
        input: question.is_some().then_some(query),
        messages: question.into_iter().chain([reply]).collect(),
        calls_unrecorded: Some(CallsUnrecorded::ByFormat),
        answer: Some(answer),
        ..Trace::default()
    }
}
