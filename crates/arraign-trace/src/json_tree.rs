//! What paths need to know of a tree of JSON values.
//!
//! Paths select from the values that a trace keeps and from the values of a file that is read. Both are trees of JSON.

use serde_json::Value;
use serde_json_path::JsonPath as Query;

/// A JSON value with the values in it.
pub(crate) trait JsonTree: Sized {
    /// Returns the value under `key`, if this is an object that has the key.
    fn get_entry(&self, key: &str) -> Option<&Self>;

    /// Returns the element at `index`, if this is a list that has one.
    fn get_element(&self, index: usize) -> Option<&Self>;

    /// Returns the text, if this is one.
    fn get_text(&self) -> Option<&str>;

    /// Returns the flag, if this is one.
    fn get_flag(&self) -> Option<bool>;

    /// Whether this is null.
    fn is_null(&self) -> bool;

    /// Iterates over the elements of a list, or over the values of an object.
    fn children(&self) -> impl Iterator<Item = &Self>;

    /// Selects by the engine, which evaluates every path.
    fn select_by_engine(&self, query: &Query) -> Vec<&Self>;
}

impl JsonTree for Value {
    fn get_entry(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }

    fn get_element(&self, index: usize) -> Option<&Self> {
        self.as_array()?.get(index)
    }

    fn get_text(&self) -> Option<&str> {
        self.as_str()
    }

    fn get_flag(&self) -> Option<bool> {
        self.as_bool()
    }

    fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    fn children(&self) -> impl Iterator<Item = &Self> {
        let elements = self.as_array().into_iter().flatten();
        elements.chain(self.as_object().into_iter().flat_map(|object| object.values()))
    }

    fn select_by_engine(&self, query: &Query) -> Vec<&Self> {
        query.query(self).all()
    }
}
