//! Which calls of a tool must agree with a check.

use crate::place::LoadError;
use crate::trace::Call;
use crate::yaml::{Node, Value as Yaml};

/// Which calls of a tool must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occurrence {
    Any,
    All,
    First,
    Last,
    /// The n-th, from 1.
    Nth(usize),
}

const CHOICES: &str =
    "write `any`, `all`, `first`, `last`, or the number of the call among those of the tool";

impl Occurrence {
    /// Reads a word or a number.
    pub(crate) fn read(node: Node<'_>) -> Result<Self, LoadError> {
        match (node.value(), node.as_str()) {
            // Numbers count from 1: a 0 is one of the mistakes below.
            (Yaml::Number(number), _) if number.as_u64().is_some_and(|number| number > 0) => Ok(Self::Nth(
                number.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX),
            )),
            (_, Some("any")) => Ok(Self::Any),
            (_, Some("all")) => Ok(Self::All),
            (_, Some("first")) => Ok(Self::First),
            (_, Some("last")) => Ok(Self::Last),
            (_, Some(word)) => Err(node.error(format!("`{word}` is no choice of calls")).help(CHOICES)),
            _ => Err(node.error("expected a word or a number from 1 up").help(CHOICES)),
        }
    }

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

/// A word or the number of a call, for the schema.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
#[expect(dead_code, reason = "describes a setting that is read by hand, with its place")]
pub(crate) enum OccurrenceForm {
    Word(OccurrenceWord),
    Nth(std::num::NonZeroUsize),
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename_all = "snake_case", inline))]
#[expect(dead_code, reason = "describes a setting that is read by hand, with its place")]
pub(crate) enum OccurrenceWord {
    /// One call is enough.
    Any,
    /// Every call.
    All,
    /// The first call.
    First,
    /// The last call.
    Last,
}
