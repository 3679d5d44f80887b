//! The values that the paths of a declaration selected in one document.
//!
//! A value is identified by its address, because the document does not move while it is read. So the search for unread
//! values needs no second walk along the paths.

use std::collections::HashMap;

use super::pointer::address_of;
use super::selector::PathSelector;

use crate::json::JsonNode;

/// How much of a value a path reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SelectedAs {
    /// The value and everything in it.
    Whole,
    /// The value as something with parts: other paths select its parts.
    Node,
    /// A step.
    Step,
    /// A run.
    Run,
}

/// The values that were selected in one document.
#[derive(Debug, Default)]
pub(super) struct Selections {
    selected: Vec<(usize, SelectedAs)>,
    /// How many values each path selected, by the address of its selector; counted only for a survey.
    counts: Option<HashMap<usize, SelectionCount>>,
}

/// The values that one path selected.
#[derive(Debug, Default, Clone)]
pub(super) struct SelectionCount {
    pub(super) values: usize,
    /// The first value, as JSON.
    pub(super) example: Option<String>,
}

impl Selections {
    /// Selections that count what each path selects.
    pub(super) fn counting() -> Self {
        Self { counts: Some(HashMap::new()), ..Self::default() }
    }

    /// Selects by `selector` in `node`, and notes what was selected.
    pub(super) fn select<'v>(
        &mut self,
        selector: &PathSelector,
        node: &'v JsonNode<'v>,
        part: SelectedAs,
    ) -> Vec<&'v JsonNode<'v>> {
        let selected = selector.select(node);
        for value in &selected {
            self.note(value, part);
        }
        // Counts are kept only for the report on a declaration.
        if let Some(counts) = &mut self.counts {
            let count = counts.entry(address_of(selector)).or_default();
            count.values += selected.len();
            count.example =
                count.example.take().or_else(|| selected.first().map(std::string::ToString::to_string));
        }
        selected
    }

    /// Selects as [`Selections::select`] does; an optional selector that is absent selects nothing.
    pub(super) fn select_with<'v>(
        &mut self,
        selector: Option<&PathSelector>,
        node: &'v JsonNode<'v>,
    ) -> Vec<&'v JsonNode<'v>> {
        selector.map(|selector| self.select(selector, node, SelectedAs::Whole)).unwrap_or_default()
    }

    /// Selects nodes: a list is its elements.
    pub(super) fn select_nodes<'v>(
        &mut self,
        selector: &PathSelector,
        node: &'v JsonNode<'v>,
        part: SelectedAs,
    ) -> Vec<&'v JsonNode<'v>> {
        let selected = self.select(selector, node, SelectedAs::Node);
        let mut nodes = Vec::with_capacity(selected.len());
        for value in selected {
            match value {
                // A null in a list is no node: declared paths select what is there.
                JsonNode::Array(items) => nodes.extend(items.iter().filter(|item| !item.is_null())),
                value => nodes.push(value),
            }
        }
        for node in &nodes {
            self.note(node, part);
        }
        nodes
    }

    /// Notes that a value was selected.
    pub(super) fn note(&mut self, value: &JsonNode, part: SelectedAs) {
        self.selected.push((address_of(value), part));
    }

    /// The values that one selector selected; `None` if they are not counted.
    pub(super) fn count_of(&self, selector: &PathSelector) -> Option<SelectionCount> {
        let counts = self.counts.as_ref()?;
        Some(counts.get(&address_of(selector)).cloned().unwrap_or_default())
    }

    /// Prepares the look-ups: nothing is selected any more.
    pub(super) fn close(&mut self) {
        self.selected.sort_unstable();
    }

    /// Returns how a value was selected, if it was.
    pub(super) fn find(&self, value: &JsonNode) -> Option<SelectedAs> {
        let address = address_of(value);
        // The list is sorted by address, so all selections of one value are neighbours.
        let first = self.selected.partition_point(|(other, _)| *other < address);
        let same = self.selected[first..].iter().take_while(|(other, _)| *other == address);
        // A value that one path reads whole may be a step or a node for another.
        same.map(|(_, part)| *part).min_by_key(|part| match part {
            SelectedAs::Run => 0,
            SelectedAs::Step => 1,
            SelectedAs::Whole => 2,
            SelectedAs::Node => 3,
        })
    }

    /// Whether a path reads all of a value.
    pub(super) fn is_whole(&self, value: &JsonNode) -> bool {
        self.selected.binary_search(&(address_of(value), SelectedAs::Whole)).is_ok()
    }

    /// Whether a value, or anything in it, was selected.
    pub(super) fn reach_into(&self, value: &JsonNode) -> bool {
        self.find(value).is_some() || self.reach_below(value)
    }

    /// Whether anything in a value was selected.
    pub(super) fn reach_below(&self, value: &JsonNode) -> bool {
        match value {
            JsonNode::Array(items) => items.iter().any(|item| self.reach_into(item)),
            JsonNode::Object(object) => object.values().any(|item| self.reach_into(item)),
            _ => false,
        }
    }
}
