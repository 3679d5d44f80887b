//! A tool's name, or a glob over names.
//!
//! A star crosses every character, `/`, `.`, `:` and `__` included: tool names are no paths, and a blocklist that
//! stops at a slash lets `server/admin_reset` through.

use std::fmt;
use std::sync::Arc;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Deserializer, de};
use smol_str::SmolStr;

use arraign_trace::compiled::Compiled;

/// The longest glob that is compiled; longer ones are no names of tools.
const MAX_GLOB_BYTES: usize = 256;

static GLOBS: Compiled<GlobSet> = Compiled::empty();

/// Matches tool names: one name exactly, or all that a glob describes.
///
/// ```
/// # use arraign::__internals::pattern::ToolPattern;
/// let admin = ToolPattern::new("admin_*")?;
/// assert!(admin.matches("admin_reset") && !admin.matches("Admin_reset"));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone)]
pub struct ToolPattern {
    text: SmolStr,
    case_sensitive: bool,
    glob: Option<Arc<GlobSet>>,
}

/// Whether `text` holds a glob character: any of `* ? [ ] { }`.
pub fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', ']', '{', '}'])
}

impl ToolPattern {
    /// A case-sensitive pattern. The error is a sentence for the user.
    pub fn new(text: &str) -> Result<Self, String> {
        Self::with_case(text, true)
    }

    /// The same pattern, blind to case.
    pub fn in_any_case(&self) -> Result<Self, String> {
        Self::with_case(&self.text, false)
    }

    fn with_case(text: &str, case_sensitive: bool) -> Result<Self, String> {
        if text.is_empty() {
            return Err("an empty name matches nothing".to_owned());
        }
        let glob = if is_glob(text) { Some(compile_glob(text, case_sensitive)?) } else { None };
        Ok(Self { text: SmolStr::new(text), case_sensitive, glob })
    }

    /// Whether `name` is meant.
    pub fn matches(&self, name: &str) -> bool {
        match &self.glob {
            Some(glob) => glob.is_match(name),
            None if self.case_sensitive => self.text == name,
            None => self.text.to_lowercase() == name.to_lowercase(),
        }
    }

    /// As the user wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name itself, when it is one name and no glob.
    pub fn exact(&self) -> Option<&str> {
        self.glob.is_none().then_some(self.text.as_str())
    }

    /// A name that this pattern matches, for a counterexample; `None` when it cannot be told.
    pub fn example(&self) -> Option<String> {
        let Some(glob) = &self.glob else { return Some(self.text.to_string()) };
        list_candidates(&self.text).into_iter().find(|name| glob.is_match(name))
    }
}

/// Names that a glob is likely to match: its wildcards filled in, its first alternatives taken.
fn list_candidates(glob: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut chars = glob.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' => {}
            '?' => plain.push('x'),
            '[' => plain.push(pick_class_member(&mut chars)),
            '{' => plain.push_str(&take_first_alternative(&mut chars)),
            '\\' => plain.extend(chars.next()),
            c => plain.push(c),
        }
    }
    vec![plain.clone(), format!("{plain}x"), format!("x{plain}"), "x".to_owned()]
}

fn pick_class_member(chars: &mut std::str::Chars<'_>) -> char {
    let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
    match inside.strip_prefix(['!', '^']) {
        Some(excluded) => ('!'..='~').find(|c| !excluded.contains(*c) && !c.is_alphanumeric()).unwrap_or('x'),
        None => inside.chars().next().unwrap_or('x'),
    }
}

fn take_first_alternative(chars: &mut std::str::Chars<'_>) -> String {
    let inside: String = chars.by_ref().take_while(|c| *c != '}').collect();
    inside.split(',').next().unwrap_or_default().to_owned()
}

fn compile_glob(text: &str, case_sensitive: bool) -> Result<Arc<GlobSet>, String> {
    if text.len() > MAX_GLOB_BYTES {
        return Err(format!("the pattern is longer than {MAX_GLOB_BYTES} bytes"));
    }
    let key = format!("{}{text}", if case_sensitive { 's' } else { 'i' });
    GLOBS.get(&key, || {
        let glob = GlobBuilder::new(text)
            .literal_separator(false)
            .backslash_escape(true)
            .empty_alternates(true)
            .case_insensitive(!case_sensitive)
            .build()
            .map_err(|error| format!("`{text}` is not a pattern: {}", error.kind()))?;
        let set = GlobSetBuilder::new().add(glob).build();
        set.map_err(|error| format!("`{text}` is not a pattern: {}", error.kind()))
    })
}

impl fmt::Debug for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolPattern({:?})", self.text)
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for ToolPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        ToolPattern::new(pattern).expect(pattern).matches(name)
    }

    #[test]
    fn a_star_crosses_every_character() {
        for name in ["admin_reset", "admin_a/b", "admin_a.b", "admin_a::b", "admin_"] {
            assert!(matches("admin_*", name), "{name}");
        }
        assert!(matches("*_dangerous", "ns/run_dangerous") && !matches("*_dangerous", "dangerous"));
    }

    #[test]
    fn classes_and_alternatives_work() {
        assert!(matches("{rm,del}_*", "del_x") && !matches("{rm,del}_*", "delete_x"));
        assert!(matches("db_[a-z]*", "db_drop") && !matches("db_[a-z]*", "db_9"));
    }

    #[test]
    fn broken_globs_are_errors_and_never_panics() {
        for pattern in ["", "tool[", "{a", &"{".repeat(300), &"{a,".repeat(80)] {
            assert!(ToolPattern::new(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn case_can_be_ignored() {
        let pattern = ToolPattern::with_case("Delete_*", false).expect("a glob");
        assert!(pattern.matches("dELETE_user"));
    }

    #[test]
    fn every_usual_glob_has_an_example() {
        for pattern in
            ["a", "admin_*", "*_x", "*secret*", "{rm,del}_*", "db_[a-z]*", "t?", "[!a-z]", "*", "{,x}y"]
        {
            let pattern = ToolPattern::new(pattern).expect(pattern);
            let example = pattern.example().expect("an example");
            assert!(pattern.matches(&example), "{pattern} against {example}");
        }
    }
}
