//! Scalars without quotes that promptfoo reads as something else than a text: a date is a moment in time to it, and `010` is 10.

use arraign::__internals::yaml::Node;

/// Returns the first such scalar in a value, as it is written.
pub(super) fn find_ambiguous(node: Node<'_>) -> Option<String> {
    if let Some(list) = node.list() {
        return list.into_iter().find_map(find_ambiguous);
    }
    if let Some(mut entries) = node.entries() {
        return entries.find_map(|(_, value)| find_ambiguous(value));
    }
    let place = node.place();
    let span = place.span();
    let written = place.source().text().get(span.start as usize..span.end as usize)?.trim();
    (is_date(written) || has_leading_zero(written)).then(|| format!("`{written}`"))
}

/// Whether a scalar is a date, with or without a time: `2024-01-31`, `2024-1-31 10:00:00`.
fn is_date(written: &str) -> bool {
    let day = written.split(['T', 't', ' ']).next().unwrap_or_default();
    let parts: Vec<&str> = day.split('-').collect();
    matches!(parts.as_slice(), [year, month, day] if year.len() == 4 && [month, day].iter().all(|part| (1..=2).contains(&part.len())))
        && parts.iter().all(|part| part.chars().all(|c| c.is_ascii_digit()))
}

fn has_leading_zero(written: &str) -> bool {
    let digits = written.strip_prefix(['-', '+']).unwrap_or(written);
    digits.len() > 1 && digits.starts_with('0') && digits.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arraign::__internals::place::Source;
    use arraign::__internals::yaml::Document;

    #[test]
    fn quotes_make_a_text_of_a_date() {
        for (text, found) in [
            ("2024-01-31", Some("`2024-01-31`")),
            ("[a, {b: 2024-1-1 10:00:00}]", Some("`2024-1-1 10:00:00`")),
            ("010", Some("`010`")),
            ("'2024-01-31'", None),
            ("\"010\"", None),
            ("on 2024-01-31", None),
            ("2024-05", None),
            ("0", None),
            ("0.5", None),
        ] {
            let documents = Document::parse(&Source::new("t.yaml", text)).expect("YAML");
            assert_eq!(find_ambiguous(documents[0].root()).as_deref(), found, "{text}");
        }
    }
}
