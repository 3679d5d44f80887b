//! Runs that were recorded for another input or by another agent: the command that makes the run of the case.

use crate::outcome::UndecidedCause;
use crate::verdict::{Rerun, Verdict};

/// Adds to the findings about such runs the command that records them again, or that runs the agent.
pub(super) fn advise_recording(verdict: &mut Verdict, rerun: &Rerun) {
    let command = rerun.command(&verdict.name);
    for finding in &mut verdict.findings {
        match finding.undecided {
            Some(UndecidedCause::AnotherInput | UndecidedCause::ChangedAgent) => {
                // The second part of the advice is the setting that accepts the difference.
                let help = finding.help.as_deref().and_then(|help| help.split_once("; "));
                let accepted = help.map(|(_, accepted)| format!("; {accepted}")).unwrap_or_default();
                finding.help =
                    Some(format!("record the run again: ARRAIGN_AGENT_MODE=record {command}{accepted}"));
            }
            Some(UndecidedCause::AnotherAgent) => {
                finding.help = Some(format!(
                    "run this agent: ARRAIGN_AGENT_MODE=live {command}; or delete the recording and record it with this agent"
                ));
            }
            _ => {}
        }
    }
}
