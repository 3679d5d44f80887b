//! The edit script: the fewest changes from the calls of a run to the expected ones.

use super::spec::CallDifference;
use crate::check::arguments::ArgumentDifference;
use crate::check::support::answer_json::shown;
use crate::check::support::messages::say_times;
use crate::evidence::SuccessBasis;
use crate::json::{Json, json};
use crate::trace::Call;

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
    /// The expected calls that were made.
    pub(super) held: Vec<HeldCall>,
    /// The expected calls that were not made, and need not be.
    pub(super) free: Vec<String>,
}

/// An expected call that was made.
#[derive(Debug)]
pub(super) struct HeldCall {
    pub(super) tool: String,
    /// The number of the call.
    pub(super) call: usize,
    /// What its success rests on, if the trace does not record it.
    pub(super) basis: Option<SuccessBasis>,
}

/// One line of the script.
#[derive(Debug, Clone)]
pub(super) struct CallEdit {
    pub(super) tool: String,
    /// The number of the call, if there is one.
    pub(super) call: Option<usize>,
    /// The number of the entry, from 1; 0 if no entry expects the call.
    pub(super) entry: usize,
    /// The JSON pointer to the entry, in the list.
    pub(super) at: String,
    /// The number of violations: an expected call is missing, a forbidden one was made.
    pub(super) weight: usize,
    pub(super) kind: EditKind,
}

#[derive(Debug, Clone)]
pub(super) enum EditKind {
    /// A call of the expected tool differs.
    Change {
        difference: CallDifference,
        /// The mode of the arguments, where they are constrained.
        mode: Option<&'static str>,
    },
    /// An expected call was not made, or out of order.
    Add {
        /// The number of calls of the tool that other entries expect.
        of_other_entries: usize,
    },
    /// A call was made and not expected.
    Remove,
}

impl EditScript {
    /// Sorts the lines by the calls, and missing calls by their entries.
    pub(super) fn sort(&mut self) {
        self.edits.sort_by_key(|edit| match edit.kind {
            // A missing call comes before the call with its number, as if it were inserted there.
            EditKind::Change { .. } | EditKind::Remove => (edit.call.unwrap_or_default(), 1),
            EditKind::Add { .. } => (edit.entry, 0),
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
        let width = self.edits.iter().map(|edit| edit.tool.chars().count()).max().unwrap_or(0);
        // One long name must not push the other columns off the screen.
        let width = width.min(MAX_TOOL_COLUMN);
        let lines = self.edits.iter().map(|edit| edit.render(width));
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl CallEdit {
    /// Creates the line of a call that no entry expects.
    pub(super) fn remove(call: &Call) -> Self {
        let tool = call.name.clone();
        let call = Some(call.index);
        Self { tool, call, entry: 0, at: String::new(), weight: 1, kind: EditKind::Remove }
    }

    /// The line of the script.
    pub(super) fn render(&self, width: usize) -> String {
        let (mark, number) = match self.kind {
            EditKind::Change { .. } => ('~', self.call),
            EditKind::Add { .. } => ('+', Some(self.entry)),
            EditKind::Remove => ('-', self.call),
        };
        format!("{mark} {} {:width$}  {}", number.unwrap_or_default(), self.tool, self.describe())
    }

    fn describe(&self) -> String {
        match (&self.kind, self.call) {
            (EditKind::Change { difference, .. }, _) => difference.describe(),
            (EditKind::Add { .. }, Some(call)) => {
                format!("expected here, called out of order as call {call}")
            }
            (EditKind::Add { of_other_entries: 0 }, None) => "expected, never called".to_owned(),
            (EditKind::Add { of_other_entries }, None) => {
                format!("expected, called only {}", say_times(*of_other_entries))
            }
            (EditKind::Remove, _) => "called, not expected".to_owned(),
        }
    }

    /// The edit as a sentence.
    pub(super) fn sentence(&self) -> String {
        let tool = &self.tool;
        let number = self.call.unwrap_or_default();
        match &self.kind {
            EditKind::Change { difference, .. } => {
                let verb = if difference.status.is_some() { "" } else { "has other arguments: " };
                format!("call {number} of `{tool}` {verb}{}", difference.describe())
            }
            // A call that exists and must be added is one at another place.
            EditKind::Add { .. } if self.call.is_some() => {
                format!("`{tool}` was called out of order, as call {number}")
            }
            EditKind::Add { of_other_entries: 0 } => format!("`{tool}` is expected and was never called"),
            EditKind::Add { of_other_entries } => {
                let times = say_times(*of_other_entries);
                format!("a further call of `{tool}` is expected: it was called only {times}")
            }
            EditKind::Remove => format!("call {number} of `{tool}` is not expected"),
        }
    }

    /// The edit as data.
    pub(super) fn to_json(&self) -> Json {
        let Self { tool, call, entry, .. } = self;
        match &self.kind {
            EditKind::Change { difference, mode } => json!({
                "edit": "change", "call": call, "tool": tool, "entry": entry, "args_mode": mode,
                "arguments": difference.arguments,
                "status": difference.status,
            }),
            EditKind::Add { .. } => {
                json!({"edit": "add", "tool": tool, "entry": entry, "out_of_order": call})
            }
            EditKind::Remove => json!({"edit": "remove", "call": call, "tool": tool}),
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
        Some(actual) => {
            let kinds = describe_kinds(actual, expected).unwrap_or_default();
            format!("{name}: {} -> {expected} expected{kinds}", shown(actual))
        }
        None => format!("{name}: missing, {expected} expected"),
    }
}

/// Says that two values differ in their kinds alone, which is easily overlooked: `"7"` and 7.
fn describe_kinds(actual: &Json, expected: &str) -> Option<&'static str> {
    let is_same = |one: &str, other: &str| {
        let read = |text: &str| text.parse::<f64>().ok();
        read(one).is_some_and(|number| Some(number) == read(other))
    };
    match actual {
        Json::String(text) => is_same(text, expected).then_some(" (a number, not a text)"),
        Json::Number(number) => {
            let text = expected.strip_prefix('"')?.strip_suffix('"')?;
            is_same(&number.to_string(), text).then_some(" (a text, not a number)")
        }
        _ => None,
    }
}
