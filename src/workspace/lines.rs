//! The lines that two contents differ in, counted as `git diff --minimal --numstat` does.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The bytes in which git looks for a zero byte: a content with one is no text.
const LOOKED_AT: usize = 8000;

/// How many lines a content has more and less than another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCount {
    /// The lines of the later content alone.
    pub added: u64,
    /// The lines of the earlier content alone.
    pub removed: u64,
    /// Whether one of the contents is no text. Then no lines are counted.
    pub is_binary: bool,
}

/// Whether a content is no text.
fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(LOOKED_AT)].contains(&0)
}

/// Counts the lines in which two contents differ. A missing file is an empty content.
pub fn count_lines(before: &[u8], after: &[u8]) -> LineCount {
    if is_binary(before) || is_binary(after) {
        return LineCount { added: 0, removed: 0, is_binary: true };
    }
    let old: Vec<&[u8]> = before.split_inclusive(|byte| *byte == b'\n').collect();
    let new: Vec<&[u8]> = after.split_inclusive(|byte| *byte == b'\n').collect();
    let common = count_common(&old, &new);
    let count = |lines: usize| u64::try_from(lines - common).unwrap_or(u64::MAX);
    LineCount { added: count(new.len()), removed: count(old.len()), is_binary: false }
}

/// The length of a longest common subsequence: all smallest differences have as many lines.
fn count_common(old: &[&[u8]], new: &[&[u8]]) -> usize {
    // A line that is on one side alone is in no common subsequence. Without such lines, two contents with nothing in common
    // cost nothing, and that is where the search below is slow.
    let mut sides: HashMap<&[u8], (bool, bool, usize)> = HashMap::new();
    for line in old {
        sides.entry(line).or_default().0 = true;
    }
    for line in new {
        sides.entry(line).or_default().1 = true;
    }
    for (number, entry) in sides.values_mut().enumerate() {
        entry.2 = number;
    }
    let number_shared = |lines: &[&[u8]]| -> Vec<usize> {
        let numbers = lines.iter().filter_map(|line| match sides.get(line) {
            Some((true, true, number)) => Some(*number),
            _ => None,
        });
        numbers.collect()
    };
    let operations = capture_diff_slices(Algorithm::Myers, &number_shared(old), &number_shared(new));
    let equal = operations.iter().map(|operation| match operation {
        DiffOp::Equal { len, .. } => *len,
        _ => 0,
    });
    equal.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(before: &str, after: &str) -> (u64, u64) {
        let LineCount { added, removed, .. } = count_lines(before.as_bytes(), after.as_bytes());
        (added, removed)
    }

    #[test]
    fn lines_are_counted_by_the_smallest_difference() {
        assert_eq!(count("a\nb\nc\n", "a\nc\n"), (0, 1));
        assert_eq!(count("", "a\nb"), (2, 0));
        // The last line has no line break on one side: it is another line.
        assert_eq!(count("a\nb", "a\nb\n"), (1, 1));
        assert_eq!(count("a\nb\na\nb\n", "b\na\nb\na\n"), (1, 1));
        assert_eq!(count("a\r\n", "a\n"), (1, 1));
        assert!(count_lines(b"a\0", b"").is_binary);
    }
}
