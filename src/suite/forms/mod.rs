//! Forms of the values of a case's keys, for the schema: types that only describe what is read by hand.
#![expect(dead_code, reason = "the types describe forms, and hold no value")]

mod trace;

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use crate::check::support::forms::VerificationSettings;

pub(super) use trace::Trace;

/// A value, or null.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
pub(super) enum Nullable<T> {
    Null(()),
    Json(T),
}

/// What asks for `verification`: `true`, a threshold, or settings.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, rename = "verification"))]
pub(super) enum Verification {
    Null(()),
    Flag(bool),
    Threshold(f64),
    Settings(VerificationSettings),
}
