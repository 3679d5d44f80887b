//! The times by which the steps of a run are put in order.

use crate::json::{JsonNode, JsonNumber};
use crate::reader::build::clock::nanos;
use crate::reader::error::DecodeError;

/// A point in time.
#[derive(Clone, Copy)]
struct Moment {
    clock: Clock,
    /// In units that only times of one clock share.
    units: i128,
}

/// How times are written. A number may be in any unit, so it cannot be compared with a date.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clock {
    Number,
    Date,
}

/// The times of numbers are compared by so many parts of their unit.
const PARTS: i128 = 1_000_000_000;

/// Puts steps into the order of their times. Steps of one time stay in the order of the file, and a step without a time stays
/// behind the one before it. An error is that of a time.
pub(super) fn order_steps<'v>(
    steps: impl Iterator<Item = (Option<&'v JsonNode<'v>>, &'v JsonNode<'v>)>,
) -> Result<Vec<&'v JsonNode<'v>>, (&'v JsonNode<'v>, DecodeError)> {
    let mut timed = Vec::new();
    let mut last = i128::MIN;
    let mut clock = None;
    for (time, step) in steps {
        if let Some(time) = time {
            let moment = read_moment(time).ok_or_else(|| {
                let problem =
                    format!("invalid time {time}: expected a number, or a time such as 2026-12-20T10:00:00Z");
                (time, DecodeError::new(problem))
            })?;
            if *clock.get_or_insert(moment.clock) != moment.clock {
                let problem = format!(
                    "the time {time} is not written as the times before it: dates and numbers have no order"
                );
                return Err((time, DecodeError::new(problem)));
            }
            last = moment.units;
        }
        timed.push((last, step));
    }
    timed.sort_by_key(|(time, _)| *time);
    Ok(timed.into_iter().map(|(_, step)| step).collect())
}

fn read_moment(value: &JsonNode) -> Option<Moment> {
    let number = |units| Moment { clock: Clock::Number, units };
    match value {
        JsonNode::Number(value) => read_number(value).map(number),
        JsonNode::String(text) => match text.parse::<i64>() {
            Ok(value) => Some(number(i128::from(value) * PARTS)),
            Err(_) => match nanos(text) {
                Some(nanos) => Some(Moment { clock: Clock::Date, units: i128::from(nanos) }),
                None => text.parse().ok().and_then(scale_float).map(number),
            },
        },
        _ => None,
    }
}

fn read_number(number: &JsonNumber) -> Option<i128> {
    // The digits of a time in nanoseconds are more than a float has.
    match number.as_i64() {
        Some(number) => Some(i128::from(number) * PARTS),
        None => number.as_f64().and_then(scale_float),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a time is far below 10^18 units, and has the digits of a float"
)]
fn scale_float(time: f64) -> Option<i128> {
    (time.is_finite() && time.abs() < 1e18).then_some((time * PARTS as f64) as i128)
}
