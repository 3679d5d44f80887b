//! The words of the first policy shape beside those of JSON Schema.

use std::sync::LazyLock;

use crate::pattern::{WordList, list_rows, list_words};
use crate::yaml::nearest;

/// Our word, JSON Schema's word. Words that are the same in both are not listed.
static WORDS: LazyLock<Vec<(&str, Vec<&str>)>> = LazyLock::new(|| list_rows(include_str!("own_words.txt")));

/// The keywords of all drafts of JSON Schema from the fourth on.
static KEYWORDS: WordList = LazyLock::new(|| list_words(include_str!("keywords.txt")));

/// Annotations that others write beside JSON Schema's own, and that look like slips of a keyword.
const ANNOTATIONS: &[&str] =
    &["comment", "comments", "example", "ids", "in", "is", "note", "of", "outputSchema"];

/// Whether JSON Schema knows `word`.
pub(crate) fn is_json_word(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// The keyword that `word` is a slip of. A word far from all keywords is somebody's annotation.
pub(crate) fn meant_by(word: &str) -> Option<&'static str> {
    let is_annotation = word.starts_with("x-") || ANNOTATIONS.contains(&word);
    if is_json_word(word) || is_annotation { None } else { nearest(word, KEYWORDS.iter().copied()) }
}

/// Returns JSON Schema's word for our word `own`.
pub(crate) fn json_word(own: &str) -> Option<&'static str> {
    WORDS.iter().find(|(word, _)| *word == own).and_then(|(_, json)| json.first().copied())
}

/// Returns our word for JSON Schema's word `json`.
pub(crate) fn own_word(json: &str) -> Option<&'static str> {
    WORDS.iter().find(|(_, word)| word.contains(&json)).map(|(own, _)| *own)
}

/// Lists all words that only our policies have.
pub(crate) fn own_words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(own, _)| *own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_a_keyword_is_recognised_and_an_annotation_is_not() {
        for (word, keyword) in [
            ("propertys", "properties"),
            ("requierd", "required"),
            ("minlength", "minLength"),
            ("additionalProperty", "additionalProperties"),
            ("enums", "enum"),
            ("defs", "$defs"),
            ("ref", "$ref"),
        ] {
            assert_eq!(meant_by(word), Some(keyword), "{word}");
        }
        let others = "properties nullable example x-type discriminator unit note label parameters name \
                      inputSchema outputSchema input_schema arguments annotations enumNames xml externalDocs \
                      markdownDescription errorMessage order widget version strict";
        for word in others.split_whitespace() {
            assert_eq!(meant_by(word), None, "{word}");
        }
    }
}
