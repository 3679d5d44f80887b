//! Runs that were recorded for another input, or by an agent that has changed: such a run is undecided, and no check is
//! asked about it.

use super::run_result::RunResult;
use crate::case::{
    AgentFingerprint, Case, ChangeKind, FileChange, RecordingMatch, RecordingMismatch, TraceFrom,
    VARIANT_PART, compare_input, compare_recording,
};
use crate::check::InputMatch;
use crate::outcome::{Status, UndecidedCause};
use crate::secrets::quote_difference;
use crate::trace::Trace;
use crate::verdict::Finding;

/// The name of the rule in findings.
const FIT: &str = "fit";

/// The reasons of such a finding.
const OTHER_INPUT: &str = "recorded for another input";
const CHANGED_AGENT: &str = "recorded by an agent that has changed";
const OTHER_AGENT: &str = "recorded by another agent";
const OTHER_VARIANT: &str = "recorded by another variant";

/// The largest number of files in a message.
const MAX_NAMED_FILES: usize = 3;

/// Returns the result of a run that was recorded for another input, or whose `agent` has changed. `None` for all other runs.
pub(super) fn reject_misfit(
    case: &Case,
    trace: &Trace,
    run: usize,
    agent: Option<&AgentFingerprint>,
) -> Option<RunResult> {
    let RecordingMatch::Other(misfit) = compare_recording(case, trace, agent) else { return None };
    // The finding points at the part of the case that the run does not fit.
    let place = match (&misfit, &case.agent) {
        (RecordingMismatch::Text { turn: Some(turn), .. }, _) => &turn.place,
        (
            RecordingMismatch::Files(_) | RecordingMismatch::Agent { .. } | RecordingMismatch::Variant { .. },
            Some(agent),
        ) => &agent.place,
        _ => case.input_place.as_ref().unwrap_or(&case.place),
    };
    let (reason, undecided) = match misfit {
        RecordingMismatch::Agent { .. } => (OTHER_AGENT, UndecidedCause::AnotherAgent),
        RecordingMismatch::Variant { .. } => (OTHER_VARIANT, UndecidedCause::AnotherAgent),
        RecordingMismatch::Files(_) => (CHANGED_AGENT, UndecidedCause::ChangedAgent),
        RecordingMismatch::Fingerprint | RecordingMismatch::Text { .. } => {
            (OTHER_INPUT, UndecidedCause::AnotherInput)
        }
    };
    let finding = Finding {
        status: Status::Undecided,
        run,
        unfit: Some(format!("{reason}: {}", describe_misfit(&misfit, trace))),
        undecided: Some(undecided),
        help: Some(advise_rerecording(case, &misfit)),
        ..Finding::empty(FIT, place)
    };
    let reason = format!("the run was {reason}");
    // The card stays in the verdict without a score, so that a mean over cases does not lose the case in silence.
    let cards = case.scorecards.iter().map(|card| card.empty_card(run, &reason)).collect();
    Some(RunResult { findings: vec![finding], cards, figures: None, ended_in_error: false, is_lost: false })
}

/// Describes how the input that `trace` was recorded for differs from that of the case, if it does.
pub(super) fn describe_other_input(case: &Case, trace: &Trace, input_match: InputMatch) -> Option<String> {
    let RecordingMatch::Other(misfit) = compare_input(case, trace, input_match) else { return None };
    Some(format!("{OTHER_INPUT}: {}", describe_misfit(&misfit, trace)))
}

/// Whether the finding is about a run that does not fit its case. Several runs together do not change what it means for the
/// case.
pub(super) fn is_misfit(finding: &Finding) -> bool {
    matches!(
        finding.undecided,
        Some(UndecidedCause::AnotherInput | UndecidedCause::ChangedAgent | UndecidedCause::AnotherAgent)
    )
}

fn describe_misfit(misfit: &RecordingMismatch<'_>, trace: &Trace) -> String {
    let (wanted, turn, found) = match misfit {
        RecordingMismatch::Text { wanted, turn, found, .. } => (wanted, turn, found),
        RecordingMismatch::Agent { recorded, asked } => {
            return format!("`{recorded}` made the recording, and the case asks `{asked}`");
        }
        RecordingMismatch::Variant { recorded, asked } => {
            return format!("`{recorded}` made the recording, and this is `{asked}`");
        }
        RecordingMismatch::Files(changes) => return describe_changes(changes, trace),
        RecordingMismatch::Fingerprint => {
            return "the fingerprint of the case's input differs from the recorded one".to_owned();
        }
    };
    let asks = turn.map_or("the case asks".to_owned(), |turn| format!("turn {} asks", turn.turn));
    let [wanted, asked] = quote_difference(wanted, found.unwrap_or_default());
    match found {
        Some(_) => format!("{asks} {wanted}, the run was asked {asked}"),
        None => format!("{asks} {wanted}, the run was asked nothing more"),
    }
}

/// Describes the files that have changed, with the day of the recording.
fn describe_changes(changes: &[FileChange], trace: &Trace) -> String {
    let recorded = trace.recorded.as_ref();
    let are_inputs = changes.iter().any(|change| change.path != VARIANT_PART);
    if are_inputs && recorded.is_some_and(|recorded| recorded.files.is_none()) {
        return "the recording has no fingerprints of the agent's `inputs`".to_owned();
    }
    let mut parts: Vec<String> = changes.iter().take(MAX_NAMED_FILES).map(describe_change).collect();
    match changes.len().saturating_sub(MAX_NAMED_FILES) {
        0 => {}
        1 => parts.push("1 more file differs".to_owned()),
        more => parts.push(format!("{more} more files differ")),
    }
    // The time of a recording is in RFC 3339, which begins with the day.
    let day = recorded.and_then(|recorded| recorded.at.as_deref()?.get(.."2026-11-22".len()));
    format!("{}{}", parts.join(", "), day.map(|day| format!(" since {day}")).unwrap_or_default())
}

fn describe_change(FileChange { path, kind }: &FileChange) -> String {
    match kind {
        ChangeKind::Changed => format!("`{path}` has changed"),
        ChangeKind::Added => format!("`{path}` was added"),
        ChangeKind::Removed => format!("`{path}` was removed"),
    }
}

/// Says what to do, and the line with which the run counts as it is.
fn advise_rerecording(case: &Case, misfit: &RecordingMismatch<'_>) -> String {
    let accepted_by = match misfit {
        RecordingMismatch::Agent { .. } => {
            return "run this agent, or delete the recording and record it with this agent".to_owned();
        }
        RecordingMismatch::Variant { .. } => {
            return "run this variant, or delete the recording and record it with this variant".to_owned();
        }
        RecordingMismatch::Text { accepted_by, .. } => *accepted_by,
        RecordingMismatch::Fingerprint | RecordingMismatch::Files(_) => InputMatch::Off,
    };
    let advice = match case.trace {
        TraceFrom::Inline(_) => "change the user's text in the trace or in the case",
        TraceFrom::File(_) | TraceFrom::Lookup => "record the run again, or select the run of this case",
    };
    format!("{advice}; `input_match: {}` accepts the difference", accepted_by.as_str())
}
