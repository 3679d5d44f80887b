//! From a pointer in a compiled schema back to the text that the user wrote.

use std::sync::Arc;

use crate::outcome::Violation;
use crate::place::Place;
use crate::yaml::{Document, Node, Value, escape_token, unescape_token};

/// Where the parts of a compiled schema were written.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// The policy file; `None`: the settings of the check.
    policy: Option<Arc<Document>>,
    /// Pointers in the schema, each with its pointer in the file. The longest that fits counts.
    moved: Vec<(String, String)>,
}

impl Origin {
    /// A schema that stands at `base`.
    pub(crate) fn new(policy: Option<Arc<Document>>, base: impl Into<String>) -> Self {
        Self { policy, moved: vec![(String::new(), base.into())] }
    }

    /// Says that `pointer` of the schema was written at `written`.
    pub(crate) fn moved(&mut self, pointer: String, written: String) {
        self.moved.push((pointer, written));
    }

    /// Returns the pointer into the file for a `pointer` into the schema.
    pub(crate) fn locate(&self, pointer: &str) -> String {
        // A part can move together with its parent, and again on its own: the longest pointer is the nearest move.
        let fits = self.moved.iter().filter_map(|(from, to)| {
            let rest = pointer.strip_prefix(from.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then_some((from.len(), to, rest))
        });
        fits.max_by_key(|(length, ..)| *length)
            .map_or_else(String::new, |(_, to, rest)| format!("{to}{rest}"))
    }

    /// Returns the place of `written` in the policy file, if the schema is in one.
    pub(crate) fn in_policy(&self, written: &str) -> Option<Place> {
        self.policy.as_ref().map(|document| place(document.root(), written))
    }

    /// `violation` with the place of the constraint at `written`: in the policy file, or in the settings.
    pub(crate) fn cite(&self, violation: Violation, written: &str) -> Violation {
        match self.in_policy(written) {
            Some(place) => violation.cite_policy(&place).at("/policy"),
            None => violation.at(written),
        }
    }
}

/// The place of the key, or of the list's entry, that `pointer` names; of the nearest one around it when the
/// file has no such thing.
pub(crate) fn place(root: Node<'_>, pointer: &str) -> Place {
    let mut rest = pointer;
    while let Some((parent, last)) = rest.rsplit_once('/') {
        if let Some(node) = root.pointer(rest) {
            let key = unescape_token(last);
            // A key has a better place than its value; an entry of a list has no key.
            let around = root.pointer(parent).filter(|node| matches!(node.value(), Value::Map(_)));
            return around.map_or_else(|| node.place(), |around| around.key_place(&key));
        }
        rest = parent;
    }
    root.place()
}

/// `pointer` one step further down.
pub(crate) fn join(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", escape_token(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_pointer_that_fits_tells_where_a_word_stands() {
        let mut origin = Origin::new(None, "/schema/pay");
        origin.moved("/$defs/money".to_owned(), "/schema/$defs/money".to_owned());
        assert_eq!(origin.locate("/properties/n/maximum"), "/schema/pay/properties/n/maximum");
        assert_eq!(origin.locate("/$defs/money/minimum"), "/schema/$defs/money/minimum");
        assert_eq!(origin.locate("/$defs/moneybag/type"), "/schema/pay/$defs/moneybag/type");
    }
}
