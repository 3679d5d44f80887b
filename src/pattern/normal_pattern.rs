//! Patterns of tool names that do not depend on the spelling.

use serde::{Deserialize, Deserializer, de};

use super::error::PatternError;
use super::name_matcher::Spelling;
use super::normal_name::fold_name;
use super::tool::ToolPattern;

/// A tool in any of its spellings, or all tools that a glob describes in theirs: what EvalView and the Agent Framework
/// promise.
#[derive(Debug, Clone)]
pub struct NormalPattern(ToolPattern);

impl NormalPattern {
    /// A name or a glob. The error is a sentence for the user.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        ToolPattern::with_spelling(text, Spelling::Normal).map(Self)
    }

    /// The calls that are meant.
    pub fn pattern(&self) -> &ToolPattern {
        &self.0
    }

    /// Whether `other` is another spelling of this.
    pub fn is_spelling_of(&self, other: &Self) -> bool {
        match (self.0.exact(), other.0.exact()) {
            (Some(one), Some(other)) => fold_name(one) == fold_name(other),
            (None, None) => self.0.as_str().to_lowercase() == other.0.as_str().to_lowercase(),
            _ => false,
        }
    }
}

impl<'de> Deserialize<'de> for NormalPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arraign_trace::trace::{Arguments, Call};

    fn matches(pattern: &str, name: &str) -> bool {
        let call = Call::new(name, Arguments::none(), 1);
        NormalPattern::new(pattern).expect(pattern).pattern().matches(&call)
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
