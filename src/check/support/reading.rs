//! What settings of several checks are read as: amounts, shares, the choice of a call, settings that depend on a type.

use std::num::NonZeroUsize;

use serde::Deserialize;

use crate::JsonSchema;
use crate::json::Json;
use crate::place::{LoadError, LoadErrors, Place};
use crate::trace::Call;
use crate::yaml::{Key, Node, Placed};

/// The settings beside a `type`, which decides which of them have a meaning.
pub(crate) struct SettingsOfType<'s> {
    /// The place of all settings.
    place: &'s Place,
    /// The settings that are written, with their places.
    given: Vec<(&'static str, &'s Place)>,
}

impl<'s> SettingsOfType<'s> {
    /// No settings, at the place of the mapping.
    pub(crate) fn new(place: &'s Place) -> Self {
        Self { place, given: Vec::new() }
    }

    /// Notes the setting `key`, if it is written.
    pub(crate) fn add<T>(&mut self, key: &'static str, value: Option<&'s Placed<T>>) {
        self.given.extend(value.map(|value| (key, value.place())));
    }

    /// Refuses the written settings that have no meaning for this type.
    pub(crate) fn refuse_others(&self, of_type: &str, known: &[&str]) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        for (key, place) in self.given.iter().filter(|(key, _)| !known.contains(key)) {
            let error =
                LoadError::new((*place).clone(), format!("`{key}` has no meaning with `type: {of_type}`"));
            errors.push(error.help(format!("settings of this type: `{}`", known.join("`, `"))));
        }
        errors.or(())
    }

    /// Returns the value of a setting that this type needs.
    pub(crate) fn require<'v, T>(
        &self,
        key: &str,
        value: Option<&'v Placed<T>>,
    ) -> Result<&'v Placed<T>, LoadError> {
        value.ok_or_else(|| LoadError::new(self.place.clone(), format!("`{key}` is missing")))
    }
}

/// Returns the entries of a mapping. `what` begins the error: `` `prices` is a mapping of models to prices ``.
pub(crate) fn require_entries<'n>(
    node: Node<'n>,
    what: &str,
) -> Result<impl Iterator<Item = (&'n Key, Node<'n>)>, LoadError> {
    node.entries().ok_or_else(|| node.error(format!("{what}, not {}", node.describe())))
}

/// A number from 0 up.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[schemars(inline, extend("minimum" = 0))]
#[serde(try_from = "f64")]
pub(crate) struct Amount(f64);

impl Amount {
    /// The number.
    pub(crate) fn get(self) -> f64 {
        self.0
    }

    /// Returns a number above the amount.
    pub(crate) fn exceeded(self) -> f64 {
        self.0 * 2.0 + 1.0
    }
}

impl TryFrom<f64> for Amount {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if is_amount(value) {
            Ok(Self(value))
        } else {
            Err(format!("expected a number from 0 up, found `{value}`"))
        }
    }
}

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[schemars(inline, extend("minimum" = 0, "maximum" = 1))]
#[serde(try_from = "f64")]
pub(crate) struct Share(f64);

impl Share {
    /// The number.
    pub(crate) fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        require_up_to(1.0, value).map(Self)
    }
}

/// A number from 0 to 1; `true` and null are the usual one.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(inline, extend("anyOf" = [{"type": "number", "minimum": 0, "maximum": 1}, {"enum": [true, null]}]), with = "Json")]
#[serde(try_from = "Json")]
#[cfg_attr(
    not(feature = "verification"),
    expect(dead_code, reason = "without the feature it is named alone")
)]
pub(crate) struct ShareOrUsual(Option<Share>);

#[cfg(feature = "verification")]
impl ShareOrUsual {
    /// The number. None: the usual one.
    pub(crate) fn get(self) -> Option<f64> {
        self.0.map(Share::get)
    }
}

impl TryFrom<Json> for ShareOrUsual {
    type Error = String;

    fn try_from(value: Json) -> Result<Self, String> {
        match value {
            Json::Bool(true) | Json::Null => Ok(Self(None)),
            Json::Number(number) => number.as_f64().map_or_else(
                || Err(format!("expected a number from 0 to 1, found `{number}`")),
                |value| Share::try_from(value).map(|share| Self(Some(share))),
            ),
            other => Err(format!(
                "expected a number from 0 to 1, or `true` for the usual one, found {}",
                other.describe()
            )),
        }
    }
}

/// A number from 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[schemars(inline, extend("minimum" = 0, "maximum" = 100))]
#[serde(try_from = "f64")]
pub(crate) struct Points(f64);

impl Points {
    /// The number.
    pub(crate) fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Points {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        require_up_to(100.0, value).map(Self)
    }
}

fn require_up_to(most: f64, value: f64) -> Result<f64, String> {
    // A value that is not finite is outside, too.
    if (0.0..=most).contains(&value) {
        Ok(value)
    } else {
        Err(format!("expected a number from 0 to {most}, found `{value}`"))
    }
}

/// Whether `value` is finite and not negative.
pub(crate) fn is_amount(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

/// Which calls of a tool must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[schemars(inline, with = "WrittenOccurrence")]
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
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(untagged, expecting = "expected `any`, `all`, `first`, `last`, or the number of a call, from 1 up")]
enum WrittenOccurrence {
    Word(OccurrenceWord),
    Nth(NonZeroUsize),
}

#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
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
