//! Joins the halves of characters in a run that was read from a text with halves.

use crate::json::{Json, join_halves as join};
use crate::trace::{Arguments, Trace};

/// Joins the halves of a run that was read from a text with halves.
pub(crate) fn join_halves(run: &mut Trace) {
    let texts = [
        &mut run.id,
        &mut run.agent,
        &mut run.model,
        &mut run.input,
        &mut run.answer,
        &mut run.answer_reasoning,
        &mut run.stop_reason,
    ];
    texts.into_iter().flatten().for_each(join_in_text);
    for message in &mut run.messages {
        join_in_text(&mut message.text);
        message.reasoning.iter_mut().for_each(join_in_text);
    }
    for call in &mut run.calls {
        join_in_text(&mut call.name);
        match &mut call.arguments {
            Arguments::Json(value) => join_in_value(value),
            Arguments::Broken { raw, .. } => join_in_text(raw),
            Arguments::Unrecorded => {}
        }
        call.result.iter_mut().for_each(join_in_value);
        call.error.iter_mut().for_each(join_in_text);
    }
}

fn join_in_value(value: &mut Json) {
    match value {
        Json::String(text) => {
            if let Some(joined) = join(text) {
                *text = joined.into();
            }
        }
        Json::Array(items) => items.iter_mut().for_each(join_in_value),
        Json::Object(entries) => entries.values_mut().for_each(join_in_value),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

fn join_in_text(text: &mut String) {
    if let Some(joined) = join(text) {
        *text = joined;
    }
}
