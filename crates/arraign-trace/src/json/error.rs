//! What is wrong with a JSON text.

use std::fmt;

use crate::json_text::escape_token;

/// A text is not JSON, or its values do not fit the type that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    message: String,
    place: Option<JsonPlace>,
    /// The JSON pointer of a value that does not fit.
    pointer: String,
}

/// The place of an error in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct JsonPlace {
    line: usize,
    column: usize,
    is_end: bool,
}

impl JsonError {
    /// Returns the error at byte `offset` of `text`.
    pub(crate) fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let is_end = offset >= text.len();
        let column = before.len() - line_start + usize::from(!is_end);
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        Self {
            message: message.into(),
            place: Some(JsonPlace { line, column, is_end }),
            pointer: String::new(),
        }
    }

    /// Returns an error without a place.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, pointer: String::new() }
    }

    /// Returns the error of a value in a list or an object.
    pub(crate) fn below(mut self, token: impl fmt::Display) -> Self {
        self.pointer.insert_str(0, &format!("/{}", escape_token(&token.to_string())));
        self
    }

    /// The JSON pointer of the value that does not fit the wanted type; empty if it is the whole, or if the text is not JSON.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The line of the error, from 1; 0 if it has no place.
    pub fn line(&self) -> usize {
        self.place.map_or(0, |place| place.line)
    }

    /// The column of the error in bytes, from 1; 0 if it has no place, or if it is at the end of an empty line.
    pub fn column(&self) -> usize {
        self.place.map_or(0, |place| place.column)
    }

    /// Whether the text ends too early.
    pub fn is_eof(&self) -> bool {
        self.place.is_some_and(|place| place.is_end)
    }

    /// Whether the text is JSON whose values do not fit the type that is wanted.
    pub fn is_data(&self) -> bool {
        self.place.is_none()
    }

    /// Returns the message without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        f.write_str(&self.message)?;
        match self.place {
            Some(place) => write!(f, " at line {} column {}", place.line, place.column),
            None => Ok(()),
        }
    }
}

impl std::error::Error for JsonError {}

impl From<JsonError> for std::io::Error {
    fn from(error: JsonError) -> Self {
        Self::new(std::io::ErrorKind::InvalidData, error)
    }
}

impl serde::de::Error for JsonError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

impl serde::ser::Error for JsonError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}
