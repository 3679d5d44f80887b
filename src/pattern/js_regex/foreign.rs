//! Constructs of other regular expression dialects that JavaScript reads as plain characters, without an error.
//!
//! `[[:digit:]]` is a class of the characters `[:digt` and a bracket after it, and `\A` is the letter A. Such a pattern is
//! valid, so it stays in force; whoever wrote it meant something else.

/// A construct of another dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignConstruct {
    /// The construct, as it is written.
    pub written: String,
    /// The meaning in JavaScript, and what to write instead.
    pub advice: String,
}

/// POSIX classes, with the same characters inside a JavaScript class.
const POSIX_CLASSES: &[(&str, &str)] = &[
    ("alnum", "A-Za-z0-9"),
    ("alpha", "A-Za-z"),
    ("blank", r" \t"),
    ("digit", r"\d"),
    ("lower", "a-z"),
    ("punct", r"!-\/:-@\[-`{-~"),
    ("space", r"\s"),
    ("upper", "A-Z"),
    ("word", r"\w"),
    ("xdigit", "0-9A-Fa-f"),
];

/// Letters after a backslash that mean something in other dialects and only the letter itself in JavaScript.
const ESCAPES: &[(char, &str)] = &[
    ('A', "^"),
    ('Z', "$"),
    ('z', "$"),
    ('h', r"[ \t]"),
    ('R', r"(?:\r\n|\n|\r)"),
    ('X', r"[\s\S]"),
    ('a', r"\x07"),
    ('e', r"\x1B"),
];

/// Unicode properties, with ranges that approximate them.
const PROPERTIES: &[(&str, &str)] = &[
    ("L", r"[A-Za-z\u00C0-\u024F\u0370-\u1FFF\u2C00-\uD7FF]"),
    ("Letter", r"[A-Za-z\u00C0-\u024F\u0370-\u1FFF\u2C00-\uD7FF]"),
    ("Lu", r"[A-Z\u00C0-\u00DE\u0391-\u03A9\u0410-\u042F]"),
    ("Ll", r"[a-z\u00DF-\u00FF\u03B1-\u03C9\u0430-\u044F]"),
    ("N", r"[0-9]"),
    ("Nd", r"[0-9]"),
    ("P", r"[!-\/:-@\[-`{-~\u2010-\u2027]"),
    ("Z", r"\s"),
    ("Zs", r"[ \u00A0\u2000-\u200A]"),
];

/// Lists the foreign constructs of a pattern, each once.
pub(super) fn find_foreign(pattern: &str) -> Vec<ForeignConstruct> {
    let mut found: Vec<ForeignConstruct> = Vec::new();
    let mut at = 0;
    let mut is_in_class = false;
    while let Some(c) = pattern[at..].chars().next() {
        let rest = &pattern[at..];
        // The pattern is scanned as JavaScript reads it: an escape is one step, and a bracket opens a class only
        // outside of one.
        let construct = match c {
            '\\' => find_escape(rest),
            '[' if is_in_class || rest.starts_with("[[:") => find_posix_class(rest),
            '&' if is_in_class && rest.starts_with("&&") => Some(describe_intersection()),
            _ => None,
        };
        match c {
            '[' => {
                // A POSIX class with both brackets closes its class, and the scan goes on outside.
                is_in_class = !construct.as_ref().is_some_and(|construct| construct.written.ends_with("]]"));
            }
            ']' => is_in_class = false,
            _ => {}
        }
        // An escaped bracket opens no class, so an escape is skipped with the character after it.
        let escaped = if c == '\\' { rest[1..].chars().next().map_or(0, char::len_utf8) } else { 0 };
        at += construct.as_ref().map_or(c.len_utf8() + escaped, |construct| construct.written.len());
        found.extend(construct.filter(|construct| !found.contains(construct)));
    }
    found
}

fn find_escape(rest: &str) -> Option<ForeignConstruct> {
    let letter = rest[1..].chars().next()?;
    match letter {
        'p' | 'P' => find_property(rest, letter),
        'x' | 'u' => find_braced_code(rest, letter),
        _ => {
            let (_, instead) = ESCAPES.iter().find(|(known, _)| *known == letter)?;
            let advice = format!("is the letter `{letter}` in JavaScript: write `{instead}`");
            Some(ForeignConstruct { written: format!("\\{letter}"), advice })
        }
    }
}

