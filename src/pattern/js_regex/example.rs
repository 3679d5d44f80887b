//! Texts that are likely to match a pattern, and texts that are likely not to. Whoever uses one asks the engine.

use super::syntax::{JsAssertion, JsLook, JsPart, JsPattern};
use super::units::UnitSet;

/// The number of different readings of a pattern: each takes other alternatives.
const READINGS: usize = 4;

/// The largest count of a repetition that an example writes out.
const MAX_REPEATS: u32 = 2000;

/// Texts without a particular form, which most patterns that forbid something let pass, and many that require something
/// do not.
const PLAIN_TEXTS: &[&str] = &["", " ", "x", "0", "\n", "é", "x 0\ny"];

/// Lists texts that the pattern is likely to be found in.
pub(super) fn list_matches(pattern: &JsPattern) -> Vec<String> {
    let mut texts = Vec::new();
    for choice in 0..READINGS {
        let text = write_reading(&pattern.root, pattern.groups, choice);
        // A boundary that needs a neighbour of the match is served by one on either side.
        for (before, after) in [("", ""), ("a", ""), ("", "a"), ("a", "a"), (" ", " "), ("\n", "\n")] {
            texts.push(format!("{before}{text}{after}"));
        }
    }
    texts
}

/// Lists texts that the pattern is likely not to be found in: plain ones, long ones, and those that a negative look around
/// forbids.
pub(super) fn list_misses(pattern: &JsPattern) -> Vec<String> {
    let mut texts: Vec<String> = PLAIN_TEXTS.iter().map(|text| (*text).to_owned()).collect();
    let mut bodies = Vec::new();
    collect_forbidden(&pattern.root, &mut bodies);
    for body in bodies {
        texts.extend((0..READINGS).map(|choice| write_reading(body, pattern.groups, choice)));
    }
    // Long texts miss patterns with a limit of length, such as `^.{0,100}$`.
    texts.extend(["x", "0 ", "\n"].map(|text| text.repeat(5000)));
    texts
}

fn write_reading(part: &JsPart, groups: usize, choice: usize) -> String {
    let mut writer =
        ExampleWriter { units: Vec::new(), after: Vec::new(), groups: vec![Vec::new(); groups + 1], choice };
    writer.write_part(part);
    writer.units.append(&mut writer.after);
    String::from_utf16_lossy(&writer.units)
}

/// Writes one text for a pattern, first the simplest one.
struct ExampleWriter {
    units: Vec<u16>,
    /// What a lookahead asks for: it comes after everything else, where a `.*` in the lookahead finds it.
    after: Vec<u16>,
    groups: Vec<Vec<u16>>,
    choice: usize,
}

impl ExampleWriter {
    fn write_part(&mut self, part: &JsPart) {
        match part {
            JsPart::Unit(set) => self.units.extend(pick_unit(set, self.choice)),
            JsPart::Sequence(parts) => parts.iter().for_each(|part| self.write_part(part)),
            JsPart::Alternatives(parts) => {
                if let Some(part) = parts.get(self.choice % parts.len().max(1)) {
                    self.write_part(part);
                }
            }
            JsPart::Capture(group, body) => {
                // What the body writes is the text of the group. A later back-reference repeats it.
                let start = self.units.len();
                self.write_part(body);
                let captured = self.units.get(start..).map(<[u16]>::to_vec);
                if let (Some(kept), Some(captured)) = (self.groups.get_mut(*group), captured) {
                    *kept = captured;
                }
            }
            JsPart::Repeat(repeat) => {
                // The second reading takes optional parts once.
                // A part that is optional would be left out of every reading otherwise, and an alternative inside of
                // it never be seen.
                let least = if self.choice == 0 { repeat.min } else { repeat.min.max(1) };
                let times = least.min(repeat.max.unwrap_or(least)).min(MAX_REPEATS);
                (0..times).for_each(|_| self.write_part(&repeat.body));
            }
            JsPart::Reference { group, .. } => {
                let captured = self.groups.get(*group).cloned().unwrap_or_default();
                self.units.extend(captured);
            }
            JsPart::Look(look) => self.write_look(look),
            JsPart::Assertion(JsAssertion::LineStart) if !self.units.is_empty() => {
                self.units.push(u16::from(b'\n'));
            }
            JsPart::Assertion(_) => {}
        }
    }

    fn write_look(&mut self, look: &JsLook) {
        if look.negative {
            return;
        }
        if look.behind {
            return self.write_part(&look.body);
        }
        // What a look-ahead asks for comes behind the match. It is written apart, and added at the end.
        let before = std::mem::take(&mut self.units);
        self.write_part(&look.body);
        let asked = std::mem::replace(&mut self.units, before);
        self.after.extend(asked);
    }
}

/// Picks a readable member of the set.
fn pick_unit(set: &UnitSet, choice: usize) -> Option<u16> {
    let readable = (b'a'..=b'z').chain(b'0'..=b'9').chain(b' '..=b'~').map(u16::from);
    let members: Vec<u16> = readable.filter(|unit| set.contains(*unit)).collect();
    let first = set.ranges().first().map(|(low, _)| *low);
    members.get(choice % members.len().max(1)).copied().or(first)
}

/// Collects what the pattern forbids around a match.
fn collect_forbidden<'p>(part: &'p JsPart, found: &mut Vec<&'p JsPart>) {
    match part {
        JsPart::Sequence(parts) | JsPart::Alternatives(parts) => {
            for part in parts {
                collect_forbidden(part, found);
            }
        }
        JsPart::Capture(_, body) => collect_forbidden(body, found),
        JsPart::Repeat(repeat) => collect_forbidden(&repeat.body, found),
        JsPart::Look(look) if look.negative => found.push(&look.body),
        // A lookahead that is wanted may forbid something inside of it.
        JsPart::Look(look) => collect_forbidden(&look.body, found),
        JsPart::Unit(_) | JsPart::Assertion(_) | JsPart::Reference { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::pattern::{Flags, JsRegex, read_examples};

    const EXAMPLES: &str = include_str!("examples.json");

    #[test]
    fn usual_patterns_have_a_text_that_matches() {
        for pattern in read_examples::<String>(EXAMPLES, "matching") {
            let regex = JsRegex::new(&pattern, Flags::default()).expect(&pattern);
            let text = regex.find_matching_text().unwrap_or_else(|| panic!("{pattern} has none"));
            assert_eq!(regex.is_match(&text), Ok(true), "{pattern} in {text:?}");
        }
    }

    #[test]
    fn usual_patterns_have_a_text_that_does_not_match() {
        for pattern in read_examples::<String>(EXAMPLES, "other") {
            let regex = JsRegex::new(&pattern, Flags::default()).expect(&pattern);
            let text = regex.find_other_text().unwrap_or_else(|| panic!("{pattern} has none"));
            assert_eq!(regex.is_match(&text), Ok(false), "{pattern} in {text:?}");
        }
    }

    #[test]
    fn a_pattern_that_is_proven_vacuous_has_none() {
        assert_eq!(JsRegex::new("$a", Flags::default()).expect("a pattern").find_matching_text(), None);
        assert_eq!(JsRegex::new(".*", Flags::default()).expect("a pattern").find_other_text(), None);
    }
}
