//! Numbers within bounds, as settings have them.

use serde::Deserialize;

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, !try_from))]
#[serde(try_from = "f64")]
pub(crate) struct Share(#[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))] pub(crate) f64);

/// A number from 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, !try_from))]
#[serde(try_from = "f64")]
pub(crate) struct Points(#[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100)))] pub(crate) f64);

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        require_up_to(1.0, number).map(Self)
    }
}

impl TryFrom<f64> for Points {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        require_up_to(100.0, number).map(Self)
    }
}

fn require_up_to(most: f64, number: f64) -> Result<f64, String> {
    // This is false for a number that is not finite, too.
    if (0.0..=most).contains(&number) {
        return Ok(number);
    }
    Err(format!("expected a number from 0 to {most}, found {number}"))
}
