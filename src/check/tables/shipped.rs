//! The declared readers that come with arraign: `readers: [agno]`.

use std::sync::Arc;

use crate::place::Source;

/// A file of declarations, by the name of the framework.
pub struct ShippedReaders {
    /// The name, as `readers` and `explain --reader` have it.
    pub name: &'static str,
    text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(ShippedReaders {
            name: $name,
            text: include_str!(concat!("../../../examples/readers/", $name, ".yaml")),
        }),*]
    };
}

/// All of them, sorted by name.
pub const SHIPPED_READERS: &[ShippedReaders] = shipped![
    "ag2",
    "agno",
    "autogen",
    "crewai",
    "dspy",
    "goose",
    "haystack",
    "openhands",
    "smolagents",
    "swe-agent",
    "tau-bench",
];

impl ShippedReaders {
    /// Finds those of a framework.
    pub fn find(name: &str) -> Option<&'static Self> {
        SHIPPED_READERS.iter().find(|shipped| shipped.name == name)
    }

    /// Returns the file of the declarations.
    pub fn source(&self) -> Arc<Source> {
        Source::new(format!("{}.yaml", self.name), self.text)
    }
}
