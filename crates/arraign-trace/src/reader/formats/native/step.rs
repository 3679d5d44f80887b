//! A step of a native trace: a text, or a call and what came of it.

use std::num::NonZeroUsize;

use crate::json::{Json, JsonNode};
use crate::reader::build::tool_name::split_given_name;
use crate::reader::formats::native::mistake::NativeMistake;
use crate::reader::formats::native::value::{
    read_amount, read_exit_code, read_flag, read_served, read_status, read_text, read_texts, read_turn,
};
use crate::trace::{Arguments, Call, CallStatus, Role, StatusMark, ToolServer};

/// A text or a call.
#[derive(Debug)]
pub(crate) enum NativeStep {
    /// A text, and the reasoning in front of it.
    Text(Role, String, Option<String>),
    /// A call, and the turn that is written for it.
    Call(Box<Call>, Option<NonZeroUsize>),
}

/// A step as it is written: one of `user`, `say`, `system` and `call`, and what belongs to a call.
#[derive(Debug, Default)]
struct WrittenStep {
    user: Option<String>,
    say: Option<String>,
    reasoning: Option<String>,
    system: Option<String>,
    call: Option<String>,
    args: Option<Json>,
    result: Option<Json>,
    error: Option<String>,
    id: Option<String>,
    turn: Option<NonZeroUsize>,
    server: Option<String>,
    built_in: bool,
    written: Option<String>,
    served: Option<u32>,
    started_ms: Option<f64>,
    duration_ms: Option<f64>,
    exit_code: Option<i64>,
    status: Option<CallStatus>,
    status_unclear: Option<String>,
    status_inferred: bool,
    agent_path: Option<Vec<String>>,
    args_unrecorded: bool,
    args_error: Option<String>,
}

/// The keys of a step, for suggestions.
pub(crate) const KEYS: &[&str] = &[
    "user",
    "say",
    "reasoning",
    "system",
    "call",
    "name",
    "args",
    "arguments",
    "result",
    "error",
    "id",
    "turn",
    "server",
    "built_in",
    "written",
    "served",
    "started_ms",
    "duration_ms",
    "exit_code",
    "status",
    "status_unclear",
    "status_inferred",
    "agent_path",
    "args_unrecorded",
    "args_error",
];

/// The largest number of steps of a run: a call takes a hundred times the memory of its shortest text.
const MAX_STEPS: usize = 250_000;

/// Reads the steps of a list; in `calls` (`short`), a bare name is one too.
pub(crate) fn read_steps(
    items: Vec<JsonNode>,
    short: bool,
    mistakes: &mut Vec<NativeMistake>,
) -> Vec<NativeStep> {
    // The limit comes before any step is read: a list of millions would take the memory first.
    if items.len() > MAX_STEPS {
        let problem = format!("a run has at most {MAX_STEPS} steps, and this one has {}", items.len());
        mistakes.push(NativeMistake::new(problem));
        return Vec::new();
    }
    let mut steps = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        match read_step(item, short) {
            Ok(step) => steps.push(step),
            Err(found) => mistakes.extend(found.into_iter().map(|mistake| mistake.at_key(index))),
        }
    }
    steps
}

/// Reads one step, or all its mistakes.
pub(crate) fn read_step(item: JsonNode, short: bool) -> Result<NativeStep, Vec<NativeMistake>> {
    let object = match item {
        JsonNode::Object(object) => object,
        JsonNode::String(name) if name.is_empty() => {
            return Err(vec![NativeMistake::new("a tool has a name")]);
        }
        JsonNode::String(name) if short => return Ok(WrittenStep::default().into_call(name.into_string())),
        JsonNode::String(name) => {
            let mistake = NativeMistake::new("a step is a mapping with one of `user`, `call` and `say`");
            return Err(vec![mistake.help(format!("write `call: {name}`"))]);
        }
        other => return Err(vec![NativeMistake::expected("a mapping of settings", &other)]),
    };
    if let Some(mistake) = NativeMistake::duplicate_in(&object) {
        return Err(vec![mistake]);
    }
    // All keys are read before the first mistake is returned, so that an author sees all of them.
    let mut written = WrittenStep::default();
    let mut mistakes = Vec::new();
    for (key, value) in object.into_entries() {
        if let Err(mistake) = written.set(&key, value) {
            mistakes.push(mistake.at_key(key));
        }
    }
    if mistakes.is_empty() {
        return written.into_step().map_err(|problem| vec![NativeMistake::new(problem)]);
    }
    Err(mistakes)
}

