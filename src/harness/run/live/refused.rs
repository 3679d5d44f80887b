//! Mistakes in the agents of cases that are reported before any agent is asked.

use std::collections::HashMap;
use std::sync::Arc;

use super::today::TodaysAgents;
use crate::agent::Agents;
use crate::case::{AgentFrom, AgentUse, Case, Variant};
use crate::harness::cli::HarnessCommand;
use crate::harness::plan::{CaseWork, Plan, PlannedTrial};
use crate::place::{LoadError, LoadErrors};
use crate::source::Files;
use crate::suite::recording;
use crate::yaml::did_you_mean;

/// Reports cases that would be recorded to the same file on some system, because they would then replay each other's run.
pub(super) fn refuse_shared_recordings<'p>(
    trials: impl Iterator<Item = &'p PlannedTrial>,
    files: &Files,
) -> Result<(), LoadErrors> {
    let mut first = HashMap::new();
    let mut errors = LoadErrors::new();
    for (name, CaseWork { case, path, .. }) in trials.flat_map(PlannedTrial::list_cases) {
        if case.agent.is_none() {
            continue;
        }
        let Ok(recording) = recording(case, path, files, 1) else { continue };
        let file = files.name(&recording);
        // On macOS and Windows, `Foo.json` and `foo.json` are one file.
        // A gate evaluates cases that have trials of their own.
        if let Some(other) = first.insert(file.to_lowercase(), name).filter(|other| *other != name) {
            let problem = format!("this case and `{other}` would both be recorded to {file}");
            let error = LoadError::new(case.trace_place().clone(), problem);
            errors.push(error.help("name the file after the case: `trace: traces/{id}.json`"));
        }
    }
    errors.or(())
}

/// Checks that each case's agent is known. If the command line names the trials, an error belongs to its trial; otherwise
/// all are returned.
pub(super) fn refuse_unknown(
    plan: &mut Plan,
    agents: &Agents,
    command: &HarnessCommand,
) -> Result<(), LoadErrors> {
    plan.refuse_trials(command, |planned| {
        planned.list_cases().into_iter().find_map(|(_, work)| find_unknown(&work.case, agents))
    })
}

/// Checks that the agents of the selected variants are known.
pub(super) fn refuse_unknown_in_variants(
    variants: &[Arc<Variant>],
    agents: &Agents,
) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    for agent in variants.iter().filter_map(|variant| variant.agent.as_ref()) {
        if let (Some(place), Err(problem)) = (&agent.place, check_known(agents, &agent.name)) {
            errors.push(LoadError::new(place.clone(), problem));
        }
    }
    errors.or(())
}

/// Returns the error of a case that names an unknown agent.
fn find_unknown(case: &Case, agents: &Agents) -> Option<LoadError> {
    let used = case.agent.as_ref()?;
    let AgentUse { place, from: AgentFrom::Named(name) } = &**used else { return None };
    let problem = check_known(agents, name).err()?;
    Some(LoadError::new(place.clone(), problem))
}

/// Checks that each glob of the agents' `inputs` matches a file. If the command line names the trials, an error belongs to its
/// trial; otherwise all are returned.
pub(super) fn refuse_unmatched(
    plan: &mut Plan,
    today: &TodaysAgents,
    command: &HarnessCommand,
) -> Result<(), LoadErrors> {
    plan.refuse_trials(command, |planned| {
        let cases = if planned.will_run(command) { planned.list_cases() } else { Vec::new() };
        // The first error is enough to fail the trial.
        cases.into_iter().find_map(|(_, work)| today.fingerprint_of(&work.case).err())
    })
}

fn check_known(agents: &Agents, name: &str) -> Result<(), String> {
    let names = agents.names();
    if names.contains(&name) {
        return Ok(());
    }
    let help = did_you_mean(name, &names).unwrap_or_else(|| {
        format!(
            "register it with `Harness::agent(\"{name}\", ..)`, or describe it under `agents` in arraign.yaml"
        )
    });
    Err(format!("no agent is called `{name}`; {help}"))
}
