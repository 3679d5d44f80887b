//! The place of a record in its file, as readers carry it: cheap to copy, and turned into text only for a mistake or an
//! unread part.

use crate::reader::error::DecodeError;
use crate::reader::json::input::At;
use crate::trace::RecordPlace;

/// The place of a record, or of a message in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordSpot {
    pub(crate) at: At,
    /// The keys from the record to the message, such as `request/messages`.
    pub(crate) path: &'static str,
    /// The index of the message in the list at `path`.
    pub(crate) index: Option<usize>,
    /// The keys from there to the message.
    pub(crate) inner: &'static str,
}

impl RecordSpot {
    /// The value under the keys `path` of a record.
    pub(crate) fn under(at: At, path: &'static str) -> Self {
        Self { at, path, index: None, inner: "" }
    }

    /// The item at `index` of the list under the keys `path` of a record.
    pub(crate) fn item(at: At, path: &'static str, index: usize) -> Self {
        Self { at, path, index: Some(index), inner: "" }
    }

    /// The value under the keys `inner` of the item.
    pub(crate) fn with_inner(self, inner: &'static str) -> Self {
        Self { inner, ..self }
    }

    /// Adds this place to an error.
    pub(crate) fn blame(self, error: DecodeError) -> DecodeError {
        // An error collects its path from the inside outwards, so the steps are added in reverse order.
        let error = split_steps(self.inner).rev().fold(error, DecodeError::at_key);
        let error = self.index.into_iter().fold(error, DecodeError::at_key);
        self.at.in_record(split_steps(self.path).rev().fold(error, DecodeError::at_key))
    }

    /// Renders this place, followed by the JSON pointer `inner`.
    pub(crate) fn locate(self, inner: &str) -> RecordPlace {
        let (line, item) = match self.at {
            At::Line(line) => (Some(line), None),
            At::Item(index) => (None, Some(index)),
            At::Whole => (None, None),
        };
        let mut pointer = item.map(|index| format!("/{index}")).unwrap_or_default();
        pointer.extend(split_steps(self.path).flat_map(|step| ["/", step]));
        if let Some(index) = self.index {
            pointer.extend(["/", &index.to_string()]);
        }
        pointer.extend(split_steps(self.inner).flat_map(|step| ["/", step]));
        pointer += inner;
        RecordPlace::new(line, pointer)
    }
}

impl From<At> for RecordSpot {
    fn from(at: At) -> Self {
        Self::under(at, "")
    }
}

fn split_steps(path: &'static str) -> impl DoubleEndedIterator<Item = &'static str> {
    path.split('/').filter(|step| !step.is_empty())
}

impl Default for RecordSpot {
    fn default() -> Self {
        At::Whole.into()
    }
}
