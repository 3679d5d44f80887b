//! The flags of a JavaScript regular expression, and the forms in which users write them.

use super::JsRegexError;
use crate::pattern::PatternError;

/// How a pattern is read. Without any, it is read with care for case, `^` and `$` are the ends of the whole text, and
/// a dot stops at the end of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags {
    /// `i`: in any case.
    pub ignore_case: bool,
    /// `m`: `^` and `$` match at every line.
    pub multiline: bool,
    /// `s`: a dot matches the end of a line too.
    pub dot_all: bool,
}

impl Flags {
    /// The flag `i` alone.
    pub const IGNORE_CASE: Self = Self { ignore_case: true, multiline: false, dot_all: false };

    /// Reads flags such as `im`. `d` and `g` change no verdict and are accepted.
    pub fn parse_flags(text: &str) -> Result<Self, PatternError> {
        let mut flags = Self::default();
        for (index, flag) in text.char_indices() {
            if text[..index].contains(flag) {
                return Err(PatternError::FlagTwice { flag, flags: text.to_owned() });
            }
            flags.set_flag(flag)?;
        }
        Ok(flags)
    }

    fn set_flag(&mut self, flag: char) -> Result<(), PatternError> {
        match flag {
            'i' => self.ignore_case = true,
            'm' => self.multiline = true,
            's' => self.dot_all = true,
            'd' | 'g' => {}
            'u' | 'v' | 'y' => return Err(PatternError::UnsupportedFlag(flag)),
            _ => return Err(PatternError::UnknownFlag(flag)),
        }
        Ok(())
    }

    fn merge(self, other: Self) -> Self {
        Self {
            ignore_case: self.ignore_case || other.ignore_case,
            multiline: self.multiline || other.multiline,
            dot_all: self.dot_all || other.dot_all,
        }
    }

    pub(super) fn to_letters(self) -> String {
        let set = [('i', self.ignore_case), ('m', self.multiline), ('s', self.dot_all)];
        set.iter().filter(|(_, set)| *set).map(|(letter, _)| *letter).collect()
    }
}

/// A pattern as a user wrote it, taken apart.
pub(super) struct UserPattern<'t> {
    pub(super) pattern: &'t str,
    pub(super) flags: Flags,
    /// Where the pattern begins in the user's text.
    pub(super) offset: usize,
}

/// A literal `/.../flags` has the flags that it says and no other; a leading `(?ims)` adds to `default`.
pub(super) fn split_user_pattern(text: &str, default: Flags) -> Result<UserPattern<'_>, JsRegexError> {
    let mut written = UserPattern { pattern: text, flags: default, offset: 0 };
    if let Some((pattern, letters)) = split_literal(text) {
        let at = text.len() - letters.len();
        let flags = Flags::parse_flags(letters)
            .map_err(|error| JsRegexError { message: error.to_string(), offset: at })?;
        written = UserPattern { pattern, flags, offset: 1 };
    }
    // Several groups of flags may follow each other: `(?i)(?m)`.
    while let Some((flags, rest)) = split_inline(written.pattern) {
        written.offset += written.pattern.len() - rest.len();
        written = UserPattern { pattern: rest, flags: written.flags.merge(flags), ..written };
    }
    Ok(written)
}

/// The body and the flags of `/body/flags`. A path such as `/api/v1` is not a pattern: JavaScript escapes a slash inside.
fn split_literal(text: &str) -> Option<(&str, &str)> {
    let (body, letters) = text.strip_prefix('/')?.rsplit_once('/')?;
    let is_literal = !body.is_empty() && letters.chars().all(|c| "dgimsuvy".contains(c)) && !ends_early(body);
    is_literal.then_some((body, letters))
}

/// Whether a slash in `body` would end the literal: it is neither escaped nor in a class.
fn ends_early(body: &str) -> bool {
    let mut escaped = false;
    let mut in_class = false;
    for c in body.chars() {
        // A backslash takes the next character with it. If the text ends in the middle of an escape, the last slash
        // was escaped, and it is no literal.
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return true,
            _ => {}
        }
    }
    escaped
}

/// The flags of a leading `(?i)`, `(?ms)`, ... and what follows.
fn split_inline(pattern: &str) -> Option<(Flags, &str)> {
    let (letters, rest) = pattern.strip_prefix("(?")?.split_once(')')?;
    let known = !letters.is_empty() && letters.chars().all(|c| "ims".contains(c));
    known.then(|| (Flags::parse_flags(letters).ok(), rest)).and_then(|(flags, rest)| Some((flags?, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, String) {
        let written = split_user_pattern(text, Flags::IGNORE_CASE).expect(text);
        (written.pattern.to_owned(), written.flags.to_letters())
    }

    #[test]
    fn a_literal_says_its_flags_itself() {
        assert_eq!(read("/a\\/b[/]/ms"), ("a\\/b[/]".into(), "ms".into()));
        assert_eq!(read("/a/"), ("a".into(), String::new()));
        assert_eq!(read("/a/gd"), ("a".into(), String::new()));
    }

    #[test]
    fn a_path_is_no_literal() {
        for path in ["/api/v1", "/a/b/", "//", "/", "/a\\/i", "a/b/i"] {
            assert_eq!(read(path), (path.into(), "i".into()));
        }
    }

    #[test]
    fn leading_flags_add_to_the_default() {
        assert_eq!(read("(?m)^a"), ("^a".into(), "im".into()));
        assert_eq!(read("(?s)(?m)a"), ("a".into(), "ims".into()));
        assert_eq!(read("(?:a)"), ("(?:a)".into(), "i".into()));
    }

    #[test]
    fn other_flags_are_refused_with_a_sentence() {
        let refused = |text| Flags::parse_flags(text).expect_err(text).to_string();
        assert_eq!(refused("u"), "the flag `u` is not supported: use `i`, `m` or `s`");
        assert_eq!(refused("x"), "`x` is no flag of a regular expression: use `i`, `m` or `s`");
        assert_eq!(refused("ii"), "the flag `i` stands twice in `ii`: write it once");
        assert!(split_user_pattern("/a/u", Flags::default()).is_err());
    }
}
