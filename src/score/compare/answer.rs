//! The similarity of two answers.

use super::alignment::matching_blocks;
use crate::outcome::count_to_f64;
use crate::trace::Trace;

/// Returns the similarity of two texts, from 0 to 1: twice the number of characters in common blocks, divided by the number
/// of all characters. The value equals Python's `difflib.SequenceMatcher(autojunk=False).ratio()`, or is a lower bound for
/// very long texts.
pub fn similarity(one: &str, other: &str) -> f64 {
    if one == other {
        return 1.0;
    }
    let one = to_symbols(one);
    let other = to_symbols(other);
    let shared: usize = matching_blocks(&one, &other).iter().map(|block| block.len).sum();
    2.0 * count_to_f64(shared) / count_to_f64(one.len() + other.len())
}

/// Returns the similarity of the answers of two runs. A missing answer is similar to another missing answer only.
pub(super) fn similarity_of(one: &Trace, other: &Trace) -> f64 {
    match (&one.answer, &other.answer) {
        (Some(one), Some(other)) => similarity(one, other),
        (None, None) => 1.0,
        _ => 0.0,
    }
}

fn to_symbols(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}
