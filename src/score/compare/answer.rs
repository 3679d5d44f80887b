//! How much alike two answers are.

use super::alignment::matching_blocks;
use crate::outcome::count_to_f64;
use crate::trace::Trace;

/// How much alike two texts are, from 0 to 1: twice the characters that they share in order, over all characters.
/// It is Python's `difflib.SequenceMatcher(autojunk=False).ratio()`; of texts too long for that, a lower bound.
pub fn similarity(one: &str, other: &str) -> f64 {
    if one == other {
        return 1.0;
    }
    let (one, other) = (to_symbols(one), to_symbols(other));
    let shared: usize = matching_blocks(&one, &other).iter().map(|block| block.len).sum();
    2.0 * count_to_f64(shared) / count_to_f64(one.len() + other.len())
}

/// The same for the answers of two runs. No answer is like no other answer but none.
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
