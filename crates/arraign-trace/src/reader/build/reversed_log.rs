//! Logs in reverse order, as consoles of log services export them: the newest record first.
//!
//! Read as they stand, the results come before their calls and are lost, and every order is the opposite. Two things
//! together show it: the times of the records fall, and a result stands before its call. Either alone is ordinary.

use std::collections::HashSet;

use crate::json::JsonNode;
use crate::reader::build::clock::nanos;
use crate::reader::build::evidence::CallEvidence;
use crate::reader::json::input::{Input, Record};
use crate::trace::{RecordPlace, Trace, UnreadContent, UnreadPart};

/// The formats whose readers sort by time themselves.
const SORTED: [&str; 2] = ["otel", "inspect"];

/// The keys under which records have their time.
const TIMES: [&str; 9] =
    ["timestamp", "time", "ts", "created_at", "createdAt", "created", "start_time", "startTime", "date"];

/// Whether the records of an input are in reverse order.
pub(crate) fn is_reversed(input: &Input, format: &str) -> bool {
    !SORTED.contains(&format) && do_times_fall(&input.records) && has_early_result(&input.records)
}

/// Notes with each run that its file is in reverse order.
pub(crate) fn note_reversed(runs: &mut [Trace]) {
    for run in runs {
        run.push_unread([UnreadPart::new(RecordPlace::default(), UnreadContent::Reversed)]);
    }
}

/// Whether the times of at least three quarters of neighbours fall, from the first record to the last.
fn do_times_fall(records: &[Record]) -> bool {
    // Nearly all files are in order, which their first and last times show. Not every kind of record has one.
    const LOOKED_AT: usize = 16;
    let find = |record: &Record| time_of(&record.value);
    let first = records.iter().take(LOOKED_AT).find_map(find);
    let last = records.iter().rev().take(LOOKED_AT).find_map(find);
    if !first.zip(last).is_some_and(|(first, last)| first > last) {
        return false;
    }
    let times: Vec<f64> = records.iter().filter_map(find).collect();
    let count = |falls: fn(f64, f64) -> bool| times.windows(2).filter(|pair| falls(pair[0], pair[1])).count();
    // Records of one moment say nothing about the order.
    let falling = count(|one, next| one > next);
    let rising = count(|one, next| one < next);
    4 * falling >= 3 * (falling + rising)
}

/// The time of a record, in an order that is right among records of one kind.
#[expect(
    clippy::cast_precision_loss,
    reason = "times are only compared, and these have 53 bits to the microsecond"
)]
fn time_of(record: &JsonNode) -> Option<f64> {
    TIMES.iter().find_map(|key| match record.get(key)? {
        JsonNode::Number(number) => number.as_f64(),
        JsonNode::String(text) => nanos(text).map(|time| time as f64).or_else(|| text.parse().ok()),
        _ => None,
    })
}

/// Whether a result stands before the call that it answers.
fn has_early_result(records: &[Record]) -> bool {
    let mut answered = HashSet::new();
    let mut called = HashSet::new();
    for Record { at, value } in records {
        for clue in CallEvidence::gather(*at, value).clues {
            let Some(id) = clue.mention.id else { continue };
            if !clue.mention.is_call {
                if !called.contains(&id) {
                    answered.insert(id);
                }
            } else if answered.contains(&id) {
                return true;
            } else {
                called.insert(id);
            }
        }
    }
    false
}
