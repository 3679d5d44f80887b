//! Calls with the outcome in the same record: a `result`, an `error`, or neither.

use crate::reader::build::content::all_texts;
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;
use crate::trace::{Call, CallStatus};

/// Adds the `result` and the `error` of a record to its call. In these formats, the key that is present is the outcome.
pub(crate) fn with_result(call: Call, mut record: Object) -> Call {
    let error = error_of(&mut record);
    let result = record.take(&["result"]).map(Json::into_value);
    let status = match (&error, &result) {
        (Some(_), _) => CallStatus::Error,
        (None, Some(_)) => CallStatus::Ok,
        (None, None) => CallStatus::Unanswered,
    };
    Call { result, status, error, ..call }
}

/// Returns the text of a record's `error`, which may be an object with a `message`, or with a `content` that is text.
pub(crate) fn error_of(record: &mut Object) -> Option<String> {
    let error = record.take(&["error"])?;
    let message = error.get("message").and_then(Json::as_str).map(ToOwned::to_owned);
    let content =
        || all_texts(error.get("content")?).filter(|texts| !texts.is_empty()).map(|texts| texts.concat());
    match message.or_else(content) {
        Some(said) => Some(said),
        None => Some(error.into_text_or_json().into_owned()),
    }
}
