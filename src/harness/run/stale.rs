//! Runs of agents that were recorded for another input: how to record them again.

use crate::outcome::UndecidedCause;
use crate::verdict::{Rerun, Verdict};

/// Adds to the findings about such runs the command that records them again.
pub(super) fn advise_recording(verdict: &mut Verdict, rerun: &Rerun) {
    let command = rerun.command(&verdict.name);
    let stale = verdict.findings.iter_mut().filter(|finding| {
        matches!(finding.undecided, Some(UndecidedCause::AnotherInput | UndecidedCause::ChangedAgent))
    });
    for finding in stale {
        finding.help = Some(format!(
            "record the run again: ARRAIGN_AGENT_MODE=record {command}; `input_match: false` accepts the difference"
        ));
    }
}
