//! Builds one run from the spans of one trace.
//!
//! Calls come from the outputs of models, in the order in which the model calls began. Results come from the next inputs
//! of the models, or from the spans of tools. Errors and times come from the spans of tools. The tokens are the sum over
//! the model calls; the span of an agent repeats that sum.

use std::collections::HashMap;

use crate::json::Json;
use crate::reader::build::clock::millis_between;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::formats::otel::agent_span::AgentSpan;
use crate::reader::formats::otel::chat_message::{ChatMessage, ChatPart, Speaker};
use crate::reader::formats::otel::chat_messages;
use crate::reader::formats::otel::figures::{find_model, stop_reason, usage};
use crate::reader::formats::otel::langfuse;
use crate::reader::formats::otel::span::OtelSpan;
use crate::reader::formats::otel::tool::{MCP_TOOL, ToolSpan};
use crate::reader::formats::otel::tree::{self, SpanKind, Spans, Standing, agent_name};
use crate::reader::json::input::At;
use crate::trace::{Arguments, Call, CallStatus, Ended, Results, Role, Trace, says_tool_use};

/// Builds the run; `None` if no span is of an agent, its model or a tool.
pub(crate) fn of_spans(spans: Vec<OtelSpan>) -> Result<Option<Trace>, DecodeError> {
    let spans = Spans::of(spans);
    if !spans.all.iter().any(tree::is_of_an_agent) {
        return Ok(None);
    }
    let mut run = AgentRun::begin(&spans);
    run.tell_whole_conversation(&spans);
    // The spans are in the order in which they began, so the call of a model comes before the span of the tool that
    // ran it.
    for place in 0..spans.all.len() {
        let standing = spans.standing(place);
        run.pass_over_unknown(&spans.all[place]);
        if standing.repeats {
            continue;
        }
        match spans.kinds[place] {
            SpanKind::Model => run.model(&spans.all[place], &standing),
            SpanKind::Tool => run.tool(&spans.all[place], standing),
            SpanKind::Agent => {}
            SpanKind::Other => run.pass_over(&spans.all[place]),
        }
    }
    match spans.all.iter().find_map(OtelSpan::find_mistake) {
        // Attributes are parsed only when they are needed, so an error in one is known only now.
        Some(mistake) => Err(mistake),
        None => Ok(Some(run.finish(&spans))),
    }
}

/// Builds a run from messages that were kept without their spans.
pub(crate) fn of_messages(messages: impl Iterator<Item = ChatMessage>) -> Trace {
    let mut run = AgentRun::default();
    for message in messages {
        run.keep_results(&message);
        run.say(message, &[]);
    }
    run.join_results();
    run.builder.finish()
}

/// A model call whose span lacks what the model wrote.
struct SilentTurn {
    at: At,
    /// The reason why it stopped, if that was a call.
    stop: Option<String>,
    /// The number of messages before it.
    messages: usize,
}

#[derive(Default)]
struct AgentRun {
    builder: TraceBuilder,
    began: u64,
    /// The results that were sent to a model, by the id of the call, and what is said about its outcome.
    results: HashMap<String, (Option<Json>, OutcomeMarks)>,
    /// The number of messages in the last request of each agent's model.
    asked: HashMap<Option<usize>, usize>,
    /// Whether the span of the agent contained the conversation, which the spans of the models would repeat.
    told: bool,
    /// The facts in the span of the outermost agent.
    agent: AgentSpan,
    /// The cost of each model call.
    costs: Vec<Option<f64>>,
    /// The number of calls that returned the answer of the run.
    answers: usize,
    /// The number of calls before the last model call: what these returned was sent to it.
    calls_before: usize,
    /// The model calls that called a tool or wrote something, and do not contain what.
    silent_turns: Vec<SilentTurn>,
    /// Whether the last model call is one of these.
    is_last_silent: bool,
    /// Whether the last turn of the run made no call, so that the reason of its model is that of the run.
    has_replied: bool,
    /// The number of calls that are known only from the spans of tools.
    calls_of_spans: usize,
}

impl AgentRun {
    fn begin(spans: &Spans) -> Self {
        let first = spans.all.iter().map(|span| span.start).min().unwrap_or_default();
        let agent = spans.top_agent();
        let mut run = Self { began: agent.map_or(first, |agent| agent.start), ..Self::default() };
        run.builder.trace.id =
            spans.all.first().map(|span| span.trace_id.trim_start_matches("0x").to_owned());
        run.builder.trace.agent = agent.map(agent_name);
        run.agent = agent.or(spans.find_root()).map(AgentSpan::of).unwrap_or_default();
        run.ask(spans);
        run
    }

