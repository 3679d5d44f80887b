//! A native trace as a whole: its head and its steps.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use crate::json::{self, Json, JsonNode, JsonObject};
use crate::reader::build::tool_name::{split_given_name, strip_functions};
use crate::reader::formats::native::mistake::{NativeMistake, describe_kind};
use crate::reader::formats::native::step::{NativeStep, read_steps};
use crate::reader::formats::native::value::{read_amount, read_count, read_flag, read_text, read_word};
use crate::trace::{
    Arguments, Call, CallsUnrecorded, Ended, OfferedTool, Provenance, Results, Trace, UnreadPart, Usage,
};

/// The keys of a trace, for suggestions.
pub(crate) const KEYS: &[&str] = &[
    "recorded",
    "id",
    "agent",
    "model",
    "input",
    "answer",
    "answer_reasoning",
    "no_answer",
    "usage",
    "cost_usd",
    "duration_ms",
    "stop_reason",
    "ended",
    "results",
    "offered",
    "rewards",
    "rewards_invalid",
    "calls_unrecorded",
    "unread",
    "steps",
    "calls",
];

/// The keys of `recorded`.
pub(crate) const PROVENANCE_KEYS: &[&str] = &["by", "at", "input", "agent_name", "variant", "agent", "files"];

/// The keys of `usage`.
pub(crate) const USAGE_KEYS: &[&str] =
    &["input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens", "partial"];

/// Reads a trace in the native form: a mapping, or a list of steps. Finds all its mistakes at once.
///
/// ```
/// use arraign_trace::json::json;
/// use arraign_trace::reader::read_native;
///
/// let trace = read_native(json!({"calls": ["look", {"name": "refund", "args": {"id": 7}}]})).expect("a trace");
/// assert_eq!(trace.tool_names(), ["look", "refund"]);
///
/// let mistakes = read_native(json!({"calls": [{"nme": "look"}], "cost_usd": -1})).unwrap_err();
/// let pointers: Vec<&str> = mistakes.iter().map(|mistake| mistake.pointer.as_str()).collect();
/// assert_eq!(pointers, ["/cost_usd", "/calls/0/nme"]);
/// ```
pub fn read_native(value: Json) -> Result<Trace, Vec<NativeMistake>> {
    read_run(value)
}

pub(crate) fn read_run(value: JsonNode) -> Result<Trace, Vec<NativeMistake>> {
    match value {
        JsonNode::Array(items) => {
            let mut mistakes = Vec::new();
            let steps = read_steps(items, false, &mut mistakes);
            if mistakes.is_empty() { Ok(NativeHead::default().into_trace(steps)) } else { Err(mistakes) }
        }
        JsonNode::Object(object) => read_mapping(object),
        other => {
            let kind = describe_kind(&other);
            Err(vec![NativeMistake::new(format!("a trace is a mapping of keys to values, not {kind}"))])
        }
    }
}

fn read_mapping(object: JsonObject) -> Result<Trace, Vec<NativeMistake>> {
    if let Some(mistake) = NativeMistake::duplicate_in(&object) {
        return Err(vec![mistake]);
    }
    let has_answer = object.get("answer").is_some();
    let mut head = NativeHead::default();
    let mut mistakes = Vec::new();
    let mut lists = Vec::new();
    // All keys are read before anything is reported, so that an author sees all mistakes at once.
    for (key, value) in object.into_entries() {
        match key.as_ref() {
            "steps" => lists.push(("steps", value)),
            "calls" => lists.push(("calls", value)),
            _ => mistakes.extend(head.set(&key, value).err().map(|mistake| mistake.at_key(key))),
        }
    }
    let steps = read_lists(lists, has_answer, &mut mistakes);
    if mistakes.is_empty() { Ok(head.into_trace(steps)) } else { Err(mistakes) }
}

