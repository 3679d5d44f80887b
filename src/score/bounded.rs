//! Numbers in settings with a range: `80` is not a valid share, and 1 is not a valid level.

use std::ops::{Bound, RangeBounds};

use serde::{Deserialize, Deserializer, de};

/// Deserializes an optional rate above 0, up to 1. A rate of 0 would require nothing.
pub(super) fn optional_rate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let Some(value) = Option::deserialize(deserializer)? else { return Ok(None) };
    if value == 0.0 {
        return Err(de::Error::custom("`pass_rate: 0` requires nothing: every run may fail, even at a gate"));
    }
    within(value, 0.0..=1.0, "a share above 0, up to 1, such as 0.8").map(Some)
}

/// Deserializes an optional share from 0 to 1.
pub(super) fn optional_share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let value: Option<f64> = Option::deserialize(deserializer)?;
    value.map(|value| within(value, 0.0..=1.0, "a share from 0 to 1, such as 0.95")).transpose()
}

/// Deserializes a probability between 0 and 1, without the bounds.
pub(super) fn level<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let bounds = (Bound::Excluded(0.0), Bound::Excluded(1.0));
    within(f64::deserialize(deserializer)?, bounds, "a probability between 0 and 1, such as 0.95")
}

/// Deserializes points from 0 to 100.
pub(super) fn points<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    within(f64::deserialize(deserializer)?, 0.0..=100.0, "points from 0 to 100")
}

/// Deserializes optional points from 0 to 100.
pub(super) fn optional_points<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let value: Option<f64> = Option::deserialize(deserializer)?;
    value.map(|value| within(value, 0.0..=100.0, "points from 0 to 100")).transpose()
}

fn within<E: de::Error>(value: f64, bounds: impl RangeBounds<f64>, wanted: &str) -> Result<f64, E> {
    if bounds.contains(&value) {
        return Ok(value);
    }
    Err(E::custom(format!("expected {wanted}, found `{value}`")))
}
