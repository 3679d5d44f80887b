//! A set of UTF-16 code units: what one position of a JavaScript text may hold.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnitSet {
    /// Sorted, both ends included; they neither overlap nor touch.
    ranges: Vec<(u16, u16)>,
    /// A bit for each ASCII member: nearly all texts are ASCII, and each position is asked.
    ascii: u128,
}

const DIGITS: &[(u16, u16)] = &[(0x30, 0x39)];
const WORD: &[(u16, u16)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
const LINE_ENDS: &[(u16, u16)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];
const SPACES: &[(u16, u16)] = &[
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];

impl UnitSet {
    pub(super) fn from_unit(unit: u16) -> Self {
        Self::from_sorted(vec![(unit, unit)])
    }

    pub(super) fn new(mut ranges: Vec<(u16, u16)>) -> Self {
        // Sorted ranges overlap or touch only their neighbours, so one pass merges them.
        ranges.sort_unstable();
        let mut merged: Vec<(u16, u16)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        Self::from_sorted(merged)
    }

    fn from_sorted(ranges: Vec<(u16, u16)>) -> Self {
        let ascii = ranges.iter().flat_map(|(low, high)| *low..=(*high).min(0x7F));
        Self { ascii: ascii.fold(0, |bits, unit| bits | 1 << unit), ranges }
    }

    pub(super) fn all_units() -> Self {
        Self::from_sorted(vec![(0, u16::MAX)])
    }

    /// Returns the units that a dot means without the flag `s`.
    pub(super) fn non_line_ends() -> Self {
        Self::from_sorted(LINE_ENDS.to_vec()).complement()
    }

    /// Returns the units that `\d`, `\D`, `\s`, `\S`, `\w` or `\W` means. Other letters name no set.
    pub(super) fn find_escape(letter: char) -> Option<Self> {
        let ranges = match letter.to_ascii_lowercase() {
            'd' => DIGITS,
            's' => SPACES,
            'w' => WORD,
            _ => return None,
        };
        let set = Self::from_sorted(ranges.to_vec());
        // The letter in upper case means all other units.
        Some(if letter.is_ascii_uppercase() { set.complement() } else { set })
    }

    pub(super) fn complement(&self) -> Self {
        // The complement is what lies between the ranges. `next` is the first unit behind the last range.
        let mut gaps = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        // A range at 0 has no gap before it, and one at 0xFFFF none behind it.
        for (low, high) in &self.ranges {
            if let Some(before) = low.checked_sub(1).filter(|before| *before >= next) {
                gaps.push((next, before));
            }
            let Some(after) = high.checked_add(1) else { return Self::from_sorted(gaps) };
            next = after;
        }
        gaps.push((next, u16::MAX));
        Self::from_sorted(gaps)
    }

    pub(super) fn contains(&self, unit: u16) -> bool {
        if unit < 0x80 {
            // Most units are ASCII, and one bit answers for each.
            return self.ascii >> unit & 1 == 1;
        }
        let after = self.ranges.partition_point(|(low, _)| *low <= unit);
        after.checked_sub(1).is_some_and(|index| unit <= self.ranges[index].1)
    }

    pub(super) fn ranges(&self) -> &[(u16, u16)] {
        &self.ranges
    }
}

/// Whether `unit` ends a line: `\n`, `\r`, U+2028 or U+2029.
pub(super) fn ends_line(unit: u16) -> bool {
    LINE_ENDS.iter().any(|(low, high)| (*low..=*high).contains(&unit))
}

/// Whether `\w` holds `unit`.
pub(super) fn is_word_unit(unit: u16) -> bool {
    WORD.iter().any(|(low, high)| (*low..=*high).contains(&unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complement_of_a_complement_is_the_set() {
        for set in [
            UnitSet::all_units(),
            UnitSet::from_unit(0),
            UnitSet::from_unit(u16::MAX),
            UnitSet::new(vec![(3, 9), (5, 7), (10, 11)]),
        ] {
            assert_eq!(set.complement().complement(), set);
            assert!((0..=u16::MAX).all(|unit| set.contains(unit) != set.complement().contains(unit)));
        }
    }
}
