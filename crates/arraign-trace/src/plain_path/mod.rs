//! The paths that nearly all users write, evaluated without the engine: names, indexes, `[*]`, and filters of the
//! plain form.
//!
//! The engine builds a list for each selector and compares values of every type. A reader that a user declared asks
//! several paths of each message, so that the engine would take most of its time.

mod filter;
mod tokens;

use std::ops::ControlFlow;

use crate::json_tree::JsonTree;
use filter::PlainFilter;
use tokens::take_key;

/// A path of which every step is plain.
#[derive(Debug, Clone)]
pub(crate) struct PlainPath(Vec<PlainStep>);

#[derive(Debug, Clone)]
enum PlainStep {
    Key(String),
    Index(usize),
    Every,
    Where(PlainFilter),
}

impl PlainPath {
    /// Returns the path, if each of its steps is plain. `text` must be a valid path.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut rest = text.strip_prefix('$')?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, after) = take_step(rest)?;
            steps.push(step);
            rest = after;
        }
        Some(Self(steps))
    }

    /// The values that the path selects, in the order of the document.
    pub(crate) fn select<'v, T: JsonTree>(&self, root: &'v T) -> Vec<&'v T> {
        let mut selected = Vec::new();
        let _ = find_nodes(&self.0, root, root, &mut |node| {
            selected.push(node);
            ControlFlow::Continue(())
        });
        selected
    }

    /// Whether the path selects anything.
    pub(crate) fn selects_any<T: JsonTree>(&self, root: &T) -> bool {
        find_nodes(&self.0, root, root, &mut |_| ControlFlow::Break(())).is_break()
    }
}

/// Gives `take` each value that `steps` lead to from `node`, in the order of the document, until it has enough.
fn find_nodes<'v, T: JsonTree>(
    steps: &[PlainStep],
    node: &'v T,
    root: &'v T,
    take: &mut impl FnMut(&'v T) -> ControlFlow<()>,
) -> ControlFlow<()> {
    // One value is followed to the end of the path before the next one, so no step builds a list.
    let Some((step, rest)) = steps.split_first() else { return take(node) };
    let next = match step {
        PlainStep::Key(key) => node.get_entry(key),
        PlainStep::Index(index) => node.get_element(*index),
        PlainStep::Every => return node.children().try_for_each(|child| find_nodes(rest, child, root, take)),
        // A question about the root has one answer for all children.
        PlainStep::Where(filter) if filter.asks_only_root() && !filter.holds_for(root, root) => None,
        PlainStep::Where(filter) => {
            let mut children = node.children().filter(|child| filter.holds_for(*child, root));
            return children.try_for_each(|child| find_nodes(rest, child, root, take));
        }
    };
    next.map_or(ControlFlow::Continue(()), |next| find_nodes(rest, next, root, take))
}

/// Takes a step off the beginning of a path.
fn take_step(rest: &str) -> Option<(PlainStep, &str)> {
    for every in ["[*]", ".*"] {
        if let Some(after) = rest.strip_prefix(every) {
            return Some((PlainStep::Every, after));
        }
    }
    if let Some(filter) = rest.strip_prefix("[?") {
        return PlainFilter::take(filter).map(|(filter, after)| (PlainStep::Where(filter), after));
    }
    if let Some((index, after)) = take_index(rest) {
        return Some((PlainStep::Index(index), after));
    }
    take_key(rest).map(|(key, after)| (PlainStep::Key(key), after))
}

fn take_index(rest: &str) -> Option<(usize, &str)> {
    let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
    let is_index = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    is_index.then(|| Some((index.parse().ok()?, after))).flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use serde_json_path::JsonPath;

    use super::*;

    #[test]
    fn plain_paths_select_what_the_engine_selects() {
        let documents = [
            json!([{"role": "user", "content": "a"}, {"role": "tool", "x": {"y": "z"}}, null, "user", ["user"]]),
            json!({"role": "user", "content": [{"type": "text", "text": "b"}, {"type": "call"}], "x": {"role": "user"}}),
            json!({"a": {"role": "user", "n": [1, {"role": null}]}, "_b": [[0, 1], [2]], "it's": {"role": 7}}),
            json!("text"),
        ];
        let paths = [
            "$",
            "$.role",
            "$['role']",
            "$[\"it's\"].role",
            "$[*]",
            "$.*",
            "$[*].*",
            "$[0]",
            "$[1].x.y",
            "$._b[0][1]",
            "$.content[*].text",
            "$[?@.role == 'user']",
            "$[? @.role=='user' ].content",
            "$[?$.role == \"user\"]",
            "$.content[?@.type == 'text'].text",
            "$[*][?@.x == 'user']",
            "$[?@ == 'user']",
            "$[?@['x'].y == 'z']",
            "$.a.n[?@.role == 'user']",
        ];
        compare_with_engine(&paths, &documents);
    }

    /// Asserts that each path selects the same in each document as the engine.
    pub(super) fn compare_with_engine(paths: &[&str], documents: &[Value]) {
        for path in paths {
            let (plain, engine) = (PlainPath::parse(path).expect(path), JsonPath::parse(path).expect(path));
            for document in documents {
                let selected = engine.query(document).all();
                assert_eq!(plain.select(document), selected, "{path} in {document}");
                assert_eq!(plain.selects_any(document), !selected.is_empty(), "{path} in {document}");
            }
        }
    }

    #[test]
    fn other_paths_are_left_to_the_engine() {
        for path in [
            "$..a",
            "$[-1]",
            "$[0:2]",
            "$[0, 1]",
            "$[?@.a == 1]",
            "$[?@.a != 1]",
            "$[?@.a > 'x']",
            "$[?@.a == @.b]",
            "$[?@.a[*]]",
            "$[?!(@.a == 'x')]",
            "$[?(@.a || @.b) && @.c]",
            "$[?@.a == 'x' && length(@.b) == 1]",
            "$[?@.a == 'x', 0]",
            "$[?@.a[0] == 'x']",
            "$[?length(@.a) == 'x']",
            "$['a\\u0062']",
            "$.ä",
            "$.aä",
        ] {
            assert!(PlainPath::parse(path).is_none(), "{path}");
        }
    }
}
