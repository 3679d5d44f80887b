//! A text that a pattern matches, for a counterexample.

use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

use crate::pattern::TextPattern;

/// A text that `pattern` is found in; `None` when the simplest reading of it gives none.
pub(super) fn text(pattern: &TextPattern) -> Option<String> {
    let parsed = regex_syntax::parse(pattern.as_str()).ok()?;
    let mut text = String::new();
    write(&parsed, &mut text)?;
    pattern.is_match(&text).then_some(text)
}

/// Appends the shortest text that `part` stands for, first alternatives taken, anchors taken on trust.
fn write(part: &Hir, text: &mut String) -> Option<()> {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => text.push(member(class)?),
        HirKind::Repetition(repeated) => {
            (0..repeated.min).try_for_each(|_| write(&repeated.sub, text))?;
        }
        HirKind::Capture(group) => write(&group.sub, text)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, text))?,
        HirKind::Alternation(parts) => write(parts.first()?, text)?,
    }
    Some(())
}

/// A character of the class, one that is easy to read where there is one.
fn member(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let contains = |c: &char| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(c));
    let readable = ('a'..='z').chain('0'..='9').find(contains);
    readable.or_else(|| class.ranges().first().map(ClassUnicodeRange::start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_patterns_have_an_example() {
        for pattern in [
            "^make test",
            r"\.aws/credentials",
            r"^curl\b.*-d",
            r"^\d+$",
            "",
            "a.c",
            r"refund\s+now",
            "^[0-9]{4,}$",
            "^(ab|cd){3}$",
            "(?i)^DROP (TABLE|INDEX)",
            "[^a-z0-9]",
            "é|ü",
        ] {
            let pattern = TextPattern::new(pattern).expect(pattern);
            let example = text(&pattern).expect("an example");
            assert!(pattern.is_match(&example), "{pattern:?} in {example}");
        }
    }

    #[test]
    fn a_pattern_that_nothing_matches_has_none() {
        let pattern = TextPattern::new("[^\\s\\S]").expect("a pattern");
        assert_eq!(text(&pattern), None);
    }
}
