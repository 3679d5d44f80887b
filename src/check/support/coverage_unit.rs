//! What a check asks piece by piece: a report of coverage says which of it no run puts to the test.

use crate::pattern::ToolPattern;
use crate::place::Place;

/// One piece of what a check asks.
#[derive(Debug, Clone)]
pub struct Clause {
    /// What it is about.
    pub about: About,
    /// Where it stands: a JSON pointer into the settings.
    pub at: String,
    /// Where it stands in a policy file, if it does.
    pub policy: Option<Place>,
}

/// What a clause is about.
#[derive(Debug, Clone)]
pub enum About {
    /// The calls of these tools, and some of their arguments by name.
    Calls {
        /// The tools.
        tool: ToolPattern,
        /// The arguments that are constrained.
        arguments: Vec<String>,
    },
    /// A rule, by the label of its item.
    Rule(String),
}
