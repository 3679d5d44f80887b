//! `native`: the form that is written by hand, inline in a case or as a file of its own, in YAML or JSON.
//!
//! ```yaml
//! model: gpt-4o
//! steps:
//!   - user: Where is order 7?
//!   - call: lookup_order
//!     args: {id: 7}
//!     result: {status: shipped}
//!   - say: It ships today.
//! ```
//!
//! `calls: [...]` is short for `steps`; there a bare name is a call too. A call with neither `result` nor `error`
//! is unanswered, and one without `turn` is a turn of its own. `arraign::reader::to_native` writes this form: what only other
//! formats tell has a key as well (`system`, `status`, `agent_path`, `args_error`, `args_unrecorded`, `no_answer`,
//! `calls_unrecorded`, `usage.partial`).

use std::num::NonZeroUsize;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::error::{TraceError, TraceProblem, Wrong};
use super::input::{At, Input, Record};
use super::json::Json;
use super::pieces::{Cuts, Note, Pieces, Whose, look};
use super::reason::Reason;
use super::{Certainty, Detection, Reader, Recording};
use crate::place::{LoadError, LoadErrors, Source};
use crate::trace::{Arguments, Call, CallStatus, Role, Trace, Usage};
use crate::yaml::{Document, Fields, Node};

pub(super) const READER: Reader = Reader {
    name: "native",
    summary: "written by hand: `steps` or `calls`, in YAML or JSON",
    detect,
    read,
    cuts: Cuts::As(pieces),
};

/// All but the steps.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Head {
    id: Option<String>,
    agent: Option<String>,
    model: Option<String>,
    input: Option<String>,
    answer: Option<String>,
    no_answer: bool,
    usage: Option<Tokens>,
    cost_usd: Option<Figure>,
    duration_ms: Option<Figure>,
    stop_reason: Option<String>,
    calls_unrecorded: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names are the keys that users write")]
struct Tokens {
    input_tokens: u64,
    output_tokens: u64,
    cached_tokens: Option<u64>,
    reasoning_tokens: Option<u64>,
    #[serde(default)]
    partial: bool,
}

/// Dollars or milliseconds.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
struct Figure(f64);

impl TryFrom<f64> for Figure {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if value.is_finite() && value >= 0.0 {
            return Ok(Self(value));
        }
        Err(format!("{value} cannot be: a number from 0 up is expected"))
    }
}

/// A step as it is written: one of `user`, `say`, `system` and `call`, and what belongs to a call.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawStep {
    user: Option<String>,
    say: Option<String>,
    system: Option<String>,
    #[serde(alias = "name")]
    call: Option<String>,
    #[serde(deserialize_with = "even_null")]
    args: Option<Value>,
    #[serde(deserialize_with = "even_null")]
    result: Option<Value>,
    error: Option<String>,
    id: Option<String>,
    turn: Option<NonZeroUsize>,
    server: Option<String>,
    started_ms: Option<Figure>,
    duration_ms: Option<Figure>,
    exit_code: Option<i64>,
    status: Option<CallStatus>,
    agent_path: Option<Vec<String>>,
    args_unrecorded: bool,
    args_error: Option<String>,
}

/// A result of null is a result.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "RawStep")]
enum Step {
    Text(Role, String),
    Call(Box<Call>, Option<NonZeroUsize>),
}

impl TryFrom<RawStep> for Step {
    type Error = &'static str;

    fn try_from(mut raw: RawStep) -> Result<Self, &'static str> {
        let texts = [
            (Role::User, raw.user.take()),
            (Role::Assistant, raw.say.take()),
            (Role::System, raw.system.take()),
        ];
        let mut texts = texts.into_iter().filter_map(|(role, text)| Some((role, text?)));
        match (texts.next(), texts.next(), raw.call.take()) {
            (None, _, Some(name)) => Ok(raw.into_call(name)),
            (Some((role, text)), None, None) if raw.is_bare() => Ok(Self::Text(role, text)),
            (None, _, None) => Err("a step is one of `user`, `call` and `say`; none of them is here"),
            (Some(_), None, None) => {
                Err("a text has nothing beside it: arguments and results belong to a `call`")
            }
            _ => Err("a step is one of `user`, `call` and `say`; write a step for each"),
        }
    }
}

impl RawStep {
    /// Whether nothing of a call is in it.
    fn is_bare(&self) -> bool {
        let Self { args, result, error, id, turn, server, exit_code, .. } = self;
        let data = args.is_none()
            && !self.args_unrecorded
            && result.is_none()
            && error.is_none()
            && exit_code.is_none();
        let labels = id.is_none() && turn.is_none() && server.is_none() && self.agent_path.is_none();
        data && labels && self.started_ms.is_none() && self.duration_ms.is_none() && self.status.is_none()
    }

