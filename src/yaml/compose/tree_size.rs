//! The size of a tree: aliases copy trees, and their sum is limited.

use crate::yaml::{Tree, Value};

/// The size of a tree.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TreeSize {
    pub(super) nodes: usize,
    /// The bytes of all texts, also of keys.
    pub(super) bytes: usize,
    /// The number of levels.
    pub(super) depth: usize,
}

impl TreeSize {
    /// Measures `tree`.
    pub(super) fn of_tree(tree: &Tree) -> Self {
        let alone = Self { nodes: 1, bytes: 0, depth: 1 };
        match &tree.value {
            Value::List(items) => items.iter().map(Self::of_tree).fold(alone, Self::add_child),
            Value::Map(entries) => entries.iter().fold(alone, |size, (key, tree)| {
                let child = Self::of_tree(tree);
                size.add_child(Self { bytes: child.bytes + key.name.len(), ..child })
            }),
            Value::String(text) => Self { bytes: text.len(), ..alone },
            _ => alone,
        }
    }

    /// Adds a tree below.
    fn add_child(self, child: Self) -> Self {
        Self {
            nodes: self.nodes + child.nodes,
            bytes: self.bytes + child.bytes,
            depth: self.depth.max(child.depth + 1),
        }
    }
}
