//! Scripted turns: the agent is asked one text of the user after the other, and its answers are joined to one run.

use std::sync::Arc;

use tokio::time::timeout;

use super::command::CommandResult;
use super::turn_process::TurnProcess;
use super::{Agent, AgentEnvironment, AgentInput, AgentProblem, AgentTask, http};
use crate::case::{Case, StopWhen};
use crate::json::{self, Json, json};
use crate::reader::to_native;
use crate::trace::{CallsUnrecorded, Message, Role, Trace, Usage};

/// Asks the agent turn by turn, within its limit.
pub(super) async fn hold_conversation(
    task: &AgentTask,
    input: &AgentInput,
    environment: &AgentEnvironment,
) -> CommandResult {
    let limit = task.find_limit();
    let mut turns = Conversation { input, trace: None, returned: Vec::new() };
    let (ended, stderr) = if let Agent::Command(line) = &task.agent {
        let mut process = match TurnProcess::start(line, input, environment) {
            Ok(process) => process,
            Err(problem) => return (Err(problem), String::new()),
        };
        // The process outlives the timeout, because its standard error may explain it.
        let ended = timeout(limit, turns.ask_process(&mut process, task)).await;
        (ended, process.into_stderr().await)
    } else {
        (timeout(limit, turns.ask_each(task, environment)).await, String::new())
    };
    let answer = ended.unwrap_or(Err(AgentProblem::OutOfTime(limit)));
    (answer.and_then(|()| turns.trace.ok_or(AgentProblem::NoTrace)), stderr)
}

/// The turns so far.
struct Conversation<'i> {
    input: &'i AgentInput,
    trace: Option<Trace>,
    /// The agent's reply to each turn.
    returned: Vec<Json>,
}

impl Conversation<'_> {
    /// Returns the input of the next turn. `None` after the last turn, or if the last answer ends the conversation.
    fn next_input(&self) -> Option<AgentInput> {
        let text = self.input.script.texts.get(self.returned.len())?;
        let answer = self.trace.as_ref().and_then(|trace| trace.answer.as_deref()).unwrap_or_default();
        if self.input.script.stop_when.as_ref().is_some_and(|stop| stop.holds(answer))
            // The rule is about answers. Before the first one, there is nothing that it could hold for.
            && !self.returned.is_empty()
        {
            return None;
        }
        let mut input = AgentInput {
            query: text.clone(),
            turn: u32::try_from(self.returned.len() + 1).ok(),
            conversation: self.returned.clone(),
            said: self.trace.as_ref().map(list_said).unwrap_or_default(),
            ..self.input.clone()
        };
        match &mut input.input {
            Json::Object(entries) => drop(entries.insert("query".to_owned(), text.as_str().into())),
            other => *other = text.as_str().into(),
        }
        Some(input)
    }

    async fn ask_each(
        &mut self,
        task: &AgentTask,
        environment: &AgentEnvironment,
    ) -> Result<(), AgentProblem> {
        while let Some(input) = self.next_input() {
            let text = input.query.clone();
            let (answer, returned) = match &task.agent {
                Agent::InProcess(agent) => agent.ask_closure(input, task.find_limit()).await?,
                Agent::Http(call) => (http::ask_server(call, task, &input, environment).await?, None),
                // Commands are asked elsewhere, over one process for all turns.
                Agent::Command(_) | Agent::Acp(_) => return Ok(()),
            };
            self.add_answer(&text, answer, returned);
        }
        Ok(())
    }

    async fn ask_process(&mut self, process: &mut TurnProcess, task: &AgentTask) -> Result<(), AgentProblem> {
        while let Some(input) = self.next_input() {
            let answer = process.ask_turn(&input, &task.readers).await?;
            self.add_answer(&input.query, answer, None);
        }
        process.end().await
    }

    /// Adds the answer to `text`. An answer that contains the texts of all turns so far is the whole conversation; any other
    /// is the last turn of it.
    fn add_answer(&mut self, text: &str, mut answer: Trace, returned: Option<Json>) {
        let returned = returned.unwrap_or_else(|| json::from_str(&to_native(&answer)).unwrap_or_default());
        self.returned.push(returned);
        let asked = &self.input.script.texts[..self.returned.len()];
        // The first answer is always the whole conversation so far.
        let is_whole = asked.len() == 1 || contains_texts(&answer, asked);
        let speaks = answer.messages.iter().any(|message| message.role == Role::User);
        // An answer that does not repeat the question gets it, so that each turn begins with the words of the user.
        if !speaks {
            let said = Message::new(Role::User, text, 0);
            answer.messages.insert(0, said);
            answer.input.get_or_insert_with(|| text.to_owned());
        }
        self.trace = Some(match self.trace.take().filter(|_| !is_whole) {
            Some(before) => join_turn(before, answer),
            None => answer,
        });
    }
}