    fn into_call(self, name: String) -> Step {
        let arguments = match (self.args, self.args_error) {
            (None, _) if self.args_unrecorded => Arguments::Unrecorded,
            (Some(Value::String(raw)), Some(error)) => Arguments::Broken { raw, error },
            (args, _) => args.map_or_else(Arguments::none, Arguments::from_json),
        };
        let failed = self.error.is_some() || self.exit_code.is_some_and(|code| code != 0);
        let told = match (failed, self.result.is_some() || self.exit_code.is_some()) {
            (true, _) => CallStatus::Error,
            (false, true) => CallStatus::Ok,
            (false, false) => CallStatus::Unanswered,
        };
        let call = Call {
            id: self.id,
            server: self.server,
            result: self.result,
            status: self.status.unwrap_or(told),
            error: self.error,
            started_ms: self.started_ms.map(|figure| figure.0),
            duration_ms: self.duration_ms.map(|figure| figure.0),
            exit_code: self.exit_code,
            agent_path: self.agent_path.unwrap_or_default(),
            ..Call::new(name, arguments, 1)
        };
        Step::Call(Box::new(call), self.turn)
    }

    fn named(name: String) -> Step {
        Self::default().into_call(name)
    }
}

fn lower(head: Head, steps: Vec<Step>) -> Trace {
    let usage = head.usage.map(|tokens| Usage {
        input_tokens: tokens.input_tokens,
        cached_tokens: tokens.cached_tokens,
        output_tokens: tokens.output_tokens,
        reasoning_tokens: tokens.reasoning_tokens,
        partial: tokens.partial,
    });
    let mut trace = Trace {
        id: head.id,
        agent: head.agent,
        model: head.model,
        input: head.input,
        answer: head.answer,
        usage,
        cost_usd: head.cost_usd.map(|figure| figure.0),
        duration_ms: head.duration_ms.map(|figure| figure.0),
        stop_reason: head.stop_reason,
        calls_unrecorded: head.calls_unrecorded,
        ..Trace::default()
    };
    let calls = steps.iter().filter(|step| matches!(step, Step::Call(..))).count();
    trace.calls.reserve_exact(calls);
    let mut last_turn = 0;
    for step in steps {
        match step {
            Step::Text(role, text) => trace.push_message(role, text),
            Step::Call(mut call, turn) => {
                call.turn = turn.map_or(last_turn + 1, NonZeroUsize::get);
                last_turn = last_turn.max(call.turn);
                trace.push_call(*call);
            }
        }
    }
    if !head.no_answer {
        trace.settle_answer();
    }
    trace
}

/// Reads a trace that is written in a case: a mapping, or a list of steps. All its mistakes are found at once.
pub fn inline(node: Node<'_>) -> Result<Trace, LoadErrors> {
    if node.list().is_some() {
        return Ok(lower(Head::default(), steps_of(node, false)?));
    }
    let mut fields = Fields::of(node, "a trace")?;
    let head = Head {
        id: fields.optional("id"),
        agent: fields.optional("agent"),
        model: fields.optional("model"),
        input: fields.optional("input"),
        answer: fields.optional("answer"),
        no_answer: fields.optional("no_answer").unwrap_or_default(),
        usage: fields.optional("usage"),
        cost_usd: fields.optional("cost_usd"),
        duration_ms: fields.optional("duration_ms"),
        stop_reason: fields.optional("stop_reason"),
        calls_unrecorded: fields.optional("calls_unrecorded").unwrap_or_default(),
    };
    let short = node.get("calls").is_some();
    let steps = match fields.aliased(&["steps", "calls"]) {
        Some(steps) => fields.take(steps_of(steps, short)),
        // A case may be about the answer alone.
        None if node.get("answer").is_some() => Some(Vec::new()),
        None => fields.take(Err(node.error("a trace has `steps`, or `calls` for short"))),
    };
    let steps = fields.finish_some(steps)?;
    Ok(lower(head, steps))
}

/// The steps of a list; in `calls`, a bare name is one too.
fn steps_of(node: Node<'_>, short: bool) -> Result<Vec<Step>, LoadErrors> {
    let Some(list) = node.list() else {
        return Err(node.error(format!("this must be a list of steps, not {}", node.describe())).into());
    };
    let mut errors = LoadErrors::new();
    let steps = list.filter_map(|node| errors.take(step_of(node, short))).collect();
    errors.or(steps)
}

fn step_of(node: Node<'_>, short: bool) -> Result<Step, LoadError> {
    match node.as_str() {
        Some("") => Err(node.error("a tool has a name")),
        Some(name) if short => Ok(RawStep::named(name.to_owned())),
        Some(name) => {
            let error = node.error("a step is a mapping with one of `user`, `call` and `say`");
            Err(error.help(format!("write `call: {name}`")))
        }
        None => node.decode(),
    }
}

