//! The environment variables that files of cases may name, if the harness restricts them.
//!
//! Whoever records the runs of a pull request sends the variables that its files name to the servers and programs that its files
//! name. The harness is code, which people review, so it says which variables these can be.

use std::collections::BTreeSet;

use crate::case::{AgentFrom, Case, NamedAgent};
use crate::harness::cli::HarnessCommand;
use crate::harness::plan::Plan;
use crate::place::{LoadError, LoadErrors, Place};

/// The names that [`crate::Harness::allow_variables`] lists.
pub(in crate::harness) struct AllowedVariables {
    pub(in crate::harness) names: BTreeSet<String>,
    /// The harness has a judge of its own, which needs no key from the environment.
    pub(in crate::harness) has_own_judge: bool,
}

impl AllowedVariables {
    /// Checks the variables of all agents in `arraign.yaml`, and of all cases. If the command line names the trials, an error of
    /// a case belongs to its trial; otherwise all are returned.
    pub(in crate::harness) fn check_plan(
        &self,
        described: &[NamedAgent],
        plan: &mut Plan,
        command: &HarnessCommand,
    ) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        for agent in described {
            for error in self.refuse_names(agent.description.variables(), &agent.place) {
                errors.push(error);
            }
        }
        errors.or(())?;
        plan.refuse_trials(command, |planned| {
            planned.list_cases().into_iter().find_map(|(_, work)| self.find_refused(&work.case))
        })
    }

    /// Returns the first error of a case that names another variable.
    fn find_refused(&self, case: &Case) -> Option<LoadError> {
        let mut errors = Vec::new();
        if let Some(used) = &case.agent
            && let AgentFrom::Here(description) = &used.from
        {
            errors.extend(self.refuse_names(description.variables(), &used.place));
        }
        if let Some(mocks) = &case.mocks
            && let (Some(line), Some(place)) = (&mocks.server, &mocks.server_place)
        {
            errors.extend(self.refuse_names(line.env.iter().map(String::as_str), place));
        }
        for (program, tool) in case.mocks.iter().flat_map(|mocks| mocks.script.list_answering_programs()) {
            let place = tool.map_or(&case.place, |tool| &tool.place);
            errors.extend(self.refuse_names(program.env.iter().map(String::as_str), place));
        }
        // The default of `key_env` is sent as well.
        if let Some(settings) = &case.judge
            && !self.has_own_judge
            && case.asks_a_judge()
        {
            errors.extend(self.refuse_names([settings.key_variable()], &settings.place));
        }
        for expectation in &case.expectations {
            let programs = expectation.check().programs().into_iter();
            for program in programs.filter(|program| !program.answers_calls) {
                errors.extend(self.refuse_names(program.env.iter().map(String::as_str), &expectation.place));
            }
        }
        errors.into_iter().next()
    }

    /// Returns an error for each of the names that is not allowed.
    fn refuse_names<'n>(&self, names: impl IntoIterator<Item = &'n str>, place: &Place) -> Vec<LoadError> {
        let refused = names.into_iter().filter(|name| !self.names.contains(*name));
        let errors = refused.map(|name| {
            let problem = format!("the harness does not allow the variable `{name}`");
            let help = format!(
                "whoever records sends its value to this program or server; to allow it, add it to the harness: \
                 `.allow_variables([\"{name}\"])`"
            );
            LoadError::new(place.clone(), problem).help(help)
        });
        errors.collect()
    }
}
