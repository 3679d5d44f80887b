//! Which calls of a tool must agree with a check.

use std::num::NonZeroUsize;

use serde::Deserialize;

use crate::trace::Call;

/// Which calls of a tool must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, with = "WrittenOccurrence"))]
#[serde(from = "WrittenOccurrence")]
pub(crate) enum Occurrence {
    #[default]
    Any,
    All,
    First,
    Last,
    /// The n-th, from 1.
    Nth(usize),
}

/// A word, or the number of a call among those of the tool.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged, expecting = "expected `any`, `all`, `first`, `last`, or the number of a call, from 1 up")]
enum WrittenOccurrence {
    Word(OccurrenceWord),
    Nth(NonZeroUsize),
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "snake_case")]
enum OccurrenceWord {
    /// One call is enough.
    Any,
    /// Every call.
    All,
    /// The first call.
    First,
    /// The last call.
    Last,
}

impl From<WrittenOccurrence> for Occurrence {
    fn from(written: WrittenOccurrence) -> Self {
        match written {
            WrittenOccurrence::Word(OccurrenceWord::Any) => Self::Any,
            WrittenOccurrence::Word(OccurrenceWord::All) => Self::All,
            WrittenOccurrence::Word(OccurrenceWord::First) => Self::First,
            WrittenOccurrence::Word(OccurrenceWord::Last) => Self::Last,
            WrittenOccurrence::Nth(number) => Self::Nth(number.get()),
        }
    }
}

impl Occurrence {
    /// Chooses among the calls of the tool.
    pub(crate) fn choose<'c>(self, calls: &[&'c Call]) -> Vec<&'c Call> {
        match self {
            Self::Any | Self::All => calls.to_vec(),
            Self::First => calls.first().copied().into_iter().collect(),
            Self::Last => calls.last().copied().into_iter().collect(),
            Self::Nth(number) => calls.get(number - 1).copied().into_iter().collect(),
        }
    }

    /// The choice, for a sentence before the tool's name.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Any => "no call of".to_owned(),
            Self::All => "a call of".to_owned(),
            Self::First => "the first call of".to_owned(),
            Self::Last => "the last call of".to_owned(),
            Self::Nth(number) => format!("call number {number} of"),
        }
    }

    /// The verb after the tool's name.
    pub(crate) fn verb(self) -> &'static str {
        if self == Self::Any { "has" } else { "does not have" }
    }
}
