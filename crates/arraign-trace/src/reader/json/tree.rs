//! Paths over the values of a trace file.

use serde_json_path::{JsonPath as Query, NormalizedPath, PathElement};

use crate::json_tree::JsonTree;
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;

impl JsonTree for Json<'_> {
    fn get_entry(&self, key: &str) -> Option<&Self> {
        self.get(key)
    }

    fn get_element(&self, index: usize) -> Option<&Self> {
        self.as_list()?.get(index)
    }

    fn get_text(&self) -> Option<&str> {
        self.as_str()
    }

    fn get_flag(&self) -> Option<bool> {
        if let Self::Bool(flag) = self { Some(*flag) } else { None }
    }

    fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    fn children(&self) -> impl Iterator<Item = &Self> {
        let elements = self.as_list().into_iter().flatten();
        elements.chain(self.as_object().into_iter().flat_map(Object::values))
    }

    fn select_by_engine(&self, query: &Query) -> Vec<&Self> {
        // The engine reads values of another type, so it selects from a copy. The places of what it selects are those of
        // the values themselves.
        let copy = self.to_value();
        let selected = query.query_located(&copy);
        selected.iter().filter_map(|node| follow(self, node.location())).collect()
    }
}

/// Returns the value at a place in `tree`.
fn follow<'v, 't>(tree: &'v Json<'t>, place: &NormalizedPath<'_>) -> Option<&'v Json<'t>> {
    place.iter().try_fold(tree, |value, step| match step {
        PathElement::Name(key) => value.get_entry(key),
        PathElement::Index(index) => value.get_element(*index),
    })
}
