//! The differences between two states.
//!
//! Both begin equal, so that they differ only where one of them was changed. Objects have no order, lists have one unless
//! the settings say otherwise, and numbers compare by their values.

use smol_str::{SmolStr, format_smolstr};

use super::tree::{StatePath, WorldTree, find_at, overlap};
use crate::json::Json;

/// The most differences that are looked for.
const MAX_DIFFERENCES: usize = 1_000;

/// A path at which two states differ.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StateDifference {
    pub(crate) path: StatePath,
    /// The expected value. `None` if the path should be absent.
    pub(crate) expected: Option<Json>,
    /// The actual value. `None` if the path is absent.
    pub(crate) actual: Option<Json>,
}

/// How two states are compared.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// The paths that do not count.
    pub(crate) ignored: Vec<StatePath>,
    /// The lists whose order does not count.
    pub(crate) unordered: Vec<StatePath>,
}

impl Comparison {
    /// Compares two states that were equal before these paths were changed.
    pub(crate) fn compare_trees(&self, expected: &WorldTree, actual: &WorldTree) -> Vec<StateDifference> {
        let changed = expected.list_written(0).chain(actual.list_written(0));
        let mut found = Vec::new();
        for root in self.list_roots(changed) {
            self.compare(expected.find(&root), actual.find(&root), &root, &mut found);
        }
        found
    }

    /// Compares the part of a state below `within` with what it was before.
    pub(crate) fn compare_part(
        &self,
        before: &Json,
        actual: &WorldTree,
        within: &[SmolStr],
    ) -> Vec<StateDifference> {
        let mut found = Vec::new();
        let changed: Vec<StatePath> =
            actual.list_written(0).filter(|path| overlap(path, within)).cloned().collect();
        for root in self.list_roots(changed.iter()) {
            // A change above the part is one of the whole part.
            let root = if root.len() < within.len() { within } else { &root };
            self.compare(find_at(before, root), actual.find(root), root, &mut found);
        }
        found
    }

    /// Reduces changed paths to the topmost ones, sorted. Within a list without order, elements have no paths of their own.
    fn list_roots<'p>(&self, changed: impl Iterator<Item = &'p StatePath>) -> Vec<StatePath> {
        let lifted = changed.map(|path| {
            let lists = self.unordered.iter().filter(|list| path.starts_with(list));
            lists.min_by_key(|list| list.len()).unwrap_or(path)
        });
        let mut sorted: Vec<&StatePath> = lifted.collect();
        sorted.sort_unstable();
        let mut roots: Vec<StatePath> = Vec::new();
        // A path sorts directly before all paths below it.
        for path in sorted {
            if !roots.last().is_some_and(|root| path.starts_with(root)) {
                roots.push(path.clone());
            }
        }
        roots
    }

    fn compare(
        &self,
        expected: Option<&Json>,
        actual: Option<&Json>,
        path: &[SmolStr],
        found: &mut Vec<StateDifference>,
    ) {
        if expected == actual
            || found.len() >= MAX_DIFFERENCES
            || self.ignored.iter().any(|ignored| path.starts_with(ignored))
        {
            return;
        }
        match (expected, actual) {
            (Some(Json::Object(expected)), Some(Json::Object(actual))) => {
                let added = actual.keys().filter(|key| !expected.contains_key(key));
                for key in expected.keys().chain(added) {
                    let below = push(path, SmolStr::from(key.as_str()));
                    self.compare(expected.get(key), actual.get(key), &below, found);
                }
            }
            (Some(Json::Array(expected)), Some(Json::Array(actual))) => {
                if self.unordered.iter().any(|list| list == path) {
                    self.compare_unordered(expected, actual, path, found);
                } else {
                    for index in 0..expected.len().max(actual.len()) {
                        let below = push(path, format_smolstr!("{index}"));
                        self.compare(expected.get(index), actual.get(index), &below, found);
                    }
                }
            }
            (expected, actual) => found.push(StateDifference {
                path: path.to_vec(),
                expected: expected.cloned(),
                actual: actual.cloned(),
            }),
        }
    }

    /// Pairs equal elements, each once. What is left on either side is a difference.
    fn compare_unordered(
        &self,
        expected: &[Json],
        actual: &[Json],
        path: &[SmolStr],
        found: &mut Vec<StateDifference>,
    ) {
        let mut taken = vec![false; actual.len()];
        for (index, wanted) in expected.iter().enumerate() {
            let equal = actual.iter().enumerate().position(|(at, element)| {
                !taken[at] && self.are_equal(wanted, element, &push(path, format_smolstr!("{at}")))
            });
            match equal {
                Some(at) => taken[at] = true,
                None => found.push(StateDifference {
                    path: push(path, format_smolstr!("{index}")),
                    expected: Some(wanted.clone()),
                    actual: None,
                }),
            }
        }
        let left = actual.iter().enumerate().filter(|(at, _)| !taken[*at]);
        found.extend(left.map(|(at, element)| StateDifference {
            path: push(path, format_smolstr!("{at}")),
            expected: None,
            actual: Some(element.clone()),
        }));
    }

    fn are_equal(&self, expected: &Json, actual: &Json, path: &[SmolStr]) -> bool {
        let mut found = Vec::new();
        self.compare(Some(expected), Some(actual), path, &mut found);
        found.is_empty()
    }
}

