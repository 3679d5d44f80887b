//! The times by which the steps of a run are put in order.

use super::selector::PathSelector;
use crate::json::{JsonNode, JsonNumber};
use crate::reader::build::clock::nanos;
use crate::reader::error::DecodeError;

/// A point in time, in units that only times of one kind share.
type Moment = i128;

/// The times of numbers are compared by so many parts of their unit.
const PARTS: i128 = 1_000_000_000;

/// Puts steps into the order of the times that `order` selects in them. Steps of one time stay in the order of the file, and a
/// step without a time stays behind the one before it.
pub(super) fn order_steps<'v>(
    order: &PathSelector,
    steps: Vec<&'v JsonNode<'v>>,
) -> Result<Vec<&'v JsonNode<'v>>, (&'v JsonNode<'v>, DecodeError)> {
    let mut timed = Vec::with_capacity(steps.len());
    let mut last = Moment::MIN;
    for step in steps {
        if let Some(time) = order.select(step).first() {
            last = read_moment(time).ok_or_else(|| {
                let problem =
                    format!("invalid time {time}: expected a number, or a time such as 2026-12-20T10:00:00Z");
                (*time, DecodeError::new(problem))
            })?;
        }
        timed.push((last, step));
    }
    timed.sort_by_key(|(time, _)| *time);
    Ok(timed.into_iter().map(|(_, step)| step).collect())
}

fn read_moment(value: &JsonNode) -> Option<Moment> {
    match value {
        JsonNode::Number(number) => read_number(number),
        JsonNode::String(text) => match text.parse::<i64>() {
            Ok(number) => Some(Moment::from(number) * PARTS),
            Err(_) => nanos(text).map(Moment::from).or_else(|| text.parse().ok().and_then(moment_of_float)),
        },
        _ => None,
    }
}

fn read_number(number: &JsonNumber) -> Option<Moment> {
    // The digits of a time in nanoseconds are more than a float has.
    match number.as_i64() {
        Some(number) => Some(Moment::from(number) * PARTS),
        None => number.as_f64().and_then(moment_of_float),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a time is far below 10^18 units, and has the digits of a float"
)]
fn moment_of_float(time: f64) -> Option<Moment> {
    (time.is_finite() && time.abs() < 1e18).then_some((time * PARTS as f64) as Moment)
}
