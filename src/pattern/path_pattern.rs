//! Patterns of paths in a workspace.

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

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
    /// Parses a pattern. The error is a message.
    pub fn new(text: &str) -> Result<Self, String> {
        let path = text.trim_end_matches('/');
        let leads_out =
            path.is_empty() || path.starts_with('/') || path.split(['/', '\\']).any(|part| part == "..");
        if leads_out {
            return Err(format!("`{text}` is not a path inside the workspace"));
        }
        let below = (!has_wildcard(path)).then(|| format!("{path}/**"));
        let matchers = [path].into_iter().chain(below.as_deref()).map(|pattern| {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            let glob = glob.map_err(|error| format!("`{text}` is not a pattern: {}", error.kind()))?;
            Ok(glob.compile_matcher())
        });
        Ok(Self { text: path.to_owned(), matchers: matchers.collect::<Result<_, String>>()? })
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
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
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
