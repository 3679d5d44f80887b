//! Forms of the values of a case's keys, for the schema: types that only describe what is read by hand.
#![expect(dead_code, reason = "the types describe forms, and hold no value")]

mod trace;

use crate::JsonSchema;

pub(super) use trace::Trace;

/// A value, or null.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
pub(super) enum Nullable<T> {
    Null(()),
    Json(T),
}