/// `\p{L}`: without the flag `u`, the letter p and a repetition or plain braces.
fn find_property(rest: &str, letter: char) -> Option<ForeignConstruct> {
    let name = rest[2..].strip_prefix('{')?.split_once('}')?.0;
    let written = format!("\\{letter}{{{name}}}");
    let instead = PROPERTIES.iter().find(|(known, _)| *known == name).map(|(_, instead)| *instead);
    let advice = match instead {
        Some(instead) if letter == 'p' => format!("write the characters as ranges, such as `{instead}`"),
        Some(instead) => format!("write the characters as ranges, such as `(?!{instead})[\\s\\S]`"),
        None => "write the characters as ranges, such as `[\\u0370-\\u03FF]`".to_owned(),
    };
    Some(ForeignConstruct {
        written,
        advice: format!("means the letters `{letter}{{{name}}}` without the flag `u`: {advice}"),
    })
}

/// `\x{263A}` and `\u{1F600}`: a letter and a count in JavaScript without the flag `u`.
fn find_braced_code(rest: &str, letter: char) -> Option<ForeignConstruct> {
    let digits = rest[2..].strip_prefix('{')?.split_once('}')?.0;
    let code = u32::from_str_radix(digits, 16).ok()?;
    let mut units = [0; 2];
    // Without the flag `u`, a character above `\uFFFF` is a pair of units.
    let units = char::from_u32(code)?.encode_utf16(&mut units);
    let instead = units.iter().fold(String::new(), |text, unit| format!("{text}\\u{unit:04X}"));
    let advice = format!("is the letter `{letter}` with a count in JavaScript: write `{instead}`");
    Some(ForeignConstruct { written: format!("\\{letter}{{{digits}}}"), advice })
}

/// `[[:digit:]]`, or `[:digit:]` among other members of a class.
fn find_posix_class(rest: &str) -> Option<ForeignConstruct> {
    let inner = rest.strip_prefix("[[:").or_else(|| rest.strip_prefix("[:"))?;
    let (name, after) = inner.split_once(":]")?;
    let (_, members) = POSIX_CLASSES.iter().find(|(known, _)| *known == name.trim_start_matches('^'))?;
    // With both brackets the class is only this one, and the advice replaces it; within other members only the name
    // is replaced.
    let is_whole = rest.starts_with("[[:") && after.starts_with(']');
    let written = if is_whole { format!("[[:{name}:]]") } else { format!("[:{name}:]") };
    let is_escape = members.starts_with('\\') && members.len() == 2;
    let instead = match (is_whole, name.starts_with('^')) {
        (true, true) => format!("[^{members}]"),
        (true, false) if !is_escape => format!("[{members}]"),
        _ => (*members).to_owned(),
    };
    Some(ForeignConstruct { written, advice: format!("is no class in JavaScript: write `{instead}`") })
}

/// `[a-z&&[^aeiou]]`.
fn describe_intersection() -> ForeignConstruct {
    let advice =
        "is no intersection in JavaScript: put a lookahead before the class, such as `(?![aeiou])[a-z]`";
    ForeignConstruct { written: "&&".to_owned(), advice: advice.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list_written(pattern: &str) -> Vec<String> {
        find_foreign(pattern).into_iter().map(|construct| construct.written).collect()
    }

    #[test]
    fn constructs_of_other_dialects_are_named() {
        assert_eq!(list_written(r"[[:digit:]]{4}"), ["[[:digit:]]"]);
        assert_eq!(list_written(r"[_[:alpha:]]"), ["[:alpha:]"]);
        assert_eq!(list_written(r"\Asorry\z"), [r"\A", r"\z"]);
        assert_eq!(list_written(r"\p{Lu}\p{Greek}"), [r"\p{Lu}", r"\p{Greek}"]);
        assert_eq!(list_written(r"[a-z&&[^aeiou]]"), ["&&"]);
        assert_eq!(find_foreign(r"\x{1F600}")[0].advice.split("write ").last(), Some(r"`\uD83D\uDE00`"));
    }

    #[test]
    fn javascript_itself_has_none() {
        for pattern in
            [r"\\A", r"[a&b]", r"a&&b", r"\bx\B", r"[\]:]", r"\u0041\x41\p", r"[[]a]", r"\[[:a]", r"\d+\s\w"]
        {
            assert_eq!(list_written(pattern), [""; 0], "{pattern}");
        }
    }
}
