//! `unfingerprinted`: the recording of an agent does not say for which input it was made.

use super::LintRemark;
use crate::case::Case;
use crate::check::InputMatch;
use crate::suite::RecordedRun;

/// Returns a remark for the first such recording. A trace that no agent of the case made is not a recording.
pub(super) fn find_remark(case: &Case, runs: &[RecordedRun]) -> Option<LintRemark> {
    // Without `input_match`, nobody compares the fingerprint.
    if case.agent.is_none() || case.find_input_match(None) == InputMatch::Off {
        return None;
    }
    let has_fingerprint =
        |run: &RecordedRun| run.trace.recorded.as_ref().is_some_and(|recorded| recorded.input.is_some());
    let recording = runs.iter().filter(|run| !has_fingerprint(run)).find_map(|run| run.file.as_ref())?;
    Some(LintRemark {
        lint: "unfingerprinted",
        at: case.trace_place().locate(),
        message: format!("the recording {recording} has no fingerprint of its input"),
        help: "until it is recorded again, only the words of the input are compared",
    })
}