/// Reads the steps of `steps`, or of `calls` for short.
fn read_lists(
    mut lists: Vec<(&str, JsonNode)>,
    has_answer: bool,
    mistakes: &mut Vec<NativeMistake>,
) -> Vec<NativeStep> {
    if lists.len() > 1 {
        let problem = "`calls` is another name of `steps`: give one of them";
        mistakes.push(NativeMistake { on_key: true, ..NativeMistake::new(problem) }.at_key("calls"));
        return Vec::new();
    }
    let mut found = Vec::new();
    let steps = match lists.pop() {
        Some((key, JsonNode::Array(items))) => {
            let steps = read_steps(items, key == "calls", &mut found);
            found = found.into_iter().map(|mistake| mistake.at_key(key)).collect();
            steps
        }
        Some((key, other)) => {
            let problem = format!("this must be a list of steps, not {}", describe_kind(&other));
            found.push(NativeMistake::new(problem).at_key(key));
            Vec::new()
        }
        // A case may be about the answer alone.
        None if has_answer => Vec::new(),
        None => {
            found.push(NativeMistake::new("a trace has `steps`, or `calls` for short"));
            Vec::new()
        }
    };
    mistakes.append(&mut found);
    steps
}

/// All but the steps.
#[derive(Debug, Default)]
pub(crate) struct NativeHead {
    trace: Trace,
    no_answer: bool,
    results: Option<Results>,
}

impl NativeHead {
    fn set(&mut self, key: &str, value: JsonNode) -> Result<(), NativeMistake> {
        let trace = &mut self.trace;
        match key {
            "recorded" => trace.recorded = read_provenance(value)?.map(Box::new),
            "id" => trace.id = read_text(value)?,
            "agent" => trace.agent = read_text(value)?,
            "model" => trace.model = read_text(value)?,
            "input" => trace.input = read_text(value)?,
            "answer" => trace.answer = read_text(value)?,
            "answer_reasoning" => trace.answer_reasoning = read_text(value)?,
            "no_answer" => self.no_answer = read_flag(&value)?,
            "usage" => trace.usage = read_usage(value)?,
            "cost_usd" => trace.cost_usd = read_amount(&value)?,
            "duration_ms" => trace.duration_ms = read_amount(&value)?,
            "stop_reason" => trace.stop_reason = read_text(value)?,
            "ended" => trace.ended = read_ending(value)?,
            "results" => self.results = read_results(&value)?,
            "offered" => trace.offered = read_offered(value)?,
            "rewards" => {
                let values = read_rewards(value)?;
                trace.rewards.get_or_insert_default().values = values;
            }
            "rewards_invalid" => {
                let reason = read_text(value)?;
                trace.rewards.get_or_insert_default().invalid = reason;
            }
            "calls_unrecorded" => trace.calls_unrecorded = read_unrecorded(value)?,
            "unread" => trace.unread = read_unread(value)?,
            unknown => return Err(NativeMistake::unknown_key(unknown, KEYS)),
        }
        Ok(())
    }

    /// Builds the trace of the head and `steps`. A call without a turn gets the next one.
    pub(crate) fn into_trace(self, steps: Vec<NativeStep>) -> Trace {
        let mut trace = self.trace;
        trace.results = self.results.unwrap_or_else(|| assume_results(&trace));
        let calls = steps.iter().filter(|step| matches!(step, NativeStep::Call(..))).count();
        trace.calls.reserve_exact(calls);
        let mut last_turn = 0;
        for step in steps {
            match step {
                NativeStep::Text(role, text, reasoning) => {
                    trace.push_message(role, text);
                    if let Some(message) = trace.messages.last_mut() {
                        message.reasoning = reasoning;
                    }
                }
                NativeStep::Call(mut call, turn) => {
                    // Calls with one turn were made at once, so a call that states no turn comes after all of them.
                    call.turn = turn.map_or(last_turn + 1, NonZeroUsize::get);
                    last_turn = last_turn.max(call.turn);
                    trace.push_call(*call);
                }
            }
        }
        // An answer that was declared absent must not be made of the last message.
        if !self.no_answer {
            trace.settle_answer();
        }
        trace.settle_ending();
        trace.settle_texts();
        trace
    }
}

/// What a trace that does not say it has of results: people leave them out of what they write, programs do not.
pub(crate) fn assume_results(trace: &Trace) -> Results {
    if trace.recorded.is_some() { Results::Recorded } else { Results::Optional }
}

