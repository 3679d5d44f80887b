//! The texts of a JSON tree: borrowed from the file that is read, or shared by the trees that hold them.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A text. A clone shares it.
#[derive(Clone)]
pub enum JsonText<'t> {
    /// A part of a longer text, such as the file that is read.
    Borrowed(&'t str),
    /// A text of its own.
    Shared(Arc<str>),
}

impl<'t> JsonText<'t> {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }

    /// Returns the text, which no longer borrows.
    pub fn into_owned(self) -> JsonText<'static> {
        match self {
            Self::Borrowed(text) => JsonText::Shared(text.into()),
            Self::Shared(text) => JsonText::Shared(text),
        }
    }

    /// Returns the text as a string of its own.
    pub fn into_string(self) -> String {
        self.as_str().to_owned()
    }

    /// Returns the text, borrowed for as long as the file where it is a part of it.
    pub fn into_cow(self) -> Cow<'t, str> {
        match self {
            Self::Borrowed(text) => Cow::Borrowed(text),
            Self::Shared(text) => Cow::Owned(text.as_ref().to_owned()),
        }
    }
}

impl Deref for JsonText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for JsonText<'_> {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for JsonText<'_> {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl Default for JsonText<'_> {
    fn default() -> Self {
        Self::Borrowed("")
    }
}

impl PartialEq for JsonText<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for JsonText<'_> {}

impl PartialEq<str> for JsonText<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for JsonText<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for JsonText<'_> {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<JsonText<'_>> for str {
    fn eq(&self, other: &JsonText<'_>) -> bool {
        self == other.as_str()
    }
}

impl PartialEq<JsonText<'_>> for &str {
    fn eq(&self, other: &JsonText<'_>) -> bool {
        *self == other.as_str()
    }
}

impl PartialEq<JsonText<'_>> for String {
    fn eq(&self, other: &JsonText<'_>) -> bool {
        self == other.as_str()
    }
}

impl PartialOrd for JsonText<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for JsonText<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for JsonText<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for JsonText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for JsonText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl<'t> From<&'t str> for JsonText<'t> {
    fn from(text: &'t str) -> Self {
        Self::Borrowed(text)
    }
}

impl From<String> for JsonText<'_> {
    fn from(text: String) -> Self {
        Self::Shared(text.into())
    }
}

impl From<&String> for JsonText<'_> {
    fn from(text: &String) -> Self {
        Self::Shared(text.as_str().into())
    }
}

impl<'t> From<Cow<'t, str>> for JsonText<'t> {
    fn from(text: Cow<'t, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Self::Borrowed(text),
            Cow::Owned(text) => Self::Shared(text.into()),
        }
    }
}

impl From<Arc<str>> for JsonText<'_> {
    fn from(text: Arc<str>) -> Self {
        Self::Shared(text)
    }
}

impl From<JsonText<'_>> for String {
    fn from(text: JsonText<'_>) -> Self {
        text.into_string()
    }
}

impl serde::Serialize for JsonText<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

/// A text of its own.
impl From<&JsonText<'_>> for JsonText<'static> {
    fn from(text: &JsonText<'_>) -> Self {
        text.clone().into_owned()
    }
}