    /// Adds the question from the agent's span, if the spans of the models do not contain it.
    fn ask(&mut self, spans: &Spans) {
        let models = || (0..spans.all.len()).filter(|place| spans.kinds[*place] == SpanKind::Model);
        let is_asked = models().any(|place| !chat_messages::input(&spans.all[place]).is_empty());
        // Without a model's span there is no run to ask.
        let question = self.agent.question.as_deref().filter(|_| !is_asked && models().next().is_some());
        if let Some(question) = question {
            self.builder.say(Role::User, question);
        }
    }

    /// Reads the conversation from the agent's span, if only that span has content.
    fn tell_whole_conversation(&mut self, spans: &Spans) {
        let models = (0..spans.all.len()).filter(|place| spans.kinds[*place] == SpanKind::Model);
        let any = models.into_iter().any(|place| !chat_messages::output(&spans.all[place]).is_empty());
        // If a model's span has content, the agent's span repeats it.
        let Some(agent) = spans.top_agent().filter(|_| !any) else { return };
        let conversation = chat_messages::conversation(agent);
        self.told = conversation.iter().any(|message| message.speaker == Speaker::Model);
        for message in conversation {
            self.keep_results(&message);
            self.say(message, &[]);
        }
    }

    fn model(&mut self, span: &OtelSpan, standing: &Standing) {
        self.builder.tally.add(usage(span));
        self.costs.push(langfuse::read_cost(span));
        if self.builder.trace.model.is_none() {
            self.builder.trace.model = find_model(span).map(ToOwned::to_owned);
        }
        // Only the models of the run itself, not those of subagents, decide why the run stopped.
        if standing.path.is_empty() {
            self.builder.trace.stop_reason = span.find_error().or(stop_reason(span));
            // The outermost agent's span may but wrap the one that works.
            if self.asked.is_empty() && standing.agent.is_some() {
                self.builder.trace.agent.clone_from(&standing.agent);
            }
        }
        // The whole conversation was read from another span. This one only says that its agent has spoken.
        if self.told {
            self.asked.insert(standing.scope, 0);
            return;
        }
        let input = chat_messages::input(span);
        for message in &input {
            self.keep_results(message);
        }
        self.hear(input, standing);
        let said = chat_messages::output(span);
        if said.is_empty() || !standing.path.is_empty() {
            self.builder.begin_nested();
        } else {
            self.builder.begin(Some(Role::Assistant));
        }
        // Some writers give each call a message of its own: what one model call said is one turn.
        self.builder.enter_record(span.at);
        let made = self.count_calls();
        self.calls_before = self.builder.trace.calls.len();
        for message in said {
            self.keep_results(&message);
            self.add_parts(message.parts, &standing.path);
        }
        if standing.path.is_empty() {
            self.has_replied = self.count_calls() == made;
        }
        self.note_silent_turn(span, made);
    }

    /// Skips the attributes of a span whose values are of unknown kinds, and spans that contradict it.
    fn pass_over_unknown(&mut self, span: &OtelSpan) {
        for other in &span.contradicting {
            self.builder.note_repeated_id(other.at, &span.id);
        }
        for kind in &span.unknown {
            self.builder.enter_record(span.at);
            self.builder.pass_over(kind, &[]);
        }
    }

    /// Skips a span of an unknown kind, and reports it if it may concern a model or a tool.
    fn pass_over(&mut self, span: &OtelSpan) {
        if let Some(kind) = tree::find_unknown_kind(span) {
            self.builder.enter_record(span.at);
            self.builder.pass_over(kind, &[]);
        }
    }

    /// Notes a model call that stopped for a tool, or wrote something, and does not contain what. The span of a tool may.
    fn note_silent_turn(&mut self, span: &OtelSpan, made: usize) {
        let messages = self.builder.count_messages();
        let known = self.silent_turns.len();
        let reason = stop_reason(span).filter(|reason| says_tool_use(reason));
        if let Some(reason) = reason.filter(|_| self.count_calls() == made) {
            self.silent_turns.push(SilentTurn { at: span.at, stop: Some(reason), messages });
        } else if self.count_calls() == made && self.builder.is_empty_turn(usage(span)) {
            self.silent_turns.push(SilentTurn { at: span.at, stop: None, messages });
        }
        self.is_last_silent = self.silent_turns.len() > known;
    }

