//! JSON pointers to the values of a document.

use std::collections::HashMap;

use crate::json::JsonNode;
use crate::json_text::{escape_token, unescape_token};

/// Searches `tree` for `nodes` themselves, not for values that are equal, and returns their JSON pointers.
pub(super) fn find_pointers(tree: &JsonNode, nodes: &[&JsonNode]) -> Vec<String> {
    // Equal values are frequent in traces, such as two results `"ok"`. Only the address tells which of them a path
    // selected. One walk finds all of them.
    let mut pointers: HashMap<usize, Option<String>> =
        nodes.iter().map(|node| (address_of(*node), None)).collect();
    note_pointers(tree, &mut String::new(), &mut pointers);
    nodes.iter().filter_map(|node| pointers.get(&address_of(*node))?.clone()).collect()
}

fn note_pointers(value: &JsonNode, pointer: &mut String, pointers: &mut HashMap<usize, Option<String>>) {
    if let Some(place) = pointers.get_mut(&address_of(value)) {
        *place = Some(pointer.clone());
    }
    let length = pointer.len();
    let mut note_child = |token: &str, child: &JsonNode| {
        pointer.push('/');
        pointer.push_str(token);
        note_pointers(child, pointer, pointers);
        pointer.truncate(length);
    };
    match value {
        JsonNode::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                note_child(&index.to_string(), item);
            }
        }
        JsonNode::Object(object) => {
            for (key, item) in object.iter() {
                note_child(&escape_token(key), item);
            }
        }
        _ => {}
    }
}

/// Returns the value at a JSON pointer.
pub(super) fn follow_pointer<'v, 't>(tree: &'v JsonNode<'t>, pointer: &str) -> Option<&'v JsonNode<'t>> {
    pointer.split('/').skip(1).try_fold(tree, |value, token| match value {
        JsonNode::Array(items) => items.get(token.parse::<usize>().ok()?),
        JsonNode::Object(object) => object.get(&unescape_token(token)),
        _ => None,
    })
}

/// Returns the value at a JSON pointer, to replace it.
pub(super) fn follow_pointer_mut<'v, 't>(
    tree: &'v mut JsonNode<'t>,
    pointer: &str,
) -> Option<&'v mut JsonNode<'t>> {
    pointer.split('/').skip(1).try_fold(tree, |value, token| match value {
        JsonNode::Array(items) => items.get_mut(token.parse::<usize>().ok()?),
        JsonNode::Object(object) => object.get_mut(&unescape_token(token)),
        _ => None,
    })
}

/// The address of a value, by which it is known while its document is read.
pub(super) fn address_of<T>(value: &T) -> usize {
    std::ptr::from_ref(value).addr()
}
