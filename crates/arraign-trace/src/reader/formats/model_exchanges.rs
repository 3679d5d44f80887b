//! `model-exchanges`: exchanges with a model that arraign recorded, one per line.
//!
//! A cassette of the model port: `{"request": {"to": ..., "method": ..., "path": ..., "body": ...}, "response": {"status":
//! ..., "chunks": [...]}}`. The exchanges are read like a log of the provider: Chat Completions, Responses, Anthropic
//! Messages, Gemini, Ollama. Streamed replies are put together. Failed requests and other paths, such as a list of models, are
//! passed over.

use std::collections::BTreeMap;

use crate::reader::error::DecodeError;
use crate::reader::formats::{anthropic, gemini, openai_chat, openai_responses};
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::object::Object;
use crate::reader::json::record_marks::hash_marks;
use crate::reader::json::value::Json;
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

fn is_exchange(value: &Json) -> bool {
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

    /// Puts the pieces of a streamed reply together. The pieces of Gemini are responses of their own.
    fn join_pieces(self, pieces: Vec<Record>) -> Result<Vec<Record>, DecodeError> {
        match self {
            Self::Chat => openai_chat::stream::whole(pieces),
            Self::Ollama => openai_chat::ollama::join_pieces(pieces),
            Self::Responses => openai_responses::stream::whole(pieces),
            Self::Anthropic => anthropic::stream::whole(pieces),
            Self::Gemini => Ok(pieces),
        }
    }
}

/// Reads the exchanges of each protocol as a log. The logs begin in the order of their first exchanges.
fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut logs: BTreeMap<Protocol, Vec<(At, String)>> = BTreeMap::new();
    let mut order = Vec::new();
    for Record { at, value } in input.records {
        let Some((protocol, lines)) = read_exchange(value).map_err(|error| at.in_record(error))? else {
            continue;
        };
        // The map sorts by protocol; the order of the file is kept beside it.
        if !order.contains(&protocol) {
            order.push(protocol);
        }
        logs.entry(protocol).or_default().extend(lines.into_iter().map(|line| (at, line)));
    }
    let mut runs = Vec::new();
    for protocol in order {
        let log = Input::of_texts(&logs[&protocol]).map_err(|error| DecodeError::new(error.to_string()))?;
        runs.extend(protocol.reader().read_runs(log)?);
    }
    Ok(runs)
}

/// Returns the lines of a log for an exchange. `None` for one that is not about messages, or failed.
fn read_exchange(value: Json<'_>) -> Result<Option<(Protocol, Vec<String>)>, DecodeError> {
    let mut exchange = Object::of(value, "an exchange")?;
    let mut request = exchange.object(&["request"])?.unwrap_or_default();
    let mut response = exchange.object(&["response"])?.unwrap_or_default();
    // A client repeats a request that failed, and the repetition counts.
    let failed = response.count(&["status"])?.is_none_or(|status| status >= 400);
    let protocol = request.text(&["path"])?.and_then(|path| Protocol::from_path(&path));
    let Some(protocol) = protocol.filter(|_| !failed) else { return Ok(None) };
    let mut replies = read_replies(protocol, &mut response)?.into_iter();
    let body = request.take(&["body"]).unwrap_or_default();
    let reply = replies.next().unwrap_or_default();
    // The pieces of a stream follow the request as lines of their own.
    let first = Json::object([("request", body), ("response", reply)]).into_value().to_string();
    let lines = std::iter::once(first).chain(replies.map(|reply| reply.into_value().to_string()));
    Ok(Some((protocol, lines.collect())))
}

/// Returns the reply, or the pieces of one that the reader of the protocol puts together itself.
fn read_replies(protocol: Protocol, response: &mut Object) -> Result<Vec<Json<'static>>, DecodeError> {
    let chunks = response.list(&["chunks"])?;
    if chunks.is_empty() {
        return Ok(response.take(&["body"]).map(Json::into_owned).into_iter().collect());
    }
    let text: String = chunks.into_iter().filter_map(Json::into_text).collect();
    let pieces =
        Input::parse(&text).map_err(|error| DecodeError::new(error.to_string()).at_key("response"))?;
    let joined = protocol.join_pieces(pieces.records)?;
    Ok(joined.into_iter().map(|record| record.value.into_owned()).collect())
}