    /// Returns the number of calls of the models, including those that returned the answer.
    fn count_calls(&self) -> usize {
        self.builder.trace.calls.len() + self.answers
    }

    fn keep_results(&mut self, message: &ChatMessage) {
        for part in &message.parts {
            // The first record of a result is kept: later requests repeat it.
            if let ChatPart::Result { id: Some(id), value, marks } = part
                && !self.results.contains_key(id)
            {
                self.results.insert(id.clone(), (value.clone(), marks.clone()));
            }
        }
    }

    /// Adds the messages that the model of the run was sent for the first time. The history in a first request belongs to
    /// another run, and an agent that takes over is sent messages that were read already.
    fn hear(&mut self, input: Vec<ChatMessage>, standing: &Standing) {
        let count = input.len();
        let takes_over = !self.asked.is_empty();
        let asked = self.asked.insert(standing.scope, count);
        if !standing.path.is_empty() || (asked.is_none() && takes_over) {
            return;
        }
        // New user messages come after the model's last reply in this request, and after everything in the previous
        // one. The system prompt is taken from the first request only.
        let last =
            input.iter().rposition(|message| message.speaker == Speaker::Model).map_or(0, |place| place + 1);
        for (place, message) in input.into_iter().enumerate() {
            let new = place >= last && place >= asked.unwrap_or_default();
            match message.speaker {
                Speaker::System if asked.is_none() => self.say(message, &[]),
                Speaker::User if new => self.say(message, &[]),
                _ => {}
            }
        }
    }

    fn say(&mut self, message: ChatMessage, path: &[String]) {
        match message.speaker {
            Speaker::Model if !path.is_empty() => self.builder.begin_nested(),
            Speaker::Model => self.builder.begin(Some(Role::Assistant)),
            Speaker::System => self.builder.begin(Some(Role::System)),
            Speaker::User => self.builder.begin(Some(Role::User)),
            Speaker::Tool => self.builder.begin(None),
        }
        self.add_parts(message.parts, path);
    }

    fn add_parts(&mut self, parts: Vec<ChatPart>, path: &[String]) {
        for part in parts {
            match part {
                ChatPart::Text(text) => {
                    let task = self.agent.find_task(&text);
                    self.builder.text(task.unwrap_or(&text));
                }
                // The call of such a tool is the way in which the framework returns the answer.
                ChatPart::Call { name, arguments, .. } if self.agent.is_answer_tool(&name) => {
                    self.answers += 1;
                    if let Some(answer) = self.agent.read_answer(&arguments) {
                        self.builder.text(&answer);
                    }
                }
                ChatPart::Call { id, name, arguments } => {
                    self.builder.call(Call {
                        id,
                        agent_path: path.to_vec(),
                        ..Call::new(name, arguments, 0)
                    });
                }
                ChatPart::Result { .. } => {}
                ChatPart::Unread(kind) => self.builder.pass_over(&kind, &[]),
            }
        }
        self.builder.end();
    }

    /// Reads the span of a tool, which belongs to a call of a model, or is the only record of a call.
    fn tool(&mut self, span: &OtelSpan, standing: Standing) {
        let tool = ToolSpan::of(span);
        if self.agent.is_answer_tool(&tool.name) {
            return;
        }
        self.has_replied = false;
        let tool = self.find_host_name(span, tool);
        let id = tool.id.as_deref().filter(|id| self.builder.knows(id));
        // No call waits for this span: the model's span has no content, or a library without a model ran the tool. The
        // call is then built from the span, and the second look-up below finds it.
        if self.builder.waiting(id, Some(&tool.name)).is_none() {
            if self.asked.is_empty() {
                self.builder.next_turn();
            }
            self.calls_of_spans += 1;
            let call = Call::new(tool.name.clone(), tool.arguments.clone(), 0);
            self.builder.call(Call { id: tool.id.clone(), agent_path: standing.path, ..call });
        }
        let id = tool.id.as_deref().filter(|id| self.builder.knows(id));
        let began = self.began;
        let Some(call) = self.builder.waiting(id, Some(&tool.name)) else { return };
        call.started_ms = Some(millis_between(began, span.start));
        call.duration_ms = span.end.map(|end| millis_between(span.start, end));
        let said = tool.result.as_ref().filter(|_| tool.marks.has_failed()).and_then(Json::as_str);
        let mut marks = span.marks.clone();
        marks.note_failure(span.failed);
        marks.absorb(tool.marks);
        // A span ends when its tool does: the call was answered, whether the result was recorded or not. Without any content,
        // nobody knows whether the tool reported a failure.
        let is_captured = tool.result.is_some() || tool.arguments != Arguments::Unrecorded;
        marks.settle(call, if is_captured { Unmarked::Worked } else { Unmarked::Unrecorded });
        call.error = span.failure.clone().or_else(|| said.map(ToOwned::to_owned));
        call.result = tool.result;
        if call.arguments == Arguments::Unrecorded {
            call.arguments = tool.arguments;
        }
        let place = call.index - 1;
        tool.id.into_iter().for_each(|id| self.builder.tell_id(place, id));
    }

