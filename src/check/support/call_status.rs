//! How a call must end, as settings say it.

use serde::Deserialize;

use crate::JsonSchema;
use crate::evidence::Known;
use crate::trace::{Call, CallStatus};

/// How an expected call must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[schemars(rename = "call_status")]
#[serde(rename_all = "snake_case")]
pub(in crate::check) enum WantedStatus {
    /// The call was answered, and nothing says that it failed. A result that looks like a failure leaves it undecided.
    #[default]
    Ok,
    /// The trace records that the call succeeded.
    Succeeded,
    /// The call failed.
    Error,
    /// The call was made, with any result.
    Any,
}

impl WantedStatus {
    /// The predicate of a call that ended so.
    pub(in crate::check) fn words(self) -> &'static str {
        match self {
            Self::Ok | Self::Succeeded => "succeeded",
            Self::Error => "failed",
            Self::Any => "were made",
        }
    }

    /// Whether it is known that `call` ended so. `happened` and `worked` answer whether it happened and worked.
    pub(in crate::check) fn judge(
        self,
        call: &Call,
        happened: impl FnOnce() -> Known,
        worked: impl FnOnce() -> Known,
    ) -> Known {
        match self {
            Self::Ok => happened(),
            Self::Succeeded => worked(),
            Self::Error => match (call.status, worked()) {
                (CallStatus::Error, _) => Known::Yes,
                (CallStatus::Unanswered, _) | (_, Known::Yes) => Known::No,
                (_, Known::No | Known::Unknown) => Known::Unknown,
            },
            Self::Any => Known::Yes,
        }
    }
}
