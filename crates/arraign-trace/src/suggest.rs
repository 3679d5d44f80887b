//! The nearest known word to one that is not known.

/// The candidate that `word` most likely means: equal but for case, `-` and `_`, or a few edits away.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let mut candidates = candidates.into_iter().peekable();
    candidates.peek()?;
    let wanted = fold(word);
    // A third of the word may be wrong: with more, anything would be similar to a short word.
    let limit = (wanted.chars().count() / 3).max(1);
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &fold(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn fold(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

/// The help for an unknown word: the nearest known one, else all of them when they are few.
pub fn did_you_mean(word: &str, known: &[&str]) -> Option<String> {
    if let Some(near) = nearest(word, known.iter().copied()) {
        return Some(format!("did you mean `{near}`?"));
    }
    match known {
        [] => None,
        [only] => Some(format!("only `{only}` is known here")),
        few if few.len() <= 12 => Some(format!("known here: `{}`", few.join("`, `"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let known = ["required_tools", "timeout", "tags"];
        assert_eq!(nearest("requiredTools", known), Some("required_tools"));
        assert_eq!(nearest("timout", known), Some("timeout"));
        assert_eq!(nearest("tgas", known), Some("tags"));
        assert_eq!(nearest("weights", known), None);
    }
}
