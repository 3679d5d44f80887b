//! Lines of batch results: the id of the request, and the reason if the request failed.
//!
//! OpenAI and Anthropic answer a batch of requests with one line for each request, in any order, with the id of the
//! request.

use crate::json::JsonNode;
use crate::reader::json::input::Input;
use crate::reader::json::record_marks::{Mark, hash_marks};

/// Whether a file may have the results of a batch. If not, it is certain, and no record needs another look.
pub(crate) fn may_be_batch(input: &Input) -> bool {
    const ID: [Mark; 1] = hash_marks(["custom_id"]);
    input.may_have_any(&ID)
}

/// Returns the id of the request that a line answers.
pub(crate) fn case<'v>(line: &'v JsonNode) -> Option<&'v str> {
    let id = line.get("custom_id")?.as_str()?;
    ["response", "result", "error"].iter().any(|name| line.get(name).is_some()).then_some(id)
}

/// Returns the reason why a request failed; `None` if the line has its answer.
pub(crate) fn failure(line: &JsonNode) -> Option<String> {
    const MESSAGES: [&str; 3] =
        ["/error/message", "/response/body/error/message", "/result/error/error/message"];
    case(line)?;
    let message = MESSAGES.iter().find_map(|place| line.pointer(place)?.as_str());
    let ended = line.pointer("/result/type").and_then(JsonNode::as_str).filter(|kind| *kind != "succeeded");
    message.map(|message| format!("error: {message}")).or_else(|| ended.map(ToOwned::to_owned))
}
