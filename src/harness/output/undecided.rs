//! The undecided trials of a run: one line that counts them by cause, and one command for each cause.

use crate::harness::run::ALLOW_EXEC;
use crate::harness::run::tally::UndecidedTrial;
use crate::outcome::UndecidedCause;
use crate::verdict::{Rerun, quoted};

/// All causes, in the order in which the line names them, each with its words.
const CAUSES: [(UndecidedCause, &str); 10] = [
    (UndecidedCause::AnotherInput, "recorded for another input"),
    (UndecidedCause::ChangedAgent, "recorded by an agent that has changed"),
    (UndecidedCause::AnotherAgent, "recorded by another agent"),
    (UndecidedCause::UnrecordedRequest, "with requests to a model that are not recorded"),
    (UndecidedCause::AgentNotRun, "without consent to run the agent"),
    (UndecidedCause::NotReadWhole, "not read whole"),
    (UndecidedCause::BadEnd, "of runs that did not end well"),
    (UndecidedCause::NearName, "with calls of tools that have nearly the name of a banned one"),
    (UndecidedCause::StatusUnknown, "without a word on whether calls succeeded"),
    (UndecidedCause::MissingEvidence, "without evidence that a check needs"),
];

/// Renders the summary. Empty for a single trial, which says everything itself.
pub(crate) fn render_undecided(trials: &[UndecidedTrial], rerun: &Rerun) -> String {
    if trials.len() < 2 {
        return String::new();
    }
    let mut counts = Vec::new();
    let mut commands = Vec::new();
    // The causes are in a fixed order, so that the line reads the same for each run.
    for (cause, words) in CAUSES {
        let group: Vec<&UndecidedTrial> = trials.iter().filter(|trial| trial.cause == cause).collect();
        if !group.is_empty() {
            counts.push(format!("{} {words}", group.len()));
            commands.push(format!("\n  {words}: {}", find_command(&group, rerun)));
        }
    }
    format!("{} trials are undecided: {}{}", trials.len(), counts.join(", "), commands.concat())
}

/// Returns the command that resolves the cause of a group of trials, or that shows it.
fn find_command(group: &[&UndecidedTrial], rerun: &Rerun) -> String {
    let asks_agent: Vec<&str> =
        group.iter().filter(|trial| trial.has_agent).map(|trial| trial.name.as_str()).collect();
    match group[0].cause {
        // A recording answers all three causes, but only for cases that ask an agent.
        UndecidedCause::UnrecordedRequest | UndecidedCause::AnotherInput | UndecidedCause::ChangedAgent
            if !asks_agent.is_empty() =>
        {
            format!("ARRAIGN_AGENT_MODE=record {}", rerun.command_for_some(&asks_agent))
        }
        // A recording of another agent is not replaced.
        UndecidedCause::AnotherAgent if !asks_agent.is_empty() => {
            format!("ARRAIGN_AGENT_MODE=live {}", rerun.command_for_some(&asks_agent))
        }
        UndecidedCause::AnotherInput | UndecidedCause::ChangedAgent | UndecidedCause::AnotherAgent => {
            explain_files(group, "").unwrap_or_else(|| rerun_group(group, rerun))
        }
        UndecidedCause::NotReadWhole => {
            explain_files(group, " --unread").unwrap_or_else(|| rerun_group(group, rerun))
        }
        UndecidedCause::BadEnd => explain_files(group, "").unwrap_or_else(|| rerun_group(group, rerun)),
        UndecidedCause::StatusUnknown => {
            "say which results are failures: `failed_when: {matches: \"/^Error/\"}` or \
             `failed_when: never`, in the suite or in arraign.yaml"
                .to_owned()
        }
        UndecidedCause::AgentNotRun => ALLOW_EXEC.to_owned(),
        UndecidedCause::MissingEvidence | UndecidedCause::UnrecordedRequest | UndecidedCause::NearName => {
            rerun_group(group, rerun)
        }
    }
}

fn rerun_group(group: &[&UndecidedTrial], rerun: &Rerun) -> String {
    rerun.repeat_some(&group.iter().map(|trial| trial.name.as_str()).collect::<Vec<_>>())
}

/// Returns the command that shows the files of a group. `None` for traces inside of cases.
fn explain_files(group: &[&UndecidedTrial], flag: &str) -> Option<String> {
    let mut files: Vec<&str> = group.iter().filter_map(|trial| trial.file.as_deref()).collect();
    files.sort_unstable();
    files.dedup();
    // One file is enough as an example: the group has the same cause.
    let file = quoted(files.first()?);
    Some(format!("cargo arraign explain{flag} {file}"))
}
