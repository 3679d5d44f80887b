//! What a check demands of every run that passes, what it bans, and the clauses that some runs exercise: two checks of one
//! case that demand and ban the same can never both hold.

use std::borrow::Cow;

use crate::check::Check;
use crate::check::support::text_assertion::Literal;
use crate::outcome::{Score, count_to_f64};
use crate::pattern::ToolPattern;
use crate::place::Place;
use crate::trace::{Call, ToolServer};

/// A part of every run that a check accepts.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand<'c> {
    /// The JSON pointer to the setting that demands it, in the settings of the check.
    pub at: Cow<'static, str>,
    /// The demanded part.
    pub part: DemandedPart<'c>,
}

/// What is demanded.
#[derive(Debug, Clone, PartialEq)]
pub enum DemandedPart<'c> {
    /// A call of this tool, by its name; the arguments and the result are open.
    Call(Box<Call>, &'c str),
    /// A text somewhere in the answer.
    Text {
        /// The text.
        text: &'c str,
        /// Whether its letter case counts: a ban of one letter case covers no text in any.
        is_exact: bool,
    },
}

impl<'c> Demand<'c> {
    /// A call of a tool. A glob can be met in many ways, so it demands nothing that a ban certainly covers.
    pub(crate) fn call(tool: &'c ToolPattern, at: impl Into<Cow<'static, str>>) -> Option<Self> {
        tool.exact()?;
        let mut call = tool.example(1)?;
        // A name without a server means any server, so a ban of the tool on one server leaves the others.
        if call.server == ToolServer::NotRecorded {
            call.server = ToolServer::BuiltIn;
        }
        let part = DemandedPart::Call(Box::new(call), tool.as_str());
        Some(Self { at: at.into(), part })
    }

    /// Calls of the tools of a list at the pointer `list`.
    pub(crate) fn calls(tools: &'c [ToolPattern], list: &str) -> Vec<Self> {
        let tools = tools.iter().enumerate();
        tools.filter_map(|(index, tool)| Self::call(tool, format!("{list}/{index}"))).collect()
    }

    /// The text of a check of the answer, the setting `value`.
    pub(crate) fn text(literal: &'c Literal) -> Self {
        let part = DemandedPart::Text { text: literal.as_str(), is_exact: literal.case_sensitive };
        Self { at: "/value".into(), part }
    }
}

impl DemandedPart<'_> {
    /// Whether `check` rejects every run that has the part.
    pub(crate) fn is_banned_by(&self, check: &dyn Check) -> bool {
        match self {
            Self::Call(call, _) => check.bans_call(call),
            Self::Text { text, is_exact } => check.bans_text(text, *is_exact),
        }
    }
}

/// Whether the check accepts its own counterexample. This proves that it accepts every run only for a check with a
/// counterexample that it rejects if it rejects any run at all.
pub(crate) fn accepts_counterexample(check: &dyn Check) -> bool {
    !check.counterexample().is_some_and(|evidence| check.refuses(&evidence))
}

/// The highest share of `all` expected members that a run can have without calls of banned tools.
pub(crate) fn share_without_banned<'t>(
    tools: impl Iterator<Item = &'t ToolPattern>,
    all: usize,
    is_banned: &dyn Fn(&ToolPattern) -> bool,
) -> Score {
    // A share of nothing is full, as nothing is missing.
    if all == 0 {
        return Score::FULL;
    }
    let banned = tools.filter(|tool| is_banned(tool)).count();
    Score::new(count_to_f64(all.saturating_sub(banned)) / count_to_f64(all))
}

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
