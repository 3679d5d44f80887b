//! Patterns of paths in a workspace or a package.

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

use super::error::PatternError;

/// A glob of paths with `/`. `*` stays inside a folder, and `**` does not. A path without wildcards is that file, or all files
/// below that folder.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct PathPattern {
    text: String,
    matchers: Vec<GlobMatcher>,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PathPattern {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "path_pattern".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

impl PathPattern {
    /// Parses a pattern.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let path = text.trim_end_matches('/');
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        if path.is_empty() || path.starts_with('/') || path.split(['/', '\\']).any(|part| part == "..") {
            return Err(PatternError::LeadsOut(text.to_owned()));
        }
        let below = (!has_wildcard(path)).then(|| format!("{path}/**"));
        let matchers = [path].into_iter().chain(below.as_deref()).map(|pattern| {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            glob.map(|glob| glob.compile_matcher())
        });
        let matchers = matchers
            .collect::<Result<_, _>>()
            .map_err(|error| PatternError::Glob { text: text.to_owned(), problem: error.kind().clone() })?;
        Ok(Self { text: path.to_owned(), matchers })
    }

    /// Whether the pattern matches a path.
    pub fn matches(&self, path: &str) -> bool {
        self.matchers.iter().any(|matcher| matcher.is_match(path))
    }

    /// Returns the pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the folders or the path in front of the first wildcard.
    pub fn fixed_part(&self) -> &str {
        let mut end = 0;
        for part in self.text.split('/') {
            if has_wildcard(part) {
                break;
            }
            end += part.len() + 1;
        }
        self.text.get(..end.saturating_sub(1)).unwrap_or(&self.text)
    }
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

impl TryFrom<String> for PathPattern {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, PatternError> {
        Self::new(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_path_is_a_file_or_a_folder_and_a_star_stays_in_its_folder() {
        let matches = |pattern: &str, path| PathPattern::new(pattern).expect("a pattern").matches(path);
        assert!(matches("src", "src/a/b.rs") && matches("src/", "src/a.rs") && matches("a.txt", "a.txt"));
        assert!(!matches("src", "src2/a.rs") && !matches("*.rs", "src/a.rs") && matches("**/*.rs", "a.rs"));
        for wrong in ["", "/etc", "../x", "a/../b", "a["] {
            assert!(PathPattern::new(wrong).is_err(), "{wrong}");
        }
        let fixed = |pattern: &str| PathPattern::new(pattern).expect("a pattern").fixed_part().to_owned();
        assert_eq!(
            (fixed("target/**/x"), fixed("**"), fixed("a/b")),
            ("target".into(), String::new(), "a/b".into())
        );
    }
}
