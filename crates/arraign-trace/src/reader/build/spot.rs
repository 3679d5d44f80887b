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
}

impl RecordSpot {
    /// Adds this place to an error.
    pub(crate) fn blame(self, error: DecodeError) -> DecodeError {
        let error = self.index.into_iter().fold(error, DecodeError::at_key);
        let steps = self.path.split('/').filter(|step| !step.is_empty()).rev();
        self.at.in_record(steps.fold(error, DecodeError::at_key))
    }

    /// Renders this place, followed by the JSON pointer `inner`.
    pub(crate) fn locate(self, inner: &str) -> RecordPlace {
        let (line, item) = match self.at {
            At::Line(line) => (Some(line), None),
            At::Item(index) => (None, Some(index)),
            At::Whole => (None, None),
        };
        let mut steps: Vec<String> = item.iter().map(ToString::to_string).collect();
        steps.extend(Some(self.path.to_owned()).filter(|path| !path.is_empty()));
        steps.extend(self.index.iter().map(ToString::to_string));
        let outer: String = steps.iter().flat_map(|step| ["/", step.as_str()]).collect();
        let pointer = outer + inner;
        RecordPlace::new(line, pointer)
    }
}

impl From<At> for RecordSpot {
    fn from(at: At) -> Self {
        Self { at, path: "", index: None }
    }
}

impl Default for RecordSpot {
    fn default() -> Self {
        At::Whole.into()
    }
}
