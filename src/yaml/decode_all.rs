//! Decoding with every mistake, not only the first.
//!
//! A derived `Deserialize` stops at its first error. The entry that caused the error is then taken out of a copy of the
//! tree, and the copy is decoded again, until nothing is wrong or nothing can be taken out. One sort of mistake stays
//! unseen until the others are repaired: a key that is missing beside a required one with a wrong value.

use serde::de::DeserializeOwned;

use super::decode::{YamlDecodeError, decode_or_error};
use super::{Key, Node, Tree, Value, find_meant};
use crate::place::{LoadError, LoadErrors, Place, Span};

/// The most mistakes that one value reports: a hostile file must not be decoded once for each of its entries.
const MOST_MISTAKES: usize = 50;

/// Deserializes `node`, or returns every error in it.
pub(super) fn decode_all<T: DeserializeOwned>(node: Node<'_>) -> Result<T, LoadErrors> {
    match decode_or_error(node) {
        Ok(value) => Ok(value),
        Err(first) => Err(collect_errors(node, first, &mut |rest| decode_or_error::<T>(rest).err())),
    }
}

/// Deserializes `node` without the entries that have mistakes, and adds the mistakes to `errors`. None: without those
/// entries there is no value.
pub(super) fn decode_rest<T: DeserializeOwned>(node: Node<'_>, errors: &mut LoadErrors) -> Option<T> {
    let first = match decode_or_error(node) {
        Ok(value) => return Some(value),
        Err(first) => first,
    };
    let mut value = None;
    errors.extend(collect_errors(node, first, &mut |rest| match decode_or_error(rest) {
        Ok(rest) => {
            value = Some(rest);
            None
        }
        Err(error) => Some(error),
    }));
    value
}

