//! Reading mappings and lists, with all mistakes kept.

use crate::place::LoadError;
use crate::yaml::{Key, Node};

/// Returns the entries of a mapping. `what` begins the error: `` `prices` is a mapping of models to prices ``.
pub(crate) fn require_entries<'n>(
    node: Node<'n>,
    what: &str,
) -> Result<impl Iterator<Item = (&'n Key, Node<'n>)>, LoadError> {
    node.entries().ok_or_else(|| describe_other(node, what))
}

/// Returns the entries of a list. `what` begins the error: `` `list` is a list of calls ``.
pub(crate) fn require_list<'n>(
    node: Node<'n>,
    what: &str,
) -> Result<impl ExactSizeIterator<Item = Node<'n>>, LoadError> {
    node.list().ok_or_else(|| describe_other(node, what))
}

fn describe_other(node: Node<'_>, what: &str) -> LoadError {
    node.error(format!("{what}, not {}", node.describe()))
}
