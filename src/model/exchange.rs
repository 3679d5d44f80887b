//! One exchange with a model: a request and its reply, as a line of a cassette.
//!
//! No header of a request is kept: they contain keys, organisations and cookies, and do not change what a model says.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::json::{self, Json};
use crate::workspace::PathNames;

/// A request and its reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedExchange {
    /// The request.
    pub request: RecordedRequest,
    /// The reply.
    pub response: RecordedReply,
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedRequest {
    /// The name of the provider.
    pub to: String,
    /// The method.
    pub method: String,
    /// The path with its query, without keys.
    pub path: String,
    /// The body: JSON, or a text.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub body: Json,
}

/// The reply to a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedReply {
    /// The status.
    pub status: u16,
    /// The media type.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The body, if it is JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Json>,
    /// The body, if it is another text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The pieces of a streamed body, as they came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunks: Option<Vec<String>>,
    /// Whether the agent hung up before the end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

impl RecordedExchange {
    /// Returns the exchange with a reply in which the names of scratch folders are the paths of this run.
    pub(super) fn restore(exchange: &Arc<Self>, paths: &PathNames) -> Arc<Self> {
        let response = exchange.response.map_texts(&|text| paths.restore_json(text));
        if response == exchange.response {
            return Arc::clone(exchange);
        }
        Arc::new(Self { request: exchange.request.clone(), response })
    }
}

/// Changes the text of a value.
fn map_json(value: &Json, change: &impl Fn(&str) -> String) -> Json {
    let text = value.to_string();
    let changed = change(&text);
    if changed == text {
        value.clone()
    } else {
        json::parse_lenient(&changed).unwrap_or_else(|_| value.clone())
    }
}

impl RecordedRequest {
    /// Returns the request with names in place of the paths of scratch folders.
    pub(super) fn rename(self, paths: &PathNames) -> Self {
        Self { body: map_json(&self.body, &|text| paths.rewrite(text)), ..self }
    }

    /// Builds a request. Parameters of the query that contain keys are left out.
    pub(super) fn new(to: &str, method: &str, path: &str, query: Option<&str>, body: &[u8]) -> Self {
        let parameters = query.unwrap_or_default().split('&').filter(|parameter| !parameter.is_empty());
        let mut kept: Vec<&str> = parameters.filter(|parameter| !is_key(parameter)).collect();
        // The order of parameters has no meaning, and clients write them in different ones.
        kept.sort_unstable();
        let path = if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) };
        let body = match std::str::from_utf8(body).map(json::parse_lenient) {
            Ok(Ok(body)) => body,
            // A request without a body, such as a GET, is not an empty text.
            _ if body.is_empty() => Json::Null,
            _ => Json::String(String::from_utf8_lossy(body).into_owned().into()),
        };
        Self { to: to.to_owned(), method: method.to_owned(), path, body }
    }

    /// Whether the client asks for a stream.
    pub(super) fn is_streamed(&self) -> bool {
        self.body["stream"] == true || self.path.contains(":streamGenerateContent")
    }
}

fn is_key(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
    ["key", "token", "secret"].iter().any(|word| name.contains(word))
}

impl RecordedReply {
    /// Returns the reply with names in place of the paths of scratch folders. A path that a stream splits in two is not found.
    pub(super) fn rename(&self, paths: &PathNames) -> Self {
        self.map_texts(&|text| paths.rewrite(text))
    }

    fn map_texts(&self, change: &impl Fn(&str) -> String) -> Self {
        Self {
            body: self.body.as_ref().map(|body| map_json(body, change)),
            text: self.text.as_deref().map(change),
            chunks: self.chunks.as_ref().map(|chunks| chunks.iter().map(|chunk| change(chunk)).collect()),
            ..self.clone()
        }
    }

    /// Builds a reply from the pieces of its body. `None` if the body is not text, which a cassette cannot contain.
    pub(super) fn new(
        status: u16,
        media_type: Option<String>,
        pieces: Vec<Vec<u8>>,
        cut: bool,
    ) -> Option<Self> {
        let mut reply = Self { status, media_type, cut, ..Self::default() };
        // A stream keeps its pieces: a replay sends them one by one, as the provider did.
        if reply.has_stream() {
            reply.chunks = Some(split_at_characters(pieces, cut)?);
            return Some(reply);
        }
        let text = String::from_utf8(pieces.concat()).ok()?;
        match json::parse_lenient(&text) {
            Ok(body) => reply.body = Some(body),
            Err(_) => reply.text = Some(text),
        }
        Some(reply)
    }

    /// Whether the media type is one of streams.
    fn has_stream(&self) -> bool {
        let streams = ["text/event-stream", "application/x-ndjson", "application/jsonl"];
        self.media_type.as_ref().is_some_and(|name| streams.iter().any(|stream| name.starts_with(stream)))
    }

    /// Whether another attempt may end otherwise. Clients repeat such requests, and a replay must not make them wait.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self.status, 408 | 409 | 425 | 429) || self.status >= 500
    }

    /// Whether the agent hung up before it had a body of which it could use a part.
    pub(super) fn is_useless(&self) -> bool {
        self.cut && self.chunks.is_none()
    }

    /// Returns the pieces of the body.
    pub(super) fn pieces(&self) -> Vec<Vec<u8>> {
        // A streamed body is replayed in the pieces in which it came, since clients read them one by one.
        if let Some(chunks) = &self.chunks {
            return chunks.iter().map(|chunk| chunk.as_bytes().to_vec()).collect();
        }
        let text = self.body.as_ref().map(Json::to_string).or_else(|| self.text.clone());
        text.into_iter().map(String::into_bytes).collect()
    }
}

/// Converts the pieces to texts. A character that is split between two pieces goes to the second. Of a body that was `cut`, the
/// last character may be incomplete, and is left out.
fn split_at_characters(pieces: Vec<Vec<u8>>, cut: bool) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    let mut rest = Vec::new();
    for piece in pieces {
        rest.extend(piece);
        let whole = match std::str::from_utf8(&rest) {
            Ok(_) => rest.len(),
            // The bytes so far are fine, and the last character is not complete yet.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return None,
        };
        let after = rest.split_off(whole);
        if !rest.is_empty() {
            texts.push(String::from_utf8(rest).ok()?);
        }
        rest = after;
    }
    (cut || rest.is_empty()).then_some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_a_query_are_left_out() {
        let request = RecordedRequest::new("gemini", "POST", "/v1/x", Some("key=AIza1&b=2&alt=sse"), b"{}");
        assert_eq!(request.path, "/v1/x?alt=sse&b=2");
        assert_eq!(RecordedRequest::new("openai", "GET", "/v1/models", None, b"").path, "/v1/models");
    }

    #[test]
    fn a_split_character_goes_to_the_second_piece() {
        let pieces = vec![b"a\xc3".to_vec(), b"\xa9b".to_vec(), b"c".to_vec()];
        let reply = RecordedReply::new(200, Some("text/event-stream".to_owned()), pieces, false);
        let reply = reply.expect("text");
        assert_eq!(reply.chunks, Some(vec!["a".to_owned(), "\u{e9}b".to_owned(), "c".to_owned()]));
        assert!(RecordedReply::new(200, None, vec![b"\xff".to_vec()], false).is_none());
        let cut =
            RecordedReply::new(200, Some("text/event-stream".to_owned()), vec![b"a\xc3".to_vec()], true);
        assert_eq!(cut.expect("text").chunks, Some(vec!["a".to_owned()]));
    }
}