impl WrittenStep {
    fn set(&mut self, key: &str, value: JsonNode) -> Result<(), NativeMistake> {
        match key {
            "user" => self.user = read_text(value)?,
            "say" => self.say = read_text(value)?,
            "reasoning" => self.reasoning = read_text(value)?,
            "system" => self.system = read_text(value)?,
            "call" | "name" => set_once(&mut self.call, read_text(value)?, "call")?,
            // A result of null is a result.
            // With a key twice, the arguments are kept as their text, which is malformed.
            "args" | "arguments" if value.has_duplicates() => {
                set_once(&mut self.args, Some(Json::String(value.to_string().into())), "args")?;
            }
            "args" | "arguments" => set_once(&mut self.args, Some(value.into_json()), "args")?,
            "result" => self.result = Some(value.into_json()),
            "error" => self.error = read_text(value)?,
            "id" => self.id = read_text(value)?,
            "turn" => self.turn = read_turn(&value)?,
            "server" => self.server = read_text(value)?,
            "built_in" => self.built_in = read_flag(&value)?,
            "written" => self.written = read_text(value)?,
            "served" => self.served = read_served(&value)?,
            "started_ms" => self.started_ms = read_amount(&value)?,
            "duration_ms" => self.duration_ms = read_amount(&value)?,
            "exit_code" => self.exit_code = read_exit_code(&value)?,
            "status" => self.status = read_status(&value)?,
            "status_unclear" => self.status_unclear = read_text(value)?,
            "status_inferred" => self.status_inferred = read_flag(&value)?,
            "agent_path" => self.agent_path = read_texts(value)?,
            "args_unrecorded" => self.args_unrecorded = read_flag(&value)?,
            "args_error" => self.args_error = read_text(value)?,
            unknown => return Err(NativeMistake::unknown_key(unknown, KEYS)),
        }
        Ok(())
    }

    fn into_step(mut self) -> Result<NativeStep, &'static str> {
        let texts = [
            (Role::User, self.user.take()),
            (Role::Assistant, self.say.take()),
            (Role::System, self.system.take()),
        ];
        let mut texts = texts.into_iter().filter_map(|(role, text)| Some((role, text?)));
        match (texts.next(), texts.next(), self.call.take()) {
            (None, _, Some(_)) if self.reasoning.is_some() => {
                Err("`reasoning` is beside a `call`: write a step `say` with it, whose text may be empty")
            }
            (None, _, Some(name)) => Ok(self.into_call(name)),
            (Some((role, _)), ..) if self.reasoning.is_some() && role != Role::Assistant => {
                Err("`reasoning` is what the model thinks: it belongs to `say`")
            }
            (Some((role, text)), None, None) if self.has_no_call_keys() => {
                Ok(NativeStep::Text(role, text, self.reasoning))
            }
            (None, _, None) => Err("a step is one of `user`, `call` and `say`; none of them is here"),
            (Some(_), None, None) => {
                Err("a text has nothing beside it: arguments and results belong to a `call`")
            }
            _ => Err("a step is one of `user`, `call` and `say`; write a step for each"),
        }
    }

    fn has_no_call_keys(&self) -> bool {
        let Self { args, result, error, id, turn, server, exit_code, .. } = self;
        let data = args.is_none()
            && !self.args_unrecorded
            && result.is_none()
            && error.is_none()
            && exit_code.is_none();
        let tool = server.is_none() && !self.built_in && self.written.is_none();
        let labels = id.is_none() && turn.is_none() && tool && self.agent_path.is_none();
        data && labels
            && self.served.is_none()
            && self.started_ms.is_none()
            && self.duration_ms.is_none()
            && self.status.is_none()
            && self.status_unclear.is_none()
            && !self.status_inferred
    }

    fn into_call(self, name: String) -> NativeStep {
        let arguments = match (self.args, self.args_error) {
            (None, _) if self.args_unrecorded => Arguments::Unrecorded,
            (Some(Json::String(raw)), Some(error)) => Arguments::Broken { raw: raw.into_string(), error },
            (args, _) => args.map_or_else(Arguments::none, Arguments::from_json),
        };
        let failed = self.error.is_some() || self.exit_code.is_some_and(|code| code != 0);
        let implied = match (failed, self.result.is_some() || self.exit_code.is_some()) {
            (true, _) => CallStatus::Error,
            (false, true) => CallStatus::Ok,
            (false, false) => CallStatus::Unanswered,
        };
        let status_mark = match (self.status, self.status_unclear) {
            (_, Some(why)) => StatusMark::Unclear(why),
            (None, None) if implied == CallStatus::Ok => StatusMark::Inferred,
            (Some(CallStatus::Ok), None) if self.status_inferred => StatusMark::Inferred,
            _ => StatusMark::Recorded,
        };
        let server = match self.server {
            None if self.built_in => ToolServer::BuiltIn,
            server => server.into(),
        };
        let mut call = Call {
            id: self.id,
            server,
            result: self.result,
            status: self.status.unwrap_or(implied),
            status_mark,
            error: self.error,
            served: self.served,
            started_ms: self.started_ms,
            duration_ms: self.duration_ms,
            exit_code: self.exit_code,
            agent_path: self.agent_path.unwrap_or_default(),
            ..Call::new(name, arguments, 1)
        };
        match self.written {
            // The names are split already.
            Some(written) => call.written = Some(written).filter(|written| *written != call.name),
            None => split_given_name(&mut call),
        }
        NativeStep::Call(Box::new(call), self.turn)
    }
}

/// Sets what two keys mean alike.
fn set_once<T>(slot: &mut Option<T>, value: Option<T>, key: &str) -> Result<(), NativeMistake> {
    if slot.is_some() {
        return Err(NativeMistake::new(format!("`{key}` is given twice, once by another name")));
    }
    *slot = value;
    Ok(())
}
