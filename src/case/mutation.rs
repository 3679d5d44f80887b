//! Mutations: the sorts of changes of a run that a case should notice, and those that a case declares as harmless.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::pattern::ToolPattern;
use crate::place::Place;

/// A sort of change of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MutationSort {
    /// A call is not made.
    Omit,
    /// A call is made twice.
    Duplicate,
    /// A call and the next one are swapped.
    Swap,
    /// A call is one of another tool.
    Rename,
    /// A call goes to another server.
    MoveServer,
    /// A call fails.
    Fail,
    /// A call that failed succeeds.
    Succeed,
    /// Two calls have each other's arguments.
    ExchangeArguments,
    /// An argument has another value of its type.
    ChangeValue,
    /// An argument has its value in another type.
    ChangeType,
    /// An argument is missing.
    OmitArgument,
    /// A call has one more argument.
    AddArgument,
    /// A result is empty.
    BlankResult,
    /// A result has other values.
    ChangeResult,
    /// A tool is called that the run does not know.
    UnknownCall,
    /// A call is made that a check forbids.
    ForbiddenCall,
    /// The run ends after a call.
    CutRun,
    /// The answer is empty.
    BlankAnswer,
    /// The answer is its first half.
    CutAnswer,
    /// The answer is another one.
    ReplaceAnswer,
    /// The numbers of the answer are others.
    ChangeNumbers,
    /// The answer says the opposite.
    InvertNegation,
    /// The run takes twice the tokens.
    DoubleTokens,
    /// The run costs twice as much.
    DoubleCost,
    /// The run takes twice as long.
    DoubleDuration,
}

/// The sorts with their names in files and reports, in the order in which they are tried.
pub const MUTATION_SORTS: &[(MutationSort, &str)] = &[
    (MutationSort::Omit, "omit"),
    (MutationSort::Duplicate, "duplicate"),
    (MutationSort::Swap, "swap"),
    (MutationSort::Rename, "rename"),
    (MutationSort::MoveServer, "move_server"),
    (MutationSort::Fail, "fail"),
    (MutationSort::Succeed, "succeed"),
    (MutationSort::ExchangeArguments, "exchange_arguments"),
    (MutationSort::ChangeValue, "change_value"),
    (MutationSort::ChangeType, "change_type"),
    (MutationSort::OmitArgument, "omit_argument"),
    (MutationSort::AddArgument, "add_argument"),
    (MutationSort::BlankResult, "blank_result"),
    (MutationSort::ChangeResult, "change_result"),
    (MutationSort::UnknownCall, "unknown_call"),
    (MutationSort::ForbiddenCall, "forbidden_call"),
    (MutationSort::CutRun, "cut_run"),
    (MutationSort::BlankAnswer, "blank_answer"),
    (MutationSort::CutAnswer, "cut_answer"),
    (MutationSort::ReplaceAnswer, "replace_answer"),
    (MutationSort::ChangeNumbers, "change_numbers"),
    (MutationSort::InvertNegation, "invert_negation"),
    (MutationSort::DoubleTokens, "double_tokens"),
    (MutationSort::DoubleCost, "double_cost"),
    (MutationSort::DoubleDuration, "double_duration"),
];

impl MutationSort {
    /// Returns the name in files and reports.
    pub fn name(self) -> &'static str {
        MUTATION_SORTS.iter().find(|(sort, _)| *sort == self).map_or("", |(_, name)| name)
    }

    /// Returns the sort with this name.
    pub fn find_by_name(name: &str) -> Option<Self> {
        MUTATION_SORTS.iter().find(|(_, known)| *known == name).map(|(sort, _)| *sort)
    }
}

/// Mutations that a case need not notice: all of a sort, all that change a tool or an argument, or both.
#[derive(Debug, Clone)]
pub struct IgnoredMutations {
    /// The place of the entry.
    pub place: Place,
    /// The entry as written.
    pub text: String,
    /// The sort; `None` for every sort.
    pub sort: Option<MutationSort>,
    /// A name or glob over `TOOL` and `TOOL.ARGUMENT`; `None` for everything.
    pub subject: Option<ToolPattern>,
    /// Why the run may vary here.
    pub reason: Option<String>,
}

impl IgnoredMutations {
    /// Whether a mutation of this sort with these subjects (`TOOL`, `TOOL.ARGUMENT`) is one of them.
    pub fn includes<'s>(&self, sort: MutationSort, subjects: impl IntoIterator<Item = &'s String>) -> bool {
        let is_sort = self.sort.is_none_or(|known| known == sort);
        is_sort
            && self
                .subject
                .as_ref()
                .is_none_or(|pattern| subjects.into_iter().any(|subject| pattern.matches_name(subject)))
    }
}