/// Reads the names of the offered tools, with a server where one is written: `shop:get_order`.
fn read_offered(value: JsonNode) -> Result<Vec<OfferedTool>, NativeMistake> {
    let JsonNode::Array(items) = value else {
        return Err(NativeMistake::new("`offered` is a list of names of tools"));
    };
    let tools = items.into_iter().enumerate().map(|(at, item)| {
        let name = read_text(item).map_err(|mistake| mistake.at_key(at.to_string()))?.unwrap_or_default();
        let mut call = Call::new(name, Arguments::none(), 1);
        split_given_name(&mut call);
        if call.written.is_none() {
            strip_functions(&mut call);
        }
        // `shop:get_order` is how this form writes a server, and not how a host does.
        let plain = call.server.name().map(|server| format!("{server}:{}", call.name));
        let written = call.written.filter(|written| plain.as_ref() != Some(written));
        Ok(OfferedTool { written, ..OfferedTool::new(call.name, call.server) })
    });
    tools.collect()
}

/// Reads rewards by name. A reward may be negative.
fn read_rewards(value: JsonNode) -> Result<BTreeMap<String, f64>, NativeMistake> {
    let JsonNode::Object(object) = value else {
        return Err(NativeMistake::expected("a mapping of names to numbers", &value));
    };
    if let Some(mistake) = NativeMistake::duplicate_in(&object) {
        return Err(mistake);
    }
    let rewards = object.into_entries().into_iter().map(|(key, value)| match value.as_f64() {
        Some(reward) if reward.is_finite() => Ok((key.to_string(), reward)),
        _ => Err(NativeMistake::expected("a number", &value).at_key(key)),
    });
    rewards.collect()
}

const RESULTS_WORDS: [(&str, Results); 3] = [
    ("recorded", Results::Recorded),
    ("optional", Results::Optional),
    ("not_recorded", Results::NotRecorded),
];

fn read_results(value: &JsonNode) -> Result<Option<Results>, NativeMistake> {
    read_word(value, &RESULTS_WORDS)
}

/// An end with its reason.
type MakeEnding = fn(String) -> Ended;

const ENDING_WORDS: [(&str, MakeEnding); 5] = [
    ("well", |_| Ended::Well),
    ("failed", Ended::Failed),
    ("cut", Ended::Cut),
    ("limit", Ended::Limit),
    ("unknown", |_| Ended::Unknown),
];

/// Reads how the run ended: a word, or a word and its reason: `{failed: 429 from the provider}`.
fn read_ending(value: JsonNode) -> Result<Ended, NativeMistake> {
    let object = match value {
        JsonNode::Object(object) => object,
        word => return Ok(read_word(&word, &ENDING_WORDS)?.map_or(Ended::Unknown, |end| end(String::new()))),
    };
    let reasoned = &ENDING_WORDS[1..4];
    let mut ended = Ended::Unknown;
    let mut entries = object.into_entries().into_iter();
    if let Some((key, value)) = entries.next() {
        let Some((_, end)) = reasoned.iter().find(|(word, _)| **word == *key) else {
            let words: Vec<&str> = reasoned.iter().map(|(word, _)| *word).collect();
            return Err(NativeMistake::unknown_key(&key, &words).at_key(key));
        };
        let reason = read_text(value).map_err(|mistake| mistake.at_key(&key))?;
        ended = end(reason.unwrap_or_default());
    }
    match entries.next() {
        Some((key, _)) => Err(NativeMistake::new("a run ends in one way").at_key(key)),
        None => Ok(ended),
    }
}

/// Reads how the recording was made.
fn read_provenance(value: JsonNode) -> Result<Option<Provenance>, NativeMistake> {
    let object = match value {
        JsonNode::Null => return Ok(None),
        JsonNode::Object(object) => object,
        other => {
            return Err(NativeMistake::expected(
                "a mapping of `by`, `at`, `input`, `agent_name`, `variant`, `agent` and `files`",
                &other,
            ));
        }
    };
    // A duplicate key makes it unclear what was meant, so nothing else is reported beside it.
    if let Some(mistake) = NativeMistake::duplicate_in(&object) {
        return Err(mistake);
    }
    let mut provenance = Provenance::default();
    for (key, value) in object.into_entries() {
        let read = match key.as_ref() {
            "by" => read_text(value).map(|text| provenance.by = text),
            "at" => read_text(value).map(|text| provenance.at = text),
            "input" => read_text(value).map(|text| provenance.input = text),
            "agent_name" => read_text(value).map(|text| provenance.agent_name = text),
            "variant" => read_text(value).map(|text| provenance.variant = text),
            "agent" => read_text(value).map(|text| provenance.agent = text),
            "files" => read_fingerprints(value).map(|files| provenance.files = files),
            unknown => Err(NativeMistake::unknown_key(unknown, PROVENANCE_KEYS)),
        };
        read.map_err(|mistake| mistake.at_key(key))?;
    }
    Ok(Some(provenance))
}

