//! What the formats of others ask of each call: a turn, an id of its own, arguments, and a result that is a text.

use std::collections::HashSet;

use crate::json::{Json, JsonMap};

/// The calls that were written so far.
#[derive(Debug, Default)]
pub(super) struct WrittenCalls {
    count: usize,
    last_turn: usize,
    ids: HashSet<String>,
}

/// A call of the native form.
pub(super) struct WrittenCall {
    /// The turn that made it.
    pub(super) turn: usize,
    /// Its id, or a new one if it has none, or if another call has the same.
    pub(super) id: String,
}

impl WrittenCalls {
    /// Adds a call in the native form, which comes after all calls so far.
    pub(super) fn add(&mut self, step: &JsonMap) -> WrittenCall {
        self.count += 1;
        let turn = step.get("turn").and_then(Json::as_u64).and_then(|turn| usize::try_from(turn).ok());
        let turn = turn.unwrap_or(self.last_turn + 1);
        self.last_turn = self.last_turn.max(turn);
        let own = step.get("id").and_then(Json::as_str).map(ToOwned::to_owned);
        let mut id = own.unwrap_or_else(|| format!("call_{}", self.count));
        while !self.ids.insert(id.clone()) {
            id = format!("{id}_{}", self.count);
        }
        WrittenCall { turn, id }
    }
}

/// The steps of a run in the native form.
pub(super) fn steps_of(run: &JsonMap) -> &[Json] {
    run.get("steps").and_then(Json::as_array).unwrap_or_default()
}

/// The name of the tool, as its host wrote it.
pub(super) fn written_name(step: &JsonMap) -> Json {
    step.get("written").or_else(|| step.get("call")).cloned().unwrap_or_default()
}

/// The result as a text, or else the error. `None`: the call has neither.
pub(super) fn result_text(step: &JsonMap) -> Option<Json> {
    match step.get("result") {
        Some(Json::String(text)) => Some(Json::String(text.clone())),
        Some(other) => Some(Json::from(other.to_string())),
        None => step.get("error").cloned(),
    }
}
