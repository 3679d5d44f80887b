//! Texts with placeholders: `Refund {{amount}}`.

/// A part of a text with placeholders.
#[derive(Clone, Copy)]
pub enum TemplatePart<'t> {
    /// Text without placeholders.
    Text(&'t str),
    /// A placeholder.
    Placeholder {
        /// The placeholder with its braces.
        written: &'t str,
        /// The name between the braces, without blanks around it.
        name: &'t str,
    },
    /// Braces that are never closed, and all that follows them.
    Unclosed(&'t str),
}

/// Splits a text at its placeholders.
pub fn split_placeholders(text: &str) -> impl Iterator<Item = TemplatePart<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let length = match rest.find("{{") {
            None => rest.len(),
            // The name and its four braces.
            Some(0) => rest[2..].find("}}").map_or(rest.len(), |end| end + 4),
            Some(start) => start,
        };
        let part = &rest[..length];
        rest = &rest[length..];
        let inside = part.strip_prefix("{{").map(|inside| inside.strip_suffix("}}"));
        match inside {
            _ if part.is_empty() => None,
            None => Some(TemplatePart::Text(part)),
            Some(None) => Some(TemplatePart::Unclosed(part)),
            Some(Some(name)) => Some(TemplatePart::Placeholder { written: part, name: name.trim() }),
        }
    })
}