fn detect(input: &Input) -> Detection {
    if is_step(input.first()?, false) {
        return judge_steps(input.records.iter().map(|record| &record.value), false);
    }
    for record in &input.records {
        let list = |key: &str| record.value.get(key).and_then(Json::as_list);
        match (list("steps"), list("calls")) {
            (Some(steps), _) => judge_steps(steps.iter(), false)?,
            (None, Some(calls)) => judge_steps(calls.iter(), true)?,
            (None, None) => return Err(Reason::of(record.at, "has neither `steps` nor `calls`")),
        };
    }
    Ok(Certainty::Sure)
}

fn judge_steps<'v>(mut steps: impl Iterator<Item = &'v Json<'v>>, short: bool) -> Detection {
    match steps.position(|step| !is_step(step, short)) {
        Some(index) => Err(format!("step {} has none of `user`, `call` and `say`", index + 1).into()),
        None => Ok(Certainty::Sure),
    }
}

/// Whether this is a step; `calls` are shorter than `steps`.
fn is_step(value: &Json, short: bool) -> bool {
    let keyed = |key: &str| value.get(key).is_some_and(Json::is_text);
    ["call", "user", "say", "system"].into_iter().any(keyed) || short && (value.is_text() || keyed("name"))
}

/// A list of steps is one run.
fn pieces(input: &Input) -> Option<Pieces> {
    let is_list = input.first().is_ok_and(|first| is_step(first, false));
    (!is_list).then_some(Pieces::records(note))
}

fn note(text: &str) -> Result<Note, serde_json::Error> {
    Ok(Whose::Own(look(text, &["id"])?.string(&["id"]).ok().flatten()).into())
}

/// The file as YAML has a place for each mistake, but takes longer to parse: it is parsed again when there is one.
fn read(input: Input) -> Result<Vec<Trace>, Wrong> {
    let text = input.text;
    let is_list = input.records.first().is_some_and(|record| is_step(&record.value, false));
    let is_file = is_list || input.records.iter().all(|record| record.at == At::Whole);
    let runs = if is_list {
        let steps = input.records.into_iter().map(|record| record.value).collect();
        steps_of_json(steps, false).map(|steps| vec![lower(Head::default(), steps)])
    } else {
        let run = |Record { at, value }| from_json(value).map_err(|wrong| at.blame(wrong));
        input.records.into_iter().map(run).collect()
    };
    match runs {
        Err(_) if is_file => from_yaml(text).map_err(|errors| in_words(&errors)),
        runs => runs,
    }
}

fn from_json(mut value: Json) -> Result<Trace, Wrong> {
    let mut take = |key: &str| value.as_object_mut().and_then(|object| object.remove(key));
    let steps = match (take("steps"), take("calls")) {
        (Some(Json::List(steps)), None) => steps_of_json(steps, false)?,
        (None, Some(Json::List(calls))) => steps_of_json(calls, true)?,
        _ => return Err(Wrong::new("a trace has a list of `steps`, or of `calls` for short")),
    };
    let head = Head::deserialize(value).map_err(|error| Wrong::new(error.to_string()))?;
    Ok(lower(head, steps))
}

fn steps_of_json(values: Vec<Json>, short: bool) -> Result<Vec<Step>, Wrong> {
    let step = |(index, value)| match value {
        Json::Text(name) if short && !name.is_empty() => Ok(RawStep::named(name.into_owned())),
        value => Step::deserialize(value).map_err(|error| Wrong::new(error.to_string()).under(index)),
    };
    values.into_iter().enumerate().map(step).collect()
}

/// Native traces that are a YAML file: a run a document.
pub(super) fn read_yaml(text: &str) -> Result<Recording, TraceError> {
    if !text.lines().any(|line| ["steps:", "calls:", "- "].iter().any(|key| line.starts_with(key))) {
        return Err(TraceProblem::NotATrace.into());
    }
    let runs = from_yaml(text).map_err(|errors| TraceError::wrong(READER.name, &in_words(&errors)))?;
    if runs.is_empty() {
        Err(TraceProblem::Empty.into())
    } else {
        Ok(Recording { format: READER.name, runs })
    }
}

fn from_yaml(text: &str) -> Result<Vec<Trace>, LoadErrors> {
    let documents = Document::parse(&Source::new("trace", text))?;
    let mut errors = LoadErrors::new();
    let runs = documents.iter().filter_map(|document| errors.take(inline(document.root()))).collect();
    errors.sort_by_place();
    errors.or(runs)
}

/// Mistakes by line and column, one a line: the file's name is the caller's to add.
fn in_words(errors: &LoadErrors) -> Wrong {
    let line = |error: &LoadError| {
        let at = error.place.locate();
        let help = error.help.as_ref().map_or_else(String::new, |help| format!(" (help: {help})"));
        format!("line {}, column {}: {}{help}", at.line, at.column, error.problem)
    };
    Wrong::new(errors.iter().map(line).collect::<Vec<_>>().join("\n"))
}