/// Reads the fingerprints of files, by path.
fn read_fingerprints(value: JsonNode) -> Result<Option<BTreeMap<String, String>>, NativeMistake> {
    let object = match value {
        JsonNode::Null => return Ok(None),
        JsonNode::Object(object) => object,
        other => return Err(NativeMistake::expected("a mapping of files to fingerprints", &other)),
    };
    if let Some(mistake) = NativeMistake::duplicate_in(&object) {
        return Err(mistake);
    }
    let files = object.into_entries().into_iter().map(|(path, value)| {
        let text = read_text(value).map_err(|mistake| mistake.at_key(&path))?;
        Ok((path.into_string(), text.unwrap_or_default()))
    });
    files.collect::<Result<_, _>>().map(Some)
}

/// Reads why the calls of the run may not be all there: `true`, or a mapping of a place and a reason.
fn read_unrecorded(value: JsonNode) -> Result<Option<CallsUnrecorded>, NativeMistake> {
    let object = match value {
        JsonNode::Null => return Ok(None),
        JsonNode::Object(object) => object,
        // `false` says the same as no key.
        flag => return Ok(read_flag(&flag)?.then_some(CallsUnrecorded::ByFormat)),
    };
    let mut place = None;
    let mut reason = None;
    let mut formats = None;
    for (key, value) in object.into_entries() {
        let read = match key.as_ref() {
            "place" => read_text(value).map(|text| place = text),
            "reason" => read_text(value).map(|text| reason = text),
            "formats" => read_names(value).map(|names| formats = Some(names)),
            unknown => Err(NativeMistake::unknown_key(unknown, &["place", "reason", "formats"])),
        };
        read.map_err(|mistake| mistake.at_key(key))?;
    }
    if let Some(formats) = formats {
        return Ok(Some(CallsUnrecorded::NotShown { formats }));
    }
    let reason = reason.ok_or_else(|| NativeMistake::new("`reason` is missing"))?;
    Ok(Some(CallsUnrecorded::Unread { place: place.unwrap_or_default(), reason }))
}

/// Reads a list of names.
fn read_names(value: JsonNode) -> Result<Vec<String>, NativeMistake> {
    json::from_json(value.into_json()).map_err(|error| NativeMistake::new(error.to_string()))
}

/// Reads the unread parts of a run that was recorded from another format.
fn read_unread(value: JsonNode) -> Result<Vec<UnreadPart>, NativeMistake> {
    if value.is_null() {
        return Ok(Vec::new());
    }
    json::from_json(value.into_json())
        .map_err(|error| NativeMistake::new(format!("invalid list of unread parts: {error}")))
}

fn read_usage(value: JsonNode) -> Result<Option<Usage>, NativeMistake> {
    let object = match value {
        JsonNode::Null => return Ok(None),
        JsonNode::Object(object) => object,
        other => return Err(NativeMistake::expected("a mapping of settings", &other)),
    };
    if let Some(mistake) = NativeMistake::duplicate_in(&object) {
        return Err(mistake);
    }
    let mut usage = Usage::default();
    let mut input = None;
    let mut output = None;
    for (key, value) in object.into_entries() {
        let read = match key.as_ref() {
            "input_tokens" => read_count(&value).map(|count| input = count),
            "output_tokens" => read_count(&value).map(|count| output = count),
            "cached_tokens" => read_count(&value).map(|count| usage.cached_tokens = count),
            "reasoning_tokens" => read_count(&value).map(|count| usage.reasoning_tokens = count),
            "partial" => read_flag(&value).map(|flag| usage.partial = flag),
            unknown => Err(NativeMistake::unknown_key(unknown, USAGE_KEYS)),
        };
        read.map_err(|mistake| mistake.at_key(key))?;
    }
    // Without one of the two, the sum of the tokens would be wrong without notice.
    usage.input_tokens = input.ok_or_else(|| NativeMistake::new("`input_tokens` is missing"))?;
    usage.output_tokens = output.ok_or_else(|| NativeMistake::new("`output_tokens` is missing"))?;
    Ok(Some(usage))
}
