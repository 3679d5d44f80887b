//! The words of the first policy shape beside those of JSON Schema.

/// Our word, JSON Schema's word. Words that are the same in both are not listed.
const WORDS: &[(&str, &str)] = &[
    ("min", "minimum"),
    ("max", "maximum"),
    ("exclusive_min", "exclusiveMinimum"),
    ("exclusive_max", "exclusiveMaximum"),
    ("multiple_of", "multipleOf"),
    ("min_length", "minLength"),
    ("max_length", "maxLength"),
    ("min_items", "minItems"),
    ("max_items", "maxItems"),
    ("unique_items", "uniqueItems"),
    ("min_properties", "minProperties"),
    ("max_properties", "maxProperties"),
    ("additional_properties", "additionalProperties"),
    ("any_of", "anyOf"),
    ("one_of", "oneOf"),
    ("all_of", "allOf"),
];

/// What JSON Schema calls our word `own`.
pub(in crate::check) fn json_word(own: &str) -> Option<&'static str> {
    WORDS.iter().find(|(word, _)| *word == own).map(|(_, json)| *json)
}

/// What we call JSON Schema's word `json`.
pub(in crate::check) fn own_word(json: &str) -> Option<&'static str> {
    WORDS.iter().find(|(_, word)| *word == json).map(|(own, _)| *own)
}

/// All words that are only ours.
pub(in crate::check) fn own_words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(own, _)| *own)
}
