//! Case folding as in JavaScript without the flag `u`.
//!
//! Two code units are equal if their upper-case forms are. A form of several code units does not count, nor does an ASCII
//! form of a unit beyond ASCII: `ſ` is not `s`, and the Kelvin sign is not `k`. Rust's `(?i)` treats these as equal, so
//! sets are closed under case here and the flag is never passed on.

use std::sync::LazyLock;

use super::units::UnitSet;

/// The pairs of a folded unit and a different unit that folds to it.
static CASED: LazyLock<Vec<(u16, u16)>> = LazyLock::new(|| {
    let pairs = (0..=u16::MAX).map(|unit| (fold_case(unit), unit));
    let mut cased: Vec<(u16, u16)> = pairs.filter(|(canonical, unit)| canonical != unit).collect();
    cased.sort_unstable();
    cased
});

/// Returns the unit that represents `unit` and all units that differ from it only in case.
pub(super) fn fold_case(unit: u16) -> u16 {
    if let Ok(ascii) = u8::try_from(unit)
        && ascii.is_ascii()
    {
        return u16::from(ascii.to_ascii_uppercase());
    }
    let Some(c) = char::from_u32(u32::from(unit)) else { return unit };
    let mut upper = c.to_uppercase();
    // The rules of ECMAScript (Canonicalize): an upper case of several units is not used, and no other character
    // folds to ASCII.
    match (upper.next().map(|c| u16::try_from(u32::from(c))), upper.next()) {
        (Some(Ok(upper)), None) if upper >= 0x80 => upper,
        _ => unit,
    }
}

/// Adds to `set` all units that differ from a member only in case.
pub(super) fn close_over_case(set: &UnitSet) -> UnitSet {
    let mut ranges = set.ranges().to_vec();
    // By the rule above, ASCII folds only within ASCII. Most sets are ASCII and need no walk through the table.
    if ranges.iter().all(|(_, high)| *high < 0x80) {
        for upper in (0x41..=0x5A).filter(|upper| set.contains(*upper) || set.contains(*upper + 0x20)) {
            ranges.extend([(upper, upper), (upper + 0x20, upper + 0x20)]);
        }
    } else {
        // A group is all units that fold to one. If one of them is in the set, all of them belong to it.
        for group in CASED.chunk_by(|a, b| a.0 == b.0) {
            let touched =
                group.iter().any(|(canonical, unit)| set.contains(*canonical) || set.contains(*unit));
            let members =
                group.iter().flat_map(|(canonical, unit)| [(*canonical, *canonical), (*unit, *unit)]);
            ranges.extend(members.filter(|_| touched));
        }
    }
    UnitSet::new(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(c: char) -> u16 {
        u16::try_from(u32::from(c)).expect("one unit")
    }

    fn same(a: char, b: char) -> bool {
        close_over_case(&UnitSet::from_unit(unit(a))).contains(unit(b))
    }

    #[test]
    fn case_does_not_cross_out_of_ascii() {
        assert!(same('k', 'K') && same('é', 'É') && same('σ', 'ς') && same('µ', 'μ'));
        assert!(
            !same('s', 'ſ')
                && !same('ſ', 's')
                && !same('\u{212A}', 'k')
                && !same('ß', 'ẞ')
                && !same('İ', 'i')
        );
    }

    #[test]
    fn the_short_way_for_ascii_agrees_with_the_table() {
        for unit in 0..0x80 {
            let by_table = (0..=u16::MAX).filter(|other| fold_case(*other) == fold_case(unit));
            assert_eq!(
                close_over_case(&UnitSet::from_unit(unit)),
                UnitSet::new(by_table.map(|unit| (unit, unit)).collect())
            );
        }
    }
}
