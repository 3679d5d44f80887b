//! A text that a pattern matches, for a counterexample.

use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

/// A text that `pattern` is likely to be found in; `None` when the simplest reading of it gives none. Whoever relies
/// on it lets the pattern itself look.
pub(crate) fn find_example(pattern: &str) -> Option<String> {
    let parsed = regex_syntax::parse(pattern).ok()?;
    let mut text = String::new();
    write_example(&parsed, &mut text)?;
    Some(text)
}

/// Appends the shortest text that `part` stands for, first alternatives taken, anchors taken on trust.
fn write_example(part: &Hir, text: &mut String) -> Option<()> {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => text.push(pick_member(class)?),
        HirKind::Repetition(repeated) => {
            (0..repeated.min).try_for_each(|_| write_example(&repeated.sub, text))?;
        }
        HirKind::Capture(group) => write_example(&group.sub, text)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write_example(part, text))?,
        HirKind::Alternation(parts) => write_example(parts.first()?, text)?,
    }
    Some(())
}

/// Picks a character of the class, preferably a lower-case letter or a digit.
fn pick_member(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    // An example is shown to people, and the first member is often a control character.
    let mut readable = ('a'..='z').chain('0'..='9');
    let member =
        readable.find(|c| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(c)));
    member.or_else(|| class.ranges().first().map(ClassUnicodeRange::start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{TextPattern, read_examples};

    #[test]
    fn usual_patterns_have_an_example() {
        for pattern in read_examples::<String>(include_str!("example.json"), "usual") {
            let example = find_example(&pattern).expect("an example");
            let found = TextPattern::new(&pattern).expect(&pattern).is_match(&example);
            assert!(found, "{pattern:?} in {example}");
        }
    }

    #[test]
    fn what_is_no_pattern_has_none() {
        for pattern in ["(?=a)", r"\", "(?<=", "a(b", r"(a)\1"] {
            assert_eq!(find_example(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_nothing_matches_has_none() {
        assert_eq!(find_example("[^\\s\\S]"), None);
    }
}
