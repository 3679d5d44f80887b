//! The words of a file's records, by which a format is ruled out without a look at each record.

use crate::json::{JsonNode, JsonObject};
use crate::reader::json::key_bits::{KeyBits, KeyPlace, hash_key};

/// The number of words of bits in a set: few enough to be cheap, and enough for the words of a file.
const SIZE: usize = 32;

/// A word of records: a key, or the text under `type` or `role`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    place: KeyPlace,
    /// Whether it is the key of an object or a list.
    is_container: bool,
}

/// Returns the marks that these words stand for. One that ends with `/` is the key of an object or a list.
pub(crate) const fn hash_marks<const N: usize>(words: [&str; N]) -> [Mark; N] {
    let mut marks = [Mark { place: KeyBits::<SIZE>::find_place(0), is_container: false }; N];
    let mut at = 0;
    while at < N {
        let (word, is_container) = match words[at].as_bytes() {
            [key @ .., b'/'] => (key, true),
            word => (word, false),
        };
        marks[at] = Mark { place: KeyBits::<SIZE>::find_place(hash_key(word)), is_container };
        at += 1;
    }
    marks
}

/// The keys of records, and the texts under `type` and `role`.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordMarks {
    all: KeyBits<SIZE>,
    /// The keys of objects and lists.
    containers: KeyBits<SIZE>,
    /// Whether a record is no object: a list, for example, may hold anything.
    has_non_object: bool,
}

impl RecordMarks {
    /// Adds the keys of a record, and the texts under its `type` and `role`.
    pub(crate) fn add(&mut self, record: &JsonNode) {
        self.has_non_object |= !record.is_object();
        for (key, value) in record.as_object().into_iter().flat_map(JsonObject::iter) {
            let hash = hash_key(key.as_bytes());
            self.all.insert(hash);
            match value {
                JsonNode::Object(_) | JsonNode::Array(_) => _ = self.containers.insert(hash),
                JsonNode::String(kind) if matches!(key.as_ref(), "type" | "role") => {
                    self.all.insert(hash_key(kind.as_bytes()));
                }
                _ => {}
            }
        }
    }

    /// Whether a record may have one of `marks`. If not, it is certain.
    pub(crate) fn may_have_any(&self, marks: &[Mark]) -> bool {
        let may_have =
            |mark: &Mark| if mark.is_container { &self.containers } else { &self.all }.may_have(mark.place);
        self.has_non_object || marks.iter().any(may_have)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn a_mark_is_a_key_or_a_kind_or_a_key_of_a_container() {
        let record: JsonNode =
            json::from_str(r#"{"type": "a.b", "id": "x", "list": [{"in": 1}]}"#).expect("JSON");
        let mut found = RecordMarks::default();
        found.add(&record);
        for mark in hash_marks(["type", "a.b", "id", "list", "list/"]) {
            assert!(found.may_have_any(&[mark]), "{mark:?}");
        }
        for mark in hash_marks(["x", "in", "id/", "a", "type/"]) {
            assert!(!found.may_have_any(&[mark]), "{mark:?}");
        }
        assert!(!found.may_have_any(&[]));
        found.add(&JsonNode::Array(Vec::new()));
        assert!(found.may_have_any(&hash_marks(["x"])));
    }
}
