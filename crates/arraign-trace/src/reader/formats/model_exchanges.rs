//! `model-exchanges`: exchanges with a model that arraign recorded, one per line.
//!
//! A cassette of the model port: `{"request": {"to": ..., "method": ..., "path": ..., "body": ...}, "response": {"status":
//! ..., "chunks": [...]}}`. The exchanges are read like a log of the provider: Chat Completions, Responses, Anthropic
//! Messages, Gemini, Ollama. Streamed replies are put together. Other paths, such as a list of models, are passed over, and so
//! are failed requests but for the last: it ended the run.

use std::collections::BTreeMap;

use crate::json::{JsonNode, JsonObject, parse_borrowed};
use crate::reader::build::exchange::find_refusal;
use crate::reader::error::DecodeError;
use crate::reader::formats::{anthropic, gemini, openai_chat, openai_responses};
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::Splitting;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::Trace;

pub(crate) const READER: Reader = Reader {
    name: "model-exchanges",
    summary: "exchanges with a model, recorded by arraign",
    marks: &hash_marks(["request/"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Never,
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    match input.records.iter().find(|record| !is_exchange(&record.value)) {
        Some(record) => Err(Reason::of(record.at, "is no exchange with a model")),
        None => Ok(Certainty::Sure),
    }
}

fn is_exchange(value: &JsonNode) -> bool {
    let has = |side: &str, key: &str| value.get(side).is_some_and(|side| side.get(key).is_some());
    has("request", "method") && has("request", "path") && has("response", "status")
}

/// The protocols, by the ends of their paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Protocol {
    Chat,
    Ollama,
    Responses,
    Anthropic,
    Gemini,
}

impl Protocol {
    fn from_path(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        let ends = [
            ("/chat/completions", Self::Chat),
            ("/api/chat", Self::Ollama),
            ("/responses", Self::Responses),
            ("/v1/messages", Self::Anthropic),
            (":generateContent", Self::Gemini),
            (":streamGenerateContent", Self::Gemini),
        ];
        ends.into_iter().find(|(end, _)| path.ends_with(end)).map(|(_, protocol)| protocol)
    }

    fn reader(self) -> Reader {
        match self {
            Self::Chat | Self::Ollama => openai_chat::READER,
            Self::Responses => openai_responses::READER,
            Self::Anthropic => anthropic::READER,
            Self::Gemini => gemini::READER,
        }
    }

    /// Puts the pieces of a streamed reply together, whose text is `text`. The pieces of Gemini are responses of their own.
    fn join_pieces<'t>(self, pieces: Vec<Record<'t>>, text: &str) -> Result<Vec<Record<'t>>, DecodeError> {
        match self {
            Self::Chat => openai_chat::stream::whole(pieces, text),
            Self::Ollama => openai_chat::ollama::join_pieces(pieces),
            Self::Responses => openai_responses::stream::whole(pieces),
            Self::Anthropic => anthropic::stream::whole(pieces),
            Self::Gemini => Ok(pieces),
        }
    }
}

/// The lines of a log for an exchange.
struct LoggedExchange {
    protocol: Protocol,
    lines: Vec<String>,
    /// The reason why the request failed.
    failure: Option<String>,
}

