//! The outcome of a comparison of calls: items, losses, and the edit script.

use super::edits::{CallEdit, EditKind, EditScript, HeldCall};
use super::settings::Trajectory;
use super::spec::CallSpec;
use crate::check::support::messages::say_calls;
use crate::outcome::{Item, Loss, Outcome, Score, State, Violation, count_to_f64};
use crate::trace::{Arguments, Call};

/// The tool of a call that no list expects.
const UNEXPECTED_TOOL: &str = "a_tool_that_no_list_expects";

/// The setting and the expectation that a script belongs to.
pub(super) struct ScriptFrame {
    /// The setting that holds the list.
    pub(super) list_key: &'static str,
    /// The expected call, in words.
    pub(super) expectation: String,
}

impl ScriptFrame {
    /// The list of a trajectory, and its modes in words.
    pub(super) fn of_trajectory(trajectory: &Trajectory, script: &EditScript) -> Self {
        let expectation = describe_expectation(trajectory, script);
        Self { list_key: trajectory.list_key, expectation }
    }
}

/// Builds the outcome. With an edit script there is one violation, which contains it.
pub(super) fn build_outcome(frame: &ScriptFrame, script: &EditScript, calls: usize) -> Outcome {
    let violation = (!script.edits.is_empty()).then(|| build_violation(frame, script));
    let points = script.points_each();
    let losses =
        script.edits.iter().map(|edit| Loss::new(points * count_to_f64(edit.weight), edit.sentence()));
    let mut outcome = Outcome {
        score: Score::new(script.score()),
        losses: losses.collect(),
        ..Outcome::of_items(list_items(script), violation.into_iter().collect())
    };
    if !script.edits.is_empty() {
        outcome = outcome.value("edits", script.edits.iter().map(CallEdit::to_json).collect());
    }
    outcome
        .stat("calls_checked", calls)
        .stat("expected_calls_missing", script.missing)
        .stat("calls_not_expected", script.extra)
}

fn list_items(script: &EditScript) -> Vec<Item> {
    let held = script.held.iter().map(|HeldCall { tool, call, basis }| {
        let basis =
            basis.as_ref().map_or_else(String::new, |basis| format!(", {}: {}", basis.how, basis.why));
        Item::new(tool, State::Held).note(format!("call {call}{basis}"))
    });
    let free = script.free.iter().map(|tool| Item::new(tool, State::NotExercised).note("not called"));
    let edits = script.edits.iter().map(|edit| Item::new(&edit.tool, State::Violated).note(edit.render(0)));
    held.chain(free).chain(edits).collect()
}

fn build_violation(frame: &ScriptFrame, script: &EditScript) -> Violation {
    let message = match script.edits.as_slice() {
        [only] => only.sentence(),
        edits => format!("{} calls are not as expected", edits.len()),
    };
    let at = script.edits.iter().map(|edit| edit.at.as_str()).find(|at| !at.is_empty()).unwrap_or_default();
    let mut calls: Vec<usize> = script.edits.iter().filter_map(|edit| edit.call).collect();
    calls.sort_unstable();
    let mut violation = Violation::new(message).at(format!("/{}{at}", frame.list_key));
    // One edit alone is the violation. Several are listed, and belong to no tool in particular.
    if let [only] = script.edits.as_slice() {
        violation.tool = Some(only.tool.clone());
        name_argument(&mut violation, only);
    }
    violation.call = calls.first().copied();
    violation.calls = if calls.len() > 1 { calls } else { Vec::new() };
    violation.expected(frame.expectation.clone(), script.render()).help(
        "`~` and `-` begin with the number of the call, `+` with that of the entry: change the agent, or the list",
    )
}

fn name_argument(violation: &mut Violation, edit: &CallEdit) {
    let EditKind::Change { difference, .. } = &edit.kind else { return };
    // With several wrong arguments, none of them is the one.
    if let [only] = difference.arguments.as_slice() {
        violation.argument.clone_from(&only.name);
        violation.value.clone_from(&only.actual);
        violation.constraint = Some(only.expected.clone());
    }
}

/// The modes in words.
fn describe_expectation(trajectory: &Trajectory, script: &EditScript) -> String {
    let expected = trajectory.groups.iter().map(Vec::len).sum::<usize>();
    let calls = say_calls(expected);
    // Calls may have modes of their own; each is named once.
    let mut modes: Vec<&str> = script.edits.iter().filter_map(find_mode).collect();
    modes.sort_unstable();
    modes.dedup();
    let arguments = if modes.is_empty() { String::new() } else { format!(", args `{}`", modes.join("`, `")) };
    format!("{calls}, mode `{}`{arguments}", trajectory.mode.word())
}

fn find_mode(edit: &CallEdit) -> Option<&'static str> {
    match edit.kind {
        EditKind::Change { mode, .. } => mode,
        _ => None,
    }
}

/// Builds calls that the trajectory is likely to refuse: none if a call is demanded, or else calls that no list expects.
pub(super) fn build_refused_calls(trajectory: &Trajectory, like: Option<Call>) -> Vec<Call> {
    if trajectory.mode.demands_all() && trajectory.groups.iter().flatten().any(|slot| slot.demanded) {
        return Vec::new();
    }
    let like = like.unwrap_or_else(|| Call::new(UNEXPECTED_TOOL, Arguments::none(), 1));
    let slots = trajectory.groups.iter().flatten().count();
    // One more than the list can take.
    (1..=slots + 1).map(|turn| Call { turn, ..like.clone() }).collect()
}

/// The tools of the list.
pub(super) fn list_specs(trajectory: &Trajectory) -> impl Iterator<Item = &CallSpec> {
    trajectory.groups.iter().flatten().flat_map(|slot| &slot.specs).map(std::convert::AsRef::as_ref)
}
