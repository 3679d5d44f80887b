//! A line of a batch's results: whose it is, and why it has no answer.
//!
//! OpenAI and Anthropic answer a batch of requests with one line for each, in any order, under the id that the request
//! had.

use crate::reader::json::value::Json;

/// The id of the case that a line answers.
pub(crate) fn case<'v>(line: &'v Json) -> Option<&'v str> {
    let is_result = ["response", "result", "error"].iter().any(|name| line.get(name).is_some());
    line.get("custom_id").filter(|_| is_result)?.as_str()
}

/// Why a line of a batch's results has no answer, if it has none.
pub(crate) fn failure(line: &Json) -> Option<String> {
    const MESSAGES: [&str; 3] =
        ["/error/message", "/response/body/error/message", "/result/error/error/message"];
    case(line)?;
    let message = MESSAGES.iter().find_map(|place| line.pointer(place)?.as_str());
    let ended = line.pointer("/result/type").and_then(Json::as_str).filter(|kind| *kind != "succeeded");
    message.map(|message| format!("error: {message}")).or_else(|| ended.map(ToOwned::to_owned))
}
