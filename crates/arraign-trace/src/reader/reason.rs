//! Why a reader declines a file.
//!
//! Of a file that is known, one reader reads it and all others decline: their reasons are put into words only where
//! nobody knows the file.

use std::borrow::Cow;
use std::fmt;

use crate::reader::json::input::At;

/// A reason for declining, in parts.
#[derive(Debug)]
pub(crate) struct Reason {
    /// The record with the objection; `None` for the file as a whole.
    at: Option<At>,
    /// The message with the objection: the key of its list, and its index there.
    message: Option<(&'static str, usize)>,
    why: Cow<'static, str>,
}

impl Reason {
    /// What the record at `at` is, or lacks, as in "has no `steps`".
    pub(crate) fn of(at: At, why: impl Into<Cow<'static, str>>) -> Self {
        Self { at: Some(at), message: None, why: why.into() }
    }

    /// What the message at `index` of the list `list` of a record is, or lacks.
    pub(crate) fn of_message(list: &'static str, index: usize, why: String) -> Self {
        Self { at: None, message: Some((list, index)), why: why.into() }
    }

    /// The same reason, of the record at `at`.
    pub(crate) fn in_record(self, at: At) -> Self {
        Self { at: Some(at), ..self }
    }
}

impl From<&'static str> for Reason {
    fn from(why: &'static str) -> Self {
        Self { at: None, message: None, why: why.into() }
    }
}

impl From<String> for Reason {
    fn from(why: String) -> Self {
        Self { at: None, message: None, why: why.into() }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = self.at {
            write!(f, "{at} ")?;
        }
        if let Some((list, index)) = self.message {
            write!(f, "`{list}[{index}]` ")?;
        }
        f.write_str(&self.why)
    }
}