    /// Gives the tool in a span of MCP the name under which its call waits.
    fn find_host_name(&self, span: &OtelSpan, tool: ToolSpan) -> ToolSpan {
        let mut calls = self.builder.trace.calls.iter();
        let waiting = calls.find(|call| {
            call.status == CallStatus::Unanswered && call.written_name().ends_with(tool.name.as_str())
        });
        match waiting.filter(|_| span.text(&[MCP_TOOL]).is_some()) {
            Some(call) => ToolSpan { name: call.written_name().to_owned(), ..tool },
            None => tool,
        }
    }

    /// Adds the results that were sent to models to their calls.
    fn join_results(&mut self) {
        for call in &mut self.builder.trace.calls {
            let Some((value, marks)) = call.id.as_ref().and_then(|id| self.results.remove(id)) else {
                continue;
            };
            // A result that was sent to a model mostly does not say whether the tool succeeded. Where the span of the tool
            // says it, only a mark of failure adds to it.
            let is_decided = match call.status {
                CallStatus::Unanswered => false,
                CallStatus::Error => true,
                CallStatus::Ok | CallStatus::Unknown => marks.has_only_success(),
            };
            if !is_decided {
                marks.settle(call, Unmarked::Unrecorded);
            }
            if marks.has_failed() {
                let said = value.as_ref().and_then(Json::as_str);
                call.error = call.error.take().or_else(|| said.map(ToOwned::to_owned));
            }
            call.result = value.or(call.result.take());
        }
    }

    fn finish(mut self, spans: &Spans) -> Trace {
        self.join_results();
        // A call that is known only from a tool's span explains one such turn. The others are unread. Where the spans of
        // tools tell the calls, or the agent's span the answer, a last turn without content is the answer.
        if (self.calls_of_spans > 0 || self.agent.answer.is_some()) && self.is_last_silent {
            self.silent_turns.pop_if(|turn| turn.stop.is_none());
        }
        for SilentTurn { at, stop, messages } in self.silent_turns.drain(..).skip(self.calls_of_spans) {
            self.builder.note_silent_turn(at, stop, messages);
        }
        let agent = spans.top_agent();
        self.builder.trace.usage = agent.and_then(usage);
        // One model call without a cost makes the sum unknown, not smaller.
        let costs: Option<Vec<f64>> = self.costs.drain(..).collect();
        self.builder.trace.cost_usd = costs.filter(|costs| !costs.is_empty()).map(|costs| costs.iter().sum());
        let last = spans.all.iter().filter_map(|span| span.end).max();
        // The agent's own span ends when the run does. Other spans, such as exporters, may end later.
        let end = agent.map_or(last, |agent| agent.end);
        self.builder.trace.duration_ms = end.map(|end| millis_between(self.began, end));
        // A run without an agent may have a chain or a span of the program around its models.
        if let Some(error) = agent.or(spans.find_outermost()).and_then(OtelSpan::find_error) {
            self.builder.trace.stop_reason = Some(error);
        }
        // A reply whose text was not captured is a reply nevertheless.
        let stop_reason = self.builder.trace.stop_reason.as_deref();
        let stopped = stop_reason.map_or(Ended::Unknown, Ended::from_stop_reason);
        if self.has_replied && stopped == Ended::Well && !stop_reason.is_some_and(says_tool_use) {
            self.builder.trace.ended = Ended::Well;
        }
        // A model goes on with the results of its calls. Some libraries record neither these nor the spans of tools.
        let calls = &self.builder.trace.calls;
        if self.calls_before > 0 && calls.iter().all(|call| call.status == CallStatus::Unanswered) {
            self.builder.trace.results = Results::NotRecorded;
        }
        let mut trace = self.builder.finish();
        let AgentSpan { answer, decides, .. } = self.agent;
        // Some libraries record the final answer in the span of the agent, because it is not the last text of its
        // model.
        trace.answer = if decides { answer.or(trace.answer) } else { trace.answer.or(answer) };
        trace
    }
}
