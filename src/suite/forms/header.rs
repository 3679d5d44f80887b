//! Forms of a suite's own keys, and of `arraign.yaml`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;

/// A size: a number of bytes, or a text such as `64 MiB`.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
pub(crate) enum FileSize {
    Bytes(std::num::NonZeroU64),
    Text(String),
}
