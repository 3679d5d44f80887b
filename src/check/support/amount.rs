//! An amount that a user writes: dollars, or milliseconds.

use serde::Deserialize;

/// A number from 0 up.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
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

/// Whether `value` is finite and not negative.
pub(crate) fn is_amount(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}