fn push(path: &[SmolStr], token: SmolStr) -> StatePath {
    path.iter().cloned().chain([token]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::template::parse_pointer;
    use super::super::tree::render_pointer;
    use super::*;
    use crate::json::json;

    fn path(pointer: &str) -> StatePath {
        parse_pointer(pointer).expect("a pointer")
    }

    fn compare(comparison: &Comparison, expected: Json, actual: Json) -> Vec<String> {
        let [mut one, mut other] = [(); 2].map(|()| WorldTree::new(json!({})));
        one.set(path(""), expected).expect("set");
        other.set(path(""), actual).expect("set");
        let found = comparison.compare_trees(&one, &other);
        let show = |value: Option<Json>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        let shown = found
            .into_iter()
            .map(|one| format!("{} {} {}", render_pointer(&one.path), show(one.expected), show(one.actual)));
        shown.collect()
    }

    #[test]
    fn objects_have_no_order_and_lists_have_one() {
        let comparison = Comparison::default();
        assert!(compare(&comparison, json!({"a": 1, "b": [1.0]}), json!({"b": [1], "a": 1.0})).is_empty());
        assert_eq!(
            compare(&comparison, json!({"l": [1, 2], "o": {"x": 1}}), json!({"l": [2, 1, 3], "o": {"y": 1}})),
            ["/l/0 1 2", "/l/1 2 1", "/l/2 - 3", "/o/x 1 -", "/o/y - 1"]
        );
    }

    #[test]
    fn a_list_without_order_and_what_is_ignored_do_not_count() {
        let comparison =
            Comparison { ignored: vec![path("/clock"), path("/l/0/at")], unordered: vec![path("/l")] };
        assert!(
            compare(&comparison, json!({"l": [1, 2, 2], "clock": 1}), json!({"l": [2, 1, 2], "clock": 2}))
                .is_empty()
        );
        assert_eq!(
            compare(&comparison, json!({"l": [1, 2, 2]}), json!({"l": [2, 1, 3]})),
            ["/l/2 2 -", "/l/2 - 3"]
        );
    }

    #[test]
    fn only_what_was_changed_is_compared() {
        let shop = json!({"orders": {"7": {"s": 1}, "8": {"s": 1}}, "list": [1, 2]});
        let mut changed = WorldTree::new(shop.clone());
        changed.set(path("/orders/7/s"), json!(2)).expect("set");
        changed.remove(&path("/list/0")).expect("remove");
        let comparison = Comparison::default();
        let found = |within: &str| {
            let found = comparison.compare_part(&shop, &changed, &path(within));
            found.into_iter().map(|one| render_pointer(&one.path)).collect::<Vec<_>>()
        };
        assert_eq!(found(""), ["/list/0", "/list/1", "/orders/7/s"]);
        assert_eq!(found("/orders/8"), Vec::<String>::new());
        assert_eq!(found("/orders/7"), ["/orders/7/s"]);
        assert_eq!(found("/list/1"), ["/list/1"]);
        assert_eq!(compare(&comparison, shop.clone(), shop), Vec::<String>::new());
    }
}
