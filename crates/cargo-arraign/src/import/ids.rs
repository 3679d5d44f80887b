//! Unique ids of cases, and file names made from them.

use std::collections::HashSet;

/// The length limit of a generated id, in characters.
const LONGEST: usize = 48;

/// The ids in use.
#[derive(Default)]
pub(super) struct CaseIds(HashSet<String>);

impl CaseIds {
    /// Returns `text` as an id, changed if it is reserved or already in use.
    pub(super) fn claim_id(&mut self, text: &str) -> String {
        let reserved = text == "pass_threshold" || text.strip_prefix("run_").is_some_and(is_number);
        let text = if reserved { format!("case_{text}") } else { text.to_owned() };
        self.make_unique(if text.trim().is_empty() { "case" } else { &text })
    }

    /// Derives an id from the question or name of a case.
    pub(super) fn derive_id(&mut self, text: &str) -> String {
        let id = slugify(text, LONGEST);
        self.claim_id(&id)
    }

    fn make_unique(&mut self, text: &str) -> String {
        let mut id = text.to_owned();
        let mut number = 1;
        // The number is tried until it is free: `a_2` may be the name of another case.
        while !self.0.insert(id.clone()) {
            number += 1;
            id = format!("{text}_{number}");
        }
        id
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Converts a text to lower-case letters and digits, joined by `_`.
fn slugify(text: &str, longest: usize) -> String {
    let mut slug = String::new();
    // Only complete words are added, unless the first word alone exceeds the limit.
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !slug.is_empty() && slug.chars().count() + word.chars().count() >= longest {
            break;
        }
        if !slug.is_empty() {
            slug.push('_');
        }
        slug.extend(word.chars().take(longest).flat_map(char::to_lowercase));
    }
    slug
}

/// Returns a file name that is valid on every system and contains no glob.
pub(super) fn sanitize_file_name(text: &str) -> String {
    let name: String = text.chars().take(80).map(replace_special).collect();
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "case".to_owned() } else { name.to_owned() }
}

fn replace_special(c: char) -> char {
    if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_cases_share_an_id() {
        let mut ids = CaseIds::default();
        let made = ["Where is it?", "where is it", "", "***", "run_2"].map(|text| ids.derive_id(text));
        assert_eq!(made, ["where_is_it", "where_is_it_2", "case", "case_2", "case_run_2"]);
    }

    #[test]
    fn a_file_s_name_leads_nowhere_else() {
        assert_eq!(sanitize_file_name("../a b*[x].json"), "_a_b__x_.json");
    }
}
