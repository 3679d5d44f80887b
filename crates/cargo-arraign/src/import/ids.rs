//! Ids of cases, one a case, and the files that are called so.

use std::collections::HashSet;

/// The longest id that is made of a text, in characters.
const LONGEST: usize = 48;

/// The ids given so far.
#[derive(Default)]
pub(super) struct Ids(HashSet<String>);

impl Ids {
    /// An id as the other tool has it, unless another case is called so.
    pub(super) fn own(&mut self, text: &str) -> String {
        let reserved = text == "pass_threshold" || text.strip_prefix("run_").is_some_and(is_number);
        let text = if reserved { format!("case_{text}") } else { text.to_owned() };
        self.unique(if text.trim().is_empty() { "case" } else { &text })
    }

    /// An id made of what the case asks or is called.
    pub(super) fn made_of(&mut self, text: &str) -> String {
        let id = slug(text, LONGEST);
        self.own(&id)
    }

    fn unique(&mut self, text: &str) -> String {
        let mut id = text.to_owned();
        let mut number = 1;
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

/// Letters and digits in lower case, `_` for all between them.
fn slug(text: &str, longest: usize) -> String {
    let mut slug = String::new();
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

/// A name of a file that means the same on every system, and in no pattern.
pub(super) fn file_name(text: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' };
    let name: String = text.chars().take(80).map(kept).collect();
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "case".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_cases_share_an_id() {
        let mut ids = Ids::default();
        let made = ["Where is it?", "where is it", "", "***", "run_2"].map(|text| ids.made_of(text));
        assert_eq!(made, ["where_is_it", "where_is_it_2", "case", "case_2", "case_run_2"]);
    }

    #[test]
    fn a_file_s_name_leads_nowhere_else() {
        assert_eq!(file_name("../a b*[x].json"), "_a_b__x_.json");
    }
}