/// Reads the exchanges of each protocol as a log. The logs begin in the order of their first exchanges.
fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut logs: BTreeMap<Protocol, Vec<(At, String)>> = BTreeMap::new();
    let mut order = Vec::new();
    // The last failed request, if none succeeded after it: a client repeats such a request, and the repetition counts.
    let mut refused = None;
    for Record { at, value } in input.records {
        let exchange = read_exchange(value).map_err(|error| at.in_record(error))?;
        let Some(LoggedExchange { protocol, lines, failure }) = exchange else { continue };
        if failure.is_some() {
            refused = Some((at, LoggedExchange { protocol, lines, failure }));
            continue;
        }
        refused = None;
        // The map sorts by protocol; the order of the file is kept beside it.
        if !order.contains(&protocol) {
            order.push(protocol);
        }
        logs.entry(protocol).or_default().extend(lines.into_iter().map(|line| (at, line)));
    }
    if let Some((at, LoggedExchange { protocol, lines, failure })) = refused {
        // Without a reply there is no run, and the failure is all that there is to tell.
        let failure = failure.unwrap_or_default();
        let Some(log) = logs.get_mut(&protocol) else {
            return Err(DecodeError::new(format!("no request to the model succeeded: {failure}")));
        };
        log.extend(lines.into_iter().map(|line| (at, line)));
    }
    let mut runs = Vec::new();
    for protocol in order {
        let log = Input::of_texts(&logs[&protocol]).map_err(|error| DecodeError::new(error.to_string()))?;
        runs.extend(protocol.reader().read_runs(log)?);
    }
    Ok(runs)
}

/// Returns the lines of a log for an exchange. `None` for one that is not about messages.
fn read_exchange(value: JsonNode<'_>) -> Result<Option<LoggedExchange>, DecodeError> {
    let mut exchange = JsonObject::of(value, "an exchange")?;
    let mut request = exchange.object(&["request"])?.unwrap_or_default();
    let mut response = exchange.object(&["response"])?.unwrap_or_default();
    let status = response.count(&["status"])?;
    let protocol = request.text(&["path"])?.and_then(|path| Protocol::from_path(&path));
    let Some(protocol) = protocol else { return Ok(None) };
    let body = request.take(&["body"]).unwrap_or_default();
    if status.is_none_or(|status| status >= 400) {
        let failure = describe_failure(status, &mut response);
        let error = JsonNode::object([("message", JsonNode::String(failure.as_str().into()))]);
        let record =
            JsonNode::object([("request", body), ("response", JsonNode::object([("error", error)]))]);
        let lines = vec![record.to_string()];
        return Ok(Some(LoggedExchange { protocol, lines, failure: Some(failure) }));
    }
    let mut replies = read_replies(protocol, &mut response)?.into_iter();
    let reply = replies.next().unwrap_or_default();
    // The pieces of a stream follow the request as lines of their own.
    let first = JsonNode::object([("request", body), ("response", reply)]).to_string();
    let lines = std::iter::once(first).chain(replies.map(|reply| reply.to_string()));
    Ok(Some(LoggedExchange { protocol, lines: lines.collect(), failure: None }))
}

/// Describes why a request failed: the status, and the error in the body, which may have come in chunks.
fn describe_failure(status: Option<u64>, response: &mut JsonObject) -> String {
    let chunks = response.list(&["chunks"]).unwrap_or_default();
    let text: String = chunks.into_iter().filter_map(JsonNode::into_text).collect();
    let of_chunks = parse_borrowed(&text).ok().map(JsonNode::into_static);
    let body = response.take(&["body"]).map(JsonNode::into_static).or(of_chunks).unwrap_or_default();
    let status = status.map_or(JsonNode::Null, |status| JsonNode::Number(status.into()));
    let record = JsonNode::object([("response", JsonNode::object([("status", status), ("body", body)]))]);
    record.as_object().and_then(find_refusal).unwrap_or_else(|| "no response".to_owned())
}

/// Returns the reply, or the pieces of one that the reader of the protocol puts together itself.
fn read_replies(
    protocol: Protocol,
    response: &mut JsonObject,
) -> Result<Vec<JsonNode<'static>>, DecodeError> {
    let chunks = response.list(&["chunks"])?;
    if chunks.is_empty() {
        return Ok(response.take(&["body"]).map(JsonNode::into_static).into_iter().collect());
    }
    let text: String = chunks.into_iter().filter_map(JsonNode::into_text).collect();
    let pieces =
        Input::parse(&text).map_err(|error| DecodeError::new(error.to_string()).at_key("response"))?;
    let joined = protocol.join_pieces(pieces.records, &text)?;
    Ok(joined.into_iter().map(|record| record.value.into_static()).collect())
}
