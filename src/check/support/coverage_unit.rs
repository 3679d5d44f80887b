//! The clauses of a check. A report of coverage lists those that no run tests.

use crate::pattern::ToolPattern;
use crate::place::Place;

/// One requirement of a check.
#[derive(Debug, Clone)]
pub struct Clause {
    /// The subject of the clause.
    pub about: About,
    /// The JSON pointer into the settings.
    pub at: String,
    /// The place in the policy file, if the clause comes from one.
    pub policy: Option<Place>,
}

/// The subject of a clause.
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
