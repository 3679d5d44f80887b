//! Builds the runs of a document from the events of their steps.

use std::collections::HashMap;

use super::asked::{AskedTurn, order_calls};
use super::declaration::{CallRule, DeclarationFields, ResultRule};
use super::document::DeclaredDocument;
use super::figures::FigureReader;
use super::moment::order_steps;
use super::pointer::address_of;
use super::selections::{SelectedAs, Selections};
use super::selector::PathSelector;
use super::step::{StepEvent, StepEventKind, read_events};
use super::text::{join_values, read_message, text_of};
use crate::json::{Json, JsonMap, JsonNode, JsonNumber};
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::trace::{Arguments, Call, CallsUnrecorded, Ended, Role, Trace, UnreadContent, says_tool_use};

/// A value that a path selected as a call or a result, but that is neither.
pub(super) struct LostNode {
    pub(super) address: usize,
    pub(super) content: UnreadContent,
}

/// A run that was read, and the values in it that are no calls and no results although they were selected as such.
pub(super) struct ReadRun<'v> {
    pub(super) node: &'v JsonNode<'v>,
    pub(super) trace: Trace,
    pub(super) lost: Vec<LostNode>,
}

/// Where a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResultPlace {
    /// In a step, where each result answers a call.
    InStep,
    /// Inside its call, where it may be absent.
    InCall,
}

/// A run while it is read.
pub(super) struct RunReader<'d, 'v, 's> {
    fields: &'d DeclarationFields,
    document: &'v DeclaredDocument<'v>,
    selections: &'s mut Selections,
    builder: TraceBuilder,
    lost: Vec<LostNode>,
    /// What the model asked for, turn by turn.
    asked: Vec<AskedTurn<'v>>,
    /// What the steps of the current turn share, if the declaration says so.
    turn: Option<&'v JsonNode<'v>>,
    /// Whether the last step of the model may go on with the next step: no user spoke since.
    is_open: bool,
}

impl<'d, 'v, 's> RunReader<'d, 'v, 's> {
    pub(super) fn new(
        fields: &'d DeclarationFields,
        document: &'v DeclaredDocument<'v>,
        selections: &'s mut Selections,
    ) -> Self {
        let builder = TraceBuilder::default();
        let lost = Vec::new();
        let asked = Vec::new();
        Self { fields, document, selections, builder, lost, asked, turn: None, is_open: false }
    }

