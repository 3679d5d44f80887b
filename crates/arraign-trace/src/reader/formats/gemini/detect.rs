//! Detection of the Gemini API: contents, requests, responses, logs of both, and the results of a batch.

use super::{FEEDBACK, content};
use crate::json::JsonNode;
use crate::reader::build::exchange::find_bare_error;
use crate::reader::json::input::Input;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection};

/// Whether a record is a line of a batch's results.
fn is_of_batch(value: &JsonNode) -> bool {
    let answered = ["response", "error"].iter().any(|name| value.get(name).is_some_and(JsonNode::is_object));
    answered && value.get("key").is_some_and(JsonNode::is_string)
}

pub(super) fn detect_format(input: &Input) -> Detection {
    input.first()?;
    let mut best = None;
    for record in &input.records {
        // An error within a stream has the form of an error of any service.
        if find_bare_error(&record.value).is_some() {
            continue;
        }
        let judged =
            judge(&record.value).ok_or_else(|| Reason::of(record.at, "holds no `parts` of contents"))?;
        best = best.max(Some(judged));
    }
    best.ok_or_else(|| "the list is empty".into())
}

fn judge(value: &JsonNode) -> Option<Certainty> {
    // A refused prompt has feedback and no candidates, and is a response all the same.
    let refused = FEEDBACK.iter().any(|name| value.get(name).is_some_and(JsonNode::is_object));
    if value.get("candidates").is_some_and(JsonNode::is_array) || refused {
        return Some(Certainty::Sure);
    }
    if is_of_batch(value) && value.get("response").is_none() {
        return Some(Certainty::Possible);
    }
    if value.get("request").is_some() || value.get("response").is_some() {
        return ["request", "response"].iter().filter_map(|side| judge(value.get(side)?)).max();
    }
    let contents = value.get("contents").and_then(JsonNode::as_array);
    let mut contents = contents.unwrap_or(std::slice::from_ref(value)).iter();
    // One content of another form makes the record a foreign one, so the fold ends with `None`.
    contents
        .try_fold(Certainty::Possible, |best, content| content::judge(content).map(|found| best.max(found)))
}
