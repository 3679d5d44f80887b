//! Detection of formats with nearly equal messages, by details of the messages in a list.

use crate::json::JsonNode;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection};

/// The details by which messages of one format are recognized.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageMarks {
    /// Whether a message has a detail that only this format has.
    pub(crate) is_telling: fn(&JsonNode) -> bool,
    /// Returns the reason why a message is not of this format, if there is one.
    pub(crate) object_to: fn(&JsonNode) -> Option<String>,
}

impl MessageMarks {
    /// Judges the messages of a list, which is under the key `list` of its record.
    ///
    /// One message with a detail of this format is enough, wherever it is. The reader then reports what it does not
    /// understand in the others.
    pub(crate) fn judge<'v>(
        self,
        messages: impl Iterator<Item = &'v JsonNode<'v>>,
        list: &'static str,
    ) -> Detection {
        let mut objection = None;
        let mut is_empty = true;
        for (index, message) in messages.enumerate() {
            if (self.is_telling)(message) {
                return Ok(Certainty::Sure);
            }
            // The first objection is kept.
            if objection.is_none() {
                objection = (self.object_to)(message).map(|why| (index, why));
            }
            is_empty = false;
        }
        match objection {
            Some((index, why)) => Err(Reason::of_message(list, index, why)),
            None if is_empty => Err("there is no message in it".into()),
            None => Ok(Certainty::Possible),
        }
    }
}
