//! Whether a list of messages is of a format, for formats whose messages differ only in their details.

use crate::reader::json::value::Json;
use crate::reader::{Certainty, Detection};

/// What tells the messages of one format from those of others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageMarks {
    /// Whether a message holds what only this format has.
    pub(crate) is_telling: fn(&Json) -> bool,
    /// What speaks against a message being one of this format.
    pub(crate) object_to: fn(&Json) -> Option<String>,
}

impl MessageMarks {
    /// Judges the messages of a list, which is at `path` of its record.
    ///
    /// A telling message settles the matter, wherever it is: then the reader reports what it does not understand.
    pub(crate) fn judge<'v>(self, messages: impl Iterator<Item = &'v Json<'v>>, path: &str) -> Detection {
        let mut objection = Some("there is no message in it".to_owned());
        for (index, message) in messages.enumerate() {
            if (self.is_telling)(message) {
                return Ok(Certainty::Sure);
            }
            if index == 0 || objection.is_none() {
                objection = (self.object_to)(message).map(|reason| format!("`{path}[{index}]` {reason}"));
            }
        }
        objection.map_or(Ok(Certainty::Possible), |objection| Err(objection.into()))
    }
}
