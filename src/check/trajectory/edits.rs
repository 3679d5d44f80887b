//! The edit script: the fewest changes from the calls of a run to the expected ones.

use serde_json::{Value, json};

use super::spec::CallDifference;
use crate::check::arguments::ArgumentDifference;
use crate::check::support::json_assertion::shown;

/// The longest column of tool names, in characters.
const MAX_TOOL_COLUMN: usize = 24;

/// The differences between a run and the expected calls.
#[derive(Debug, Default)]
pub(super) struct EditScript {
    pub(super) edits: Vec<CallEdit>,
    /// The number of pairs that count.
    pub(super) matched: usize,
    /// The number of demanded calls that are missing or differ.
    pub(super) missing: usize,
    /// The number of forbidden calls.
    pub(super) extra: usize,
    /// The expected calls that were made: the tool, and the number of the call.
    pub(super) held: Vec<(String, usize)>,
    /// The expected calls that were not made, and need not be.
    pub(super) free: Vec<String>,
}

/// One line of the script.
#[derive(Debug, Clone)]
pub(super) enum CallEdit {
    /// A call of the expected tool differs.
    Change {
        call: usize,
        tool: String,
        entry: usize,
        at: String,
        difference: CallDifference,
        /// The mode of the arguments, where they are constrained.
        mode: Option<&'static str>,
        /// The number of violations: an expected call is missing, a forbidden one was made.
        weight: usize,
    },
    /// An expected call was not made.
    Add {
        tool: String,
        entry: usize,
        at: String,
        out_of_order: Option<usize>,
        /// The number of calls of the tool that other entries expect.
        of_other_entries: usize,
    },
    /// A call was made and not expected.
    Remove { call: usize, tool: String },
}

impl EditScript {
    /// Sorts the lines by the calls, and missing calls by their entries.
    pub(super) fn sort(&mut self) {
        self.edits.sort_by_key(|edit| match edit {
            // A missing call comes before the call with its number, as if it were inserted there.
            CallEdit::Change { call, .. } | CallEdit::Remove { call, .. } => (*call, 1),
            CallEdit::Add { entry, .. } => (*entry, 0),
        });
    }

    /// The share of calls that agree: twice the pairs, divided by the demanded calls and those that need a slot.
    pub(super) fn score(&self) -> f64 {
        let count = crate::outcome::count_to_f64;
        let all = 2 * self.matched + self.missing + self.extra;
        if self.missing + self.extra == 0 { 1.0 } else { count(2 * self.matched) / count(all) }
    }

    /// The points that one missing or forbidden call costs.
    pub(super) fn points_each(&self) -> f64 {
        1.0 / crate::outcome::count_to_f64((2 * self.matched + self.missing + self.extra).max(1))
    }

    /// Renders one line for each edit, in columns.
    pub(super) fn render(&self) -> String {
        let width = self.edits.iter().map(|edit| edit.tool().chars().count()).max().unwrap_or(0);
        let width = width.min(MAX_TOOL_COLUMN);
        let lines = self.edits.iter().map(|edit| edit.render(width));
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl CallEdit {
    pub(super) fn tool(&self) -> &str {
        match self {
            Self::Change { tool, .. } | Self::Add { tool, .. } | Self::Remove { tool, .. } => tool,
        }
    }

    /// The number of the call, if there is one.
    pub(super) fn call(&self) -> Option<usize> {
        match self {
            Self::Change { call, .. } | Self::Remove { call, .. } => Some(*call),
            Self::Add { out_of_order, .. } => *out_of_order,
        }
    }

    /// The JSON pointer to the entry, in the list.
    pub(super) fn at(&self) -> &str {
        match self {
            Self::Change { at, .. } | Self::Add { at, .. } => at,
            Self::Remove { .. } => "",
        }
    }

    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Change { weight, .. } => *weight,
            Self::Add { .. } | Self::Remove { .. } => 1,
        }
    }

    /// The line of the script.
    pub(super) fn render(&self, width: usize) -> String {
        let (mark, number) = match self {
            Self::Change { call, .. } => ('~', call),
            Self::Add { entry, .. } => ('+', entry),
            Self::Remove { call, .. } => ('-', call),
        };
        format!("{mark} {number} {:width$}  {}", self.tool(), self.describe())
    }

    fn describe(&self) -> String {
        match self {
            Self::Change { difference, .. } => difference.describe(),
            Self::Add { out_of_order: Some(call), .. } => {
                format!("expected here, called out of order as call {call}")
            }
            Self::Add { of_other_entries: 0, .. } => "expected, never called".to_owned(),
            Self::Add { of_other_entries, .. } => {
                format!("expected, called only {}", say_times(*of_other_entries))
            }
            Self::Remove { .. } => "called, not expected".to_owned(),
        }
    }

    /// The edit as a sentence.
    pub(super) fn sentence(&self) -> String {
        match self {
            Self::Change { call, tool, difference, .. } => {
                let verb = if difference.status.is_some() { "" } else { "has other arguments: " };
                format!("call {call} of `{tool}` {verb}{}", difference.describe())
            }
            Self::Add { tool, out_of_order: Some(call), .. } => {
                format!("`{tool}` was called out of order, as call {call}")
            }
            Self::Add { tool, of_other_entries: 0, .. } => {
                format!("`{tool}` is expected and was never called")
            }
            Self::Add { tool, of_other_entries, .. } => {
                format!(
                    "a further call of `{tool}` is expected: it was called only {}",
                    say_times(*of_other_entries)
                )
            }
            Self::Remove { call, tool } => format!("call {call} of `{tool}` is not expected"),
        }
    }

    /// The edit as data.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Change { call, tool, entry, difference, mode, .. } => json!({
                "edit": "change", "call": call, "tool": tool, "entry": entry, "args_mode": mode,
                "arguments": difference.arguments.iter().map(difference_to_json).collect::<Vec<_>>(),
                "status": difference.status,
            }),
            Self::Add { tool, entry, out_of_order, .. } => {
                json!({"edit": "add", "tool": tool, "entry": entry, "out_of_order": out_of_order})
            }
            Self::Remove { call, tool } => json!({"edit": "remove", "call": call, "tool": tool}),
        }
    }
}

impl CallDifference {
    /// The number of differences.
    pub(super) fn count(&self) -> usize {
        self.arguments.len() + usize::from(self.status.is_some())
    }

    /// The differences in words: `amount: 50 -> 30 expected`.
    pub(super) fn describe(&self) -> String {
        let arguments = self.arguments.iter().map(describe_argument);
        self.status.iter().cloned().chain(arguments).collect::<Vec<_>>().join("; ")
    }
}

fn describe_argument(difference: &ArgumentDifference) -> String {
    let ArgumentDifference { name, actual, expected } = difference;
    let name = name.as_deref().unwrap_or("the arguments");
    match actual {
        Some(actual) if expected == "no such argument" => format!("{name}: {}, not expected", shown(actual)),
        Some(actual) => format!("{name}: {} -> {expected} expected", shown(actual)),
        None => format!("{name}: missing, {expected} expected"),
    }
}

fn say_times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

fn difference_to_json(difference: &ArgumentDifference) -> Value {
    json!({"argument": difference.name, "value": difference.actual, "expected": difference.expected})
}
