//! How the calls of a run relate to the expected ones.

use serde::Deserialize;

use crate::JsonSchema;

/// How the calls of a run relate to the expected ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[schemars(rename = "trajectory_mode")]
#[serde(rename_all = "snake_case")]
pub(super) enum TrajectoryMode {
    /// The same calls in the same order, and no others.
    Exact,
    /// Another word for `exact`.
    Strict,
    /// The expected calls in this order; others may come between. The default.
    #[default]
    InOrder,
    /// The same calls in any order, and no others.
    Unordered,
    /// No call beyond the expected ones; each of them may be missing.
    Subset,
    /// Every expected call in any order, and any others.
    Superset,
}

impl TrajectoryMode {
    /// The word that users write.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Exact | Self::Strict => "exact",
            Self::InOrder => "in_order",
            Self::Unordered => "unordered",
            Self::Subset => "subset",
            Self::Superset => "superset",
        }
    }

    /// Whether the order of calls counts.
    pub(super) fn is_ordered(self) -> bool {
        matches!(self, Self::Exact | Self::Strict | Self::InOrder)
    }

    /// Whether a call that is not expected is a violation.
    pub(super) fn forbids_extras(self) -> bool {
        matches!(self, Self::Exact | Self::Strict | Self::Unordered | Self::Subset)
    }

    /// Whether a missing call is a violation.
    pub(super) fn demands_all(self) -> bool {
        self != Self::Subset
    }
}
