//! A text that a pattern matches, for a counterexample.

use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

/// A text that `pattern` is likely to be found in; `None` when the simplest reading of it gives none. Whoever relies
/// on it lets the pattern itself look.
pub(crate) fn example(pattern: &str) -> Option<String> {
    let parsed = |pattern: &str| regex_syntax::parse(pattern).ok();
    let parsed = parsed(pattern).or_else(|| parsed(&without_look_around(pattern)))?;
    let mut text = String::new();
    write(&parsed, &mut text)?;
    Some(text)
}

/// The pattern without what must not stand beside it; what must stand beside it is a part of it.
fn without_look_around(pattern: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(pattern.len()), pattern);
    while let Some(c) = rest.chars().next() {
        let refused = ["(?!", "(?<!"].iter().any(|group| rest.starts_with(group));
        let wanted = ["(?=", "(?<="].iter().find(|group| rest.starts_with(**group));
        rest = match wanted {
            _ if refused => &rest[group_length(rest)..],
            Some(group) => {
                plain.push_str("(?:");
                &rest[group.len()..]
            }
            None => {
                let (atom, after) = rest.split_at(if c == '\\' { escape_length(rest) } else { c.len_utf8() });
                plain.push_str(atom);
                after
            }
        };
    }
    plain
}

/// The bytes of a backslash and what it escapes.
fn escape_length(text: &str) -> usize {
    text.chars().take(2).map(char::len_utf8).sum()
}

/// The bytes of a group up to its closing parenthesis. A parenthesis in a class is taken for one that counts.
fn group_length(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(c) = text[at..].chars().next() {
        depth += usize::from(c == '(');
        at += if c == '\\' { escape_length(&text[at..]) } else { c.len_utf8() };
        if c == ')' {
            depth -= 1;
            if depth == 0 {
                break;
            }
        }
    }
    at
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
    use crate::pattern::TextPattern;

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
            let example = example(pattern).expect("an example");
            let found = TextPattern::new(pattern).expect(pattern).is_match(&example);
            assert!(found, "{pattern:?} in {example}");
        }
    }

    #[test]
    fn what_a_pattern_looks_around_for_is_a_part_of_its_example() {
        let shown = [
            (r"(?<!TRK)-88", "-88"),
            ("sorry(?! (about|for) that)[.]", "sorry."),
            ("(?<=an )answer|x", "an answer"),
            (r"a(?!\))\)", "a)"),
        ];
        for (pattern, text) in shown {
            assert_eq!(example(pattern).as_deref(), Some(text), "{pattern}");
        }
    }

    #[test]
    fn what_is_no_pattern_has_none() {
        for pattern in ["(?=a", r"\", "(?<=", "a(b", r"(a)\1"] {
            assert_eq!(example(pattern), None, "{pattern}");
        }
        assert_eq!(example("(?!(").as_deref(), Some(""));
    }

    #[test]
    fn a_pattern_that_nothing_matches_has_none() {
        assert_eq!(example("[^\\s\\S]"), None);
    }
}