/// Returns the error `first` of `node`, and each that `find_error` finds behind it.
fn collect_errors(
    node: Node<'_>,
    first: YamlDecodeError,
    find_error: &mut dyn FnMut(Node<'_>) -> Option<YamlDecodeError>,
) -> LoadErrors {
    let mut error = first;
    let mut pruned = Pruned::new(node);
    let mut errors = LoadErrors::new();
    // Each round reports the error of one entry, removes that entry and decodes the rest, so an entry behind it is
    // reached as well. Removing an entry can cause an error of its own (the key is missing now): `explains` finds those.
    for _ in 0..MOST_MISTAKES {
        let span = error.span.unwrap_or(pruned.tree.span);
        // Taking out an entry may have caused this error. It is not the user's, and is passed over.
        if !pruned.explains(span, &error) {
            if let Some(failed) = error.failed {
                errors.extend(failed);
            } else {
                let place = Place::new(node.source, span);
                errors.push(LoadError::new(place, error.problem).help_if(error.help));
            }
        }
        if !pruned.remove(span) {
            break;
        }
        match find_error(Node { tree: &pruned.tree, source: node.source, hidden: &[] }) {
            Some(next) => error = next,
            None => break,
        }
    }
    errors
}

/// A copy of the tree without the entries that caused errors.
struct Pruned {
    tree: Tree,
    /// The container of each entry that was taken out, and the entry's key if it had one.
    removed: Vec<(Span, Option<Key>)>,
}

impl Pruned {
    fn new(node: Node<'_>) -> Self {
        let value = match node.entries() {
            Some(entries) => {
                Value::Map(entries.map(|(key, node)| (key.clone(), node.tree.clone())).collect())
            }
            None => node.value().clone(),
        };
        Self { tree: Tree { span: node.tree.span, value }, removed: Vec::new() }
    }

    /// Whether the error at `container` is only the consequence of a removed entry. A missing key has another cause if
    /// no removed key resembles it.
    fn explains(&self, container: Span, error: &YamlDecodeError) -> bool {
        // A decoder that misses a removed entry reports the container, so the container decides what belongs together.
        let mut removed = self.removed.iter().filter(|(from, _)| *from == container);
        match error.missing {
            Some(missing) => removed
                .any(|(_, key)| key.as_ref().is_some_and(|key| find_meant(&key.name, &[missing]).is_some())),
            None => removed.next().is_some(),
        }
    }

    /// Takes out the innermost entry that encloses `span`. False: the root itself is wrong.
    fn remove(&mut self, span: Span) -> bool {
        let removed = remove_from(&mut self.tree, span);
        self.removed.extend(removed.clone());
        removed.is_some()
    }
}

/// Takes the innermost entry that encloses `span` out of `tree`, and returns the span of its container and its key.
fn remove_from(tree: &mut Tree, span: Span) -> Option<(Span, Option<Key>)> {
    let container = tree.span;
    match &mut tree.value {
        Value::List(items) => {
            let at = items.iter().position(|item| item.span.contains(span))?;
            // The innermost entry is taken out, so that as much as possible is still decoded.
            remove_from(&mut items[at], span).or_else(|| {
                items.remove(at);
                Some((container, None))
            })
        }
        Value::Map(entries) => {
            // The error is about a key, or about something inside of a value.
            let at = entries.iter().position(|(key, value)| key.span == span || value.span.contains(span))?;
            let inner = if entries[at].0.span == span { None } else { remove_from(&mut entries[at].1, span) };
            inner.or_else(|| Some((container, Some(entries.remove(at).0))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use crate::place::{LoadErrors, Source};
    use crate::yaml::Document;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only decoding is looked at")]
    struct OrderSettings {
        first: String,
        then: String,
        within: Option<u32>,
        tools: Option<Vec<u32>>,
        inner: Option<Box<OrderSettings>>,
    }

    fn mistakes(text: &str) -> String {
        let documents = Document::parse(&Source::new("f.yaml", text)).expect("valid YAML");
        documents[0].root().decode_all::<OrderSettings>().expect_err(text).to_string()
    }

    #[test]
    fn every_mistake_is_reported_once() {
        assert_eq!(
            mistakes("{first: ab, within: x, tools: [1, a, b], colour: red}"),
            "f.yaml:1:21: expected a whole number from 0 up, found the text `x`\n\
             f.yaml:1:35: expected a whole number from 0 up, found the text `a`\n\
             f.yaml:1:38: expected a whole number from 0 up, found the text `b`\n\
             f.yaml:1:42: unknown key `colour` (help: known here: `first`, `then`, `within`, `tools`, `inner`)\n\
             f.yaml:1:1: `then` is missing"
        );
    }

    #[test]
    fn what_is_right_is_kept_beside_the_mistakes() {
        let documents =
            Document::parse(&Source::new("f.yaml", "{first: a, then: b, within: x, tools: [1, c]}"))
                .expect("valid YAML");
        let mut errors = LoadErrors::new();
        let rest = documents[0].root().decode_rest::<OrderSettings>(&mut errors).expect("the rest");
        assert_eq!(errors.len(), 2);
        assert_eq!((rest.then.as_str(), rest.within, rest.tools), ("b", None, Some(vec![1])));
    }

    #[test]
    fn a_misspelt_key_is_not_missing_as_well() {
        assert_eq!(
            mistakes("{fist: a, then: b}"),
            "f.yaml:1:2: unknown key `fist` (help: did you mean `first`?)"
        );
    }

    #[test]
    fn a_mistake_deep_inside_is_reported_alone() {
        assert_eq!(
            mistakes("{first: a, then: b, inner: {first: 1, then: c}}"),
            "f.yaml:1:36: expected a text, found `1` (help: quote it, so that it is a text)"
        );
    }

    #[test]
    fn a_hostile_list_is_not_decoded_once_for_each_entry() {
        let text = format!("{{first: a, then: b, tools: [{}]}}", "x, ".repeat(2000));
        assert_eq!(mistakes(&text).lines().count(), super::MOST_MISTAKES);
    }
}