    pub(super) fn read(mut self, run: &'v JsonNode<'v>) -> Result<ReadRun<'v>, DecodeError> {
        let steps = match &self.fields.steps {
            Some(steps) => self.selections.select_nodes(steps, run, SelectedAs::Step),
            None => Vec::new(),
        };
        let steps = self.leave_out_copies(steps);
        let steps = self.order_steps(steps)?;
        // A run without any event has been read by paths that fit another version of the format. An empty trace would
        // let most checks pass, so it is an error.
        let mut events = 0;
        for step in &steps {
            events += self.read_step(step);
        }
        self.read_figures(run, &steps)?;
        self.read_stop(run);
        // A declaration without calls cannot say that none was made.
        if self.fields.call.is_empty() {
            self.builder.trace.calls_unrecorded = Some(CallsUnrecorded::ByFormat);
        }
        if events == 0 && self.builder.trace.answer.is_none() {
            let problem = "no path of the declaration selects a text, a call or a result";
            return Err(self.document.blame_node(run, DecodeError::new(problem)));
        }
        Ok(self.finish(run))
    }

    /// Leaves out each step with the id of an earlier one. One that differs from it is reported as not read.
    fn leave_out_copies(&mut self, steps: Vec<&'v JsonNode<'v>>) -> Vec<&'v JsonNode<'v>> {
        let Some(step_id) = &self.fields.step_id else { return steps };
        let mut first_of_id: HashMap<String, &JsonNode> = HashMap::new();
        let mut kept = Vec::with_capacity(steps.len());
        for step in steps {
            let id = self.selections.select(step_id, step, SelectedAs::Whole);
            let id = id.first().map(|id| text_of(id).into_owned());
            let first = id.as_ref().map(|id| *first_of_id.entry(id.clone()).or_insert(step));
            match (id, first) {
                (Some(id), Some(first)) if address_of(first) != address_of(step) => {
                    self.selections.note(step, SelectedAs::Whole);
                    if first != step {
                        self.lose(step, UnreadContent::RepeatedId(id));
                    }
                }
                _ => kept.push(step),
            }
        }
        kept
    }

    fn order_steps(&mut self, steps: Vec<&'v JsonNode<'v>>) -> Result<Vec<&'v JsonNode<'v>>, DecodeError> {
        let Some(order) = &self.fields.order else { return Ok(steps) };
        let timed = steps.into_iter().map(|step| {
            let time = self.selections.select(order, step, SelectedAs::Whole).first().copied();
            (time, step)
        });
        order_steps(timed).map_err(|(time, error)| self.document.blame_node(time, error))
    }

    /// Reads a step, and returns how many events it has.
    fn read_step(&mut self, step: &'v JsonNode<'v>) -> usize {
        if let Some(rule) = &self.fields.asked {
            let first = self.builder.trace.calls.len();
            let asked = AskedTurn::read(rule, step, self.selections, first);
            // Two libraries may record one reply of the model, one inside of the other.
            self.asked
                .extend(asked.filter(|asked| self.asked.last().is_none_or(|last| !asked.repeats(last))));
        }
        let events = read_events(self.fields, step, self.selections);
        let turn = self.selections.select_with(self.fields.turn.as_ref(), step).first().copied();
        // The speaker is `None` at the start of a step, which makes the first text or call begin a message. A step
        // that continues the turn before it starts with the model as the speaker, so its calls join the open message.
        let mut speaker = if self.goes_on(step, turn) { Some(Role::Assistant) } else { None };
        for event in &events {
            self.add_event(event, &mut speaker);
        }
        self.check_stop(step, &events);
        // Only a message can be continued by the next step. A step of results leaves the open one as it is.
        if speaker.is_some() {
            self.is_open = speaker == Some(Role::Assistant);
            self.turn = turn;
        }
        events.len()
    }

    /// Whether a step goes on with the turn of the step before it.
    fn goes_on(&mut self, step: &'v JsonNode<'v>, turn: Option<&'v JsonNode<'v>>) -> bool {
        // With `new_turn`, only its marks begin turns; the field of the turn is not asked.
        if let Some(new_turn) = &self.fields.new_turn {
            let begins = self.selections.select(new_turn, step, SelectedAs::Node);
            self.is_open &= begins.is_empty();
            return self.is_open;
        }
        self.is_open && turn.is_some() && turn == self.turn
    }

    /// A step that stopped to call a tool has a call, or the call was not read.
    fn check_stop(&mut self, step: &'v JsonNode<'v>, events: &[StepEvent<'d, 'v>]) {
        let reasons = self.selections.select_with(self.fields.stop.as_ref(), step);
        let Some(reason) = reasons.first().map(|reason| text_of(reason)) else { return };
        if says_tool_use(&reason) && !events.iter().any(|event| matches!(event.kind, StepEventKind::Call(_)))
        {
            self.lose(step, UnreadContent::StoppedForCalls(reason.into_owned()));
        }
        self.builder.trace.stop_reason = Some(text_of(reasons[0]).into_owned());
    }

    /// Reads the reason of the run, where its steps have none.
    fn read_stop(&mut self, run: &'v JsonNode<'v>) {
        let reasons = self.selections.select_with(self.fields.stop.as_ref(), run);
        if self.builder.trace.stop_reason.is_none() {
            self.builder.trace.stop_reason = reasons.last().map(|reason| text_of(reason).into_owned());
        }
    }

    /// Reads how the outer document says that the run stopped: the last response of a workflow that failed may have ended well.
    pub(super) fn read_outer_stop(&mut self, run: &'v JsonNode<'v>) {
        let reasons = self.selections.select_with(self.fields.stop.as_ref(), run);
        if let Some(reason) = reasons.last() {
            let reason = text_of(reason).into_owned();
            self.builder.trace.ended = Ended::from_stop_reason(&reason);
            self.builder.trace.stop_reason = Some(reason);
        }
    }

    fn add_event(&mut self, event: &StepEvent<'d, 'v>, speaker: &mut Option<Role>) {
        let role = match event.kind {
            StepEventKind::Text(role) => role,
            StepEventKind::Call(_) => Role::Assistant,
            StepEventKind::Result(result) => return self.add_result(result, event.node),
        };
        // Calls and texts of one speaker in a row are one turn.
        if *speaker != Some(role) {
            self.builder.begin(Some(role));
            *speaker = Some(role);
            // The reason why an earlier turn stopped is not that of the run.
            if role == Role::Assistant {
                self.builder.trace.stop_reason = None;
            }
        }
        match event.kind {
            StepEventKind::Call(call) => self.add_call(call, event.node),
            _ => self.builder.text(&text_of(event.node)),
        }
    }

    fn add_call(&mut self, rule: &CallRule, node: &'v JsonNode<'v>) {
        let name = self.selections.select_with(rule.name.as_ref(), node).first().copied();
        // A rule may fix the name of the tool where the file does not repeat it.
        let name = name.and_then(JsonNode::as_str).or(rule.tool.as_deref());
        let Some(name) = name else { return self.lose(node, UnreadContent::UnknownKind("call".to_owned())) };
        let arguments = self.read_arguments(rule, node);
        let id =
            self.selections.select_with(rule.id.as_ref(), node).first().map(|id| text_of(id).into_owned());
        let mut call = Call { id, ..Call::new(name, arguments, 0) };
        if let Some(result) = &rule.result {
            let nodes = match &result.each {
                Some(each) => self.selections.select_nodes(each, node, SelectedAs::Node),
                None => vec![node],
            };
            for node in nodes {
                self.set_result(&mut call, result, node, ResultPlace::InCall);
            }
        }
        self.builder.call(call);
    }

    fn read_arguments(&mut self, rule: &CallRule, node: &'v JsonNode<'v>) -> Arguments {
        let Some(args) = &rule.args else { return Arguments::Unrecorded };
        let found = self.selections.select(args, node, SelectedAs::Whole);
        match (found.first(), &rule.argument) {
            // `null` is what some formats write for no arguments.
            (None, _) if args.selects_null(node) => Arguments::none(),
            (None, _) => Arguments::Unrecorded,
            (Some(value), Some(name)) => {
                Arguments::Json(Json::Object(JsonMap::from_iter([(name.clone(), value.to_json())])))
            }
            (Some(value), None) => Arguments::from_json(value.to_json()),
        }
    }

    /// Gives a result to its call: by its id, or else to the first call that waits.
    fn add_result(&mut self, rule: &ResultRule, node: &'v JsonNode<'v>) {
        let of =
            self.selections.select_with(rule.of.as_ref(), node).first().map(|id| text_of(id).into_owned());
        // Without a path to the id, results answer the calls in order. With a path that selects nothing here, the
        // result names no call, and guessing one could give it to the wrong call.
        let call = match (&of, &rule.of) {
            (Some(id), _) => self.builder.waiting(Some(id), None),
            (None, None) => self.builder.first_waiting(),
            (None, Some(_)) => None,
        };
        let Some(call) = call else {
            // A repeated result is not unread; a result of an unknown call is.
            if !of.as_ref().is_some_and(|id| self.builder.knows(id)) {
                let id = of.unwrap_or_else(|| "without an id".to_owned());
                self.lose(node, UnreadContent::ResultWithoutCall(id));
            }
            return;
        };
        // A copy is changed, because the paths are evaluated by the reader that holds the call.
        let mut answered = call.clone();
        self.set_result(&mut answered, rule, node, ResultPlace::InStep);
        if let Some(call) = self.builder.call_mut(answered.index) {
            *call = answered;
        }
    }

    /// Sets the result of a call. A result inside its call may be absent: then the call is not answered.
    fn set_result(&mut self, call: &mut Call, rule: &ResultRule, node: &'v JsonNode<'v>, place: ResultPlace) {
        let values = self.selections.select_with(rule.value.as_ref(), node);
        let error = self
            .selections
            .select_with(rule.error.as_ref(), node)
            .first()
            .map(|error| text_of(error).into_owned());
        let exit_code = self.selections.select_with(rule.exit_code.as_ref(), node);
        let failed = self.judge_failure(rule, node);
        if place == ResultPlace::InCall && values.is_empty() && error.is_none() && failed.is_none() {
            return;
        }
        let result = join_values(&values, rule.json);
        // A declared path to an error that selects nothing means success. Without such a path and without a verdict of
        // `failed`, the file says nothing about the outcome.
        let unmarked = if rule.error.is_some() { Unmarked::Worked } else { Unmarked::Unrecorded };
        let exit_code = exit_code.first().and_then(|code| code.as_number()).and_then(JsonNumber::as_i64);
        let mut marks = OutcomeMarks::default();
        marks.note_failure(error.is_some() || failed == Some(true));
        if failed == Some(false) {
            marks.note_success();
        }
        marks.note_exit_code(exit_code);
        marks.settle(call, unmarked);
        let told = || result.as_ref().filter(|_| failed == Some(true)).map(read_message);
        call.error = error.or_else(told);
        call.exit_code = exit_code;
        call.result = result;
    }

    /// Whether the result says that the tool failed; `None` if it does not say.
    fn judge_failure(&mut self, rule: &ResultRule, node: &'v JsonNode<'v>) -> Option<bool> {
        // All paths are selected, even after one has decided: what they select counts as read.
        for condition in rule.failed.iter() {
            self.selections.select(&condition.path, node, SelectedAs::Node);
        }
        let answers = rule.failed.iter().filter_map(|condition| condition.judge(node));
        answers.reduce(|one, other| one || other)
    }

    fn lose(&mut self, node: &JsonNode, content: UnreadContent) {
        self.lost.push(LostNode { address: address_of(node), content });
    }

    /// Continues a run that another reader has read.
    pub(super) fn go_on_with(&mut self, trace: Trace) {
        self.builder = TraceBuilder::of(trace, 0);
    }

    /// Ends the run with the value `node`.
    pub(super) fn finish(mut self, node: &'v JsonNode<'v>) -> ReadRun<'v> {
        let has_answer = self.builder.trace.answer.is_some();
        let mut trace = self.builder.finish();
        for asked in order_calls(&mut trace, std::mem::take(&mut self.asked)) {
            self.lost.push(LostNode { address: address_of(asked.node), content: asked.to_unread() });
        }
        // If the declaration has a path to the answer, the last message of the model is not taken for it.
        if self.fields.answer.is_some() && !has_answer {
            trace.answer = None;
        }
        ReadRun { node, trace, lost: self.lost }
    }

    /// Returns the text that `selector` selects in the run, or else in the first step where it selects one.
    fn find_text(
        &mut self,
        selector: Option<&PathSelector>,
        run: &'v JsonNode<'v>,
        steps: &[&'v JsonNode<'v>],
    ) -> Option<String> {
        let mut nodes = std::iter::once(run).chain(steps.iter().copied());
        nodes.find_map(|node| {
            let found = self.selections.select_with(selector, node);
            found.first().map(|value| text_of(value).into_owned())
        })
    }

    /// Reads the fields of the declaration that concern the run as a whole.
    pub(super) fn read_figures(
        &mut self,
        run: &'v JsonNode<'v>,
        steps: &[&'v JsonNode<'v>],
    ) -> Result<(), DecodeError> {
        let fields = self.fields;
        self.selections.select_with(fields.skip.as_ref(), run);
        let id = self.find_text(fields.id.as_ref(), run, steps);
        let agent = self.find_text(fields.agent.as_ref(), run, steps);
        let model = self.find_text(fields.model.as_ref(), run, steps);
        let answer = self.selections.select_with(fields.answer.as_ref(), run);
        let answer = answer.last().map(|answer| text_of(answer).into_owned());
        let selections = &mut *self.selections;
        let mut figures = FigureReader { run, steps, selections, document: self.document };
        let usage = fields.tokens.as_ref().map(|paths| figures.read_tokens(paths)).transpose()?.flatten();
        let cost_usd = figures.read_sum(fields.cost.as_ref())?;
        let duration_ms =
            fields.duration.as_ref().map(|path| figures.read_duration(path)).transpose()?.flatten();
        let trace = std::mem::take(&mut self.builder.trace);
        self.builder.trace = Trace {
            id: id.or(trace.id),
            agent: agent.or(trace.agent),
            model: model.or(trace.model),
            answer: answer.or(trace.answer),
            usage: usage.or(trace.usage),
            cost_usd: cost_usd.or(trace.cost_usd),
            duration_ms: duration_ms.or(trace.duration_ms),
            ..trace
        };
        Ok(())
    }
}