/// Whether the user says these texts in this order.
fn contains_texts(trace: &Trace, texts: &[String]) -> bool {
    let mut said = trace.messages.iter().filter(|message| message.role == Role::User);
    texts.iter().all(|text| said.any(|message| message.text.contains(text.trim())))
}

/// Lists the texts so far, as messages that most servers read.
fn list_said(trace: &Trace) -> Vec<Json> {
    let mut said: Vec<Json> =
        trace.messages.iter().map(|message| json!({"role": message.role, "content": message.text})).collect();
    said.extend(unsaid_answer(trace).map(|answer| json!({"role": Role::Assistant, "content": answer})));
    said
}

/// The answer, if no message has it.
fn unsaid_answer(trace: &Trace) -> Option<&String> {
    let last = trace.messages.last();
    trace.answer.as_ref().filter(|_| last.is_none_or(|message| message.role != Role::Assistant))
}

/// Appends a turn to the turns before it.
fn join_turn(mut before: Trace, turn: Trace) -> Trace {
    // The answer of a run is its last one, so that of an earlier turn has to stand among the messages.
    if let Some(answer) = unsaid_answer(&before).cloned() {
        before.push_message(Role::Assistant, answer);
        if let Some(message) = before.messages.last_mut() {
            message.reasoning = before.answer_reasoning.take();
        }
    }
    let spoken = before.messages.len();
    let calls = before.calls.len();
    let rounds = before.calls.iter().map(|call| call.turn).max().unwrap_or_default();
    let messages = turn.messages.into_iter();
    before.messages.extend(messages.map(|said| Message { after_calls: said.after_calls + calls, ..said }));
    // Turns of the model are counted through the whole run, and each answer counts from 1.
    for mut call in turn.calls {
        call.turn += rounds;
        before.push_call(call);
    }
    before.push_unread(turn.unread.into_iter().map(|mut part| {
        part.after_messages = part.after_messages.map(|messages| messages + spoken);
        part
    }));
    Trace {
        // The run's model is the one that answered last. What one turn does not record, the whole run does not
        // record.
        model: turn.model.or(before.model),
        // A turn with a call shows that the writer of all turns records calls.
        calls_unrecorded: before
            .calls_unrecorded
            .or(turn.calls_unrecorded)
            .filter(|reason| !matches!(reason, CallsUnrecorded::NotShown { .. } if !before.calls.is_empty())),
        answer: turn.answer,
        answer_reasoning: turn.answer_reasoning,
        usage: join_some(before.usage, turn.usage, add_usage),
        cost_usd: join_some(before.cost_usd, turn.cost_usd, |one, other| one + other),
        duration_ms: join_some(before.duration_ms, turn.duration_ms, |one, other| one + other),
        stop_reason: turn.stop_reason,
        ended: turn.ended,
        ..before
    }
}

fn join_some<T>(one: Option<T>, other: Option<T>, join: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(join(one, other)),
        // A figure of some turns is not the figure of the run.
        _ => None,
    }
}

fn add_usage(one: Usage, other: Usage) -> Usage {
    Usage {
        input_tokens: one.input_tokens + other.input_tokens,
        cached_tokens: join_some(one.cached_tokens, other.cached_tokens, |one, other| one + other),
        output_tokens: one.output_tokens + other.output_tokens,
        reasoning_tokens: join_some(one.reasoning_tokens, other.reasoning_tokens, |one, other| one + other),
        partial: one.partial || other.partial,
    }
}

impl Script {
    /// Returns the turns of `case`.
    pub(super) fn of_case(case: &Case) -> Self {
        let texts = case.turns.iter().map(|turn| turn.text.clone()).collect();
        Self { texts, stop_when: case.stop_when.clone() }
    }
}

/// The turns of a case, which its file writes down.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script {
    /// The texts of the user. Without any, the agent is asked once.
    pub(super) texts: Arc<[String]>,
    /// The answer that ends the conversation.
    pub(super) stop_when: Option<StopWhen>,
}
