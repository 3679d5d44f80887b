//! Tool names as people mean them: `EditFile`, `edit_file` and `edit-file` are one name.
//!
//! Case, `-`, `_`, blanks and dots do not count. A namespace does: `fs.edit_file` is another name than `edit_file`.

use serde::{Deserialize, Deserializer, de};

use super::tool::{ToolPattern, is_glob};

/// What all spellings of `name` have in common.
///
/// ```
/// # use arraign::__internals::pattern::normal_name;
/// assert_eq!(normal_name("EditFile"), normal_name("edit-file"));
/// ```
pub fn normal_name(name: &str) -> String {
    let folded = name.chars().filter(|c| !is_separator(*c)).collect::<String>().to_lowercase();
    if folded.is_empty() { name.to_owned() } else { folded }
}

fn is_separator(c: char) -> bool {
    matches!(c, '-' | '_' | ' ' | '.')
}

/// A tool in any of its spellings, or all tools that a glob describes in theirs.
#[derive(Debug, Clone)]
pub struct NormalPattern {
    text: String,
    means: NormalMatcher,
}

#[derive(Debug, Clone)]
enum NormalMatcher {
    /// The tool of this normal name.
    Name(String),
    /// A glob over names as they are, and one over normal names where it has a letter left to go by.
    Glob { written: ToolPattern, normal: Option<ToolPattern> },
}

impl NormalPattern {
    /// A name or a glob. The error is a sentence for the user.
    pub fn new(text: &str) -> Result<Self, String> {
        let written = ToolPattern::new(text)?;
        let means = if is_glob(text) {
            let normal = strip_separators(text).map(|glob| ToolPattern::new(&glob)?.in_any_case());
            NormalMatcher::Glob { written: written.in_any_case()?, normal: normal.transpose()? }
        } else {
            NormalMatcher::Name(normal_name(text))
        };
        Ok(Self { text: text.to_owned(), means })
    }

    /// Whether `name` is meant.
    pub fn matches(&self, name: &str) -> bool {
        match &self.means {
            NormalMatcher::Name(normal) => *normal == normal_name(name),
            NormalMatcher::Glob { written, normal } => {
                written.matches(name) || normal.as_ref().is_some_and(|glob| glob.matches(&normal_name(name)))
            }
        }
    }

    /// Returns the text as the user wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether `other` is another spelling of this.
    pub fn is_spelling_of(&self, other: &Self) -> bool {
        match (&self.means, &other.means) {
            (NormalMatcher::Name(one), NormalMatcher::Name(other)) => one == other,
            (NormalMatcher::Glob { .. }, NormalMatcher::Glob { .. }) => {
                self.text.to_lowercase() == other.text.to_lowercase()
            }
            _ => false,
        }
    }

    /// A name that this pattern matches, for a counterexample; `None` when it cannot be told.
    pub fn example(&self) -> Option<String> {
        match &self.means {
            NormalMatcher::Name(_) => Some(self.text.clone()),
            NormalMatcher::Glob { written, .. } => written.example(),
        }
    }
}

impl<'de> Deserialize<'de> for NormalPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).map_err(de::Error::custom)
    }
}

/// The glob without separators, but for those in a class, where a `-` makes a range. `None` when only wildcards
/// would be left: `_*` means names that begin with an underscore, not all names.
fn strip_separators(glob: &str) -> Option<String> {
    let (mut kept, mut has_letter, mut in_class) = (String::new(), false, false);
    let mut chars = glob.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if !in_class => {
                let escaped = chars.next().filter(|c| !is_separator(*c));
                has_letter |= escaped.is_some();
                kept.extend(escaped.map(|c| ['\\', c]).into_iter().flatten());
                continue;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            c if !in_class && is_separator(c) => continue,
            c => has_letter |= !in_class && !"*?{},".contains(c),
        }
        kept.push(c);
    }
    has_letter.then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        NormalPattern::new(pattern).expect(pattern).matches(name)
    }

    #[test]
    fn spellings_of_one_name_are_one_name_and_namespaces_are_not() {
        for name in
            ["EditFile", "edit_file", "edit-file", "EDIT_FILE", "edit file", "edit.file", "__editFile"]
        {
            assert!(matches("edit_file", name) && matches(name, "edit_file"), "{name}");
        }
        for name in ["fs.edit_file", "mcp__fs__edit_file", "edit_files", "edit/file", "edit:file"] {
            assert!(!matches("edit_file", name), "{name}");
        }
        assert!(matches("ÄndereDatei", "ändere_datei"));
    }

    #[test]
    fn a_name_of_separators_alone_means_itself() {
        assert!(matches("_", "_") && !matches("_", "-") && !matches("_", "a"));
    }

    #[test]
    fn globs_expand_over_normal_names() {
        for name in ["write_file", "WriteFile", "write-", "write"] {
            assert!(matches("write_*", name), "{name}");
        }
        assert!(matches("{rm,del}-*", "delTree") && !matches("{rm,del}-*", "remove"));
        assert!(matches("db_[a-z]*", "dbDrop") && !matches("db_[a-z]*", "db_9"));
        assert!(matches("tool[_-]x", "tool-x") && matches(r"a\-*", "Ab"));
    }

    #[test]
    fn a_glob_does_not_lose_its_only_letters() {
        assert!(matches("_*", "_private") && !matches("_*", "public"));
        assert!(matches("*_[a-c]", "x_b") && !matches("*_[a-c]", "xb"));
    }

    #[test]
    fn broken_globs_are_errors() {
        for pattern in ["", "tool[", "{a", "a*\\", "[_-", &"{a,".repeat(80)] {
            assert!(NormalPattern::new(pattern).is_err(), "{pattern}");
        }
    }
}
