//! The blocks that two sequences have in common, in order (Ratcliff and Obershelp).
//!
//! The longest common block comes first, then the same search runs to the left and to the right of it. One long block
//! is preferred to many short ones, which is how people see two texts as equal.

use super::automaton::{CommonBlock, longest_block};

/// The longest sequences that are searched for blocks, a limit on the memory of the automaton. Longer ones are compared
/// at their ends only.
const LONGEST: usize = 250_000;

/// The number of symbols that the search examines; gaps that remain are compared at their ends only. The budget
/// suffices for two texts of 100,000 characters that differ in a fifth of them. Without it, a hostile text in which each
/// step finds a block of one symbol would take quadratic time.
const BUDGET: usize = 5_000_000;

/// Returns the common blocks of `old` and `new`, in order. Symbols that the budget leaves unexamined count as
/// different.
pub(super) fn matching_blocks(old: &[u32], new: &[u32]) -> Vec<CommonBlock> {
    let mut budget = BUDGET;
    let mut blocks = Vec::new();
    let mut gaps = vec![Gap { old: (0, old.len()), new: (0, new.len()) }];
    // Each gap is searched for its longest block, which leaves a smaller gap on either side. The order does not matter,
    // because the blocks are sorted at the end.
    while let Some(gap) = gaps.pop() {
        let left = &old[gap.old.0..gap.old.1];
        let right = &new[gap.new.0..gap.new.1];
        if left.is_empty() || right.is_empty() {
            continue;
        }
        let size = left.len() + right.len();
        // The whole size is charged before the search, so that the budget bounds the time, however the gaps fall.
        // Beyond it only equal beginnings and ends are matched, which costs no more than reading them.
        if size > budget || left.len().max(right.len()) > LONGEST {
            blocks.extend(matching_ends(left, right).map(|block| gap.within(block)));
            continue;
        }
        budget -= size;
        let block = longest_block(left, right);
        if block.len > 0 {
            let block = gap.within(block);
            blocks.push(block);
            gaps.extend(gap.around(block));
        }
    }
    blocks.sort_unstable_by_key(|block| block.old);
    blocks
}

/// A part of each sequence, from and to.
struct Gap {
    old: (usize, usize),
    new: (usize, usize),
}

impl Gap {
    /// Converts a block of the gap to a block of the whole sequences.
    fn within(&self, block: CommonBlock) -> CommonBlock {
        CommonBlock { old: self.old.0 + block.old, new: self.new.0 + block.new, len: block.len }
    }

    /// Returns the gaps before and after `block`.
    fn around(&self, block: CommonBlock) -> [Gap; 2] {
        let before = Gap { old: (self.old.0, block.old), new: (self.new.0, block.new) };
        let after =
            Gap { old: (block.old + block.len, self.old.1), new: (block.new + block.len, self.new.1) };
        [before, after]
    }
}

/// Returns the common beginning and the common end of both sequences.
fn matching_ends(old: &[u32], new: &[u32]) -> impl Iterator<Item = CommonBlock> {
    let start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    // The end is looked for behind the beginning, so that the two never overlap.
    let pairs = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = pairs.take_while(|(one, other)| one == other).count();
    let first = CommonBlock { old: 0, new: 0, len: start };
    let last = CommonBlock { old: old.len() - end, new: new.len() - end, len: end };
    [first, last].into_iter().filter(|block| block.len > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(old: &str, new: &str) -> Vec<(usize, usize, usize)> {
        let [old, new] = [old, new].map(|text| text.chars().map(u32::from).collect::<Vec<u32>>());
        let blocks = matching_blocks(&old, &new);
        blocks.iter().map(|block| (block.old, block.new, block.len)).collect()
    }

    #[test]
    fn the_longest_stretch_comes_first_then_what_lies_beside_it() {
        assert_eq!(matched("abxcd", "abcd"), [(0, 0, 2), (3, 2, 2)]);
        assert_eq!(matched("abc", "bac"), [(0, 1, 1), (2, 2, 1)]);
        assert_eq!(matched(" abcd", "abcd abcd"), [(0, 4, 5)]);
        assert_eq!(matched("", "a"), []);
    }

    #[test]
    fn sequences_beyond_the_bound_are_compared_at_their_ends() {
        let old = vec![1; LONGEST + 1];
        let new = [&[1, 1, 2][..], &old[..10], &[3, 1]].concat();
        let lengths: Vec<usize> = matching_blocks(&old, &new).iter().map(|block| block.len).collect();
        assert_eq!(lengths, [2, 1]);
        assert_eq!(matching_blocks(&old, &old), [CommonBlock { old: 0, new: 0, len: LONGEST + 1 }]);
    }
}
