//! The declared readers that come with arraign: `readers: [agno]`.

use std::sync::Arc;

use serde::Deserialize;

use crate::JsonSchema;
use crate::place::Source;

/// The declarations of one framework.
pub struct ShippedReaders {
    /// The name, as `readers` and `explain --reader` have it.
    pub name: &'static str,
    text: &'static str,
}

macro_rules! ship {
    ($($framework:ident $name:literal,)*) => {
        /// The name of a framework whose readers come with arraign.
        #[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
        #[schemars(rename = "framework")]
        pub(crate) enum Framework {
            $(#[serde(rename = $name)] $framework,)*
        }

        /// The declarations of all frameworks, sorted by name.
        pub const SHIPPED_READERS: &[ShippedReaders] = &[$(ShippedReaders {
            name: $name,
            text: include_str!(concat!("../../../examples/readers/", $name, ".yaml")),
        },)*];
    };
}

ship! {
    Ag2 "ag2",
    Agno "agno",
    AnyAgent "any-agent",
    AutoGen "autogen",
    Chatlas "chatlas",
    Continue "continue",
    CrewAi "crewai",
    Dspy "dspy",
    FastAgent "fast-agent",
    Genkit "genkit",
    Goose "goose",
    Haystack "haystack",
    LlamaIndexTs "llamaindex-ts",
    MafWorkflow "maf-workflow",
    MiniSweAgent "mini-swe-agent",
    Mlflow "mlflow",
    OpenHands "openhands",
    Smolagents "smolagents",
    SweAgent "swe-agent",
    TauBench "tau-bench",
}

impl ShippedReaders {
    /// Finds those of a framework by its name.
    pub fn find(name: &str) -> Option<&'static Self> {
        SHIPPED_READERS.iter().find(|shipped| shipped.name == name)
    }

    /// Returns the file of the declarations.
    pub fn source(&self) -> Arc<Source> {
        Source::new(format!("{}.yaml", self.name), self.text)
    }
}

impl Framework {
    /// Returns the declarations that come with arraign.
    pub(crate) fn readers(self) -> &'static ShippedReaders {
        &SHIPPED_READERS[self as usize]
    }
}
