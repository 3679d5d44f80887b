//! The selection of trials, and what happens if it selects none.
//!
//! An empty selection must not look green. libtest's conventions make exceptions for test targets: a list may be empty, and
//! a filter may match nothing, because cargo sends one filter to all targets. A program that runs one harness has no such
//! excuse.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use super::cli::HarnessCommand;
use super::plan::{Plan, PlanSource, plan_all};
use super::settings::{CaseOverrides, EnvSettings};
use super::stderr::{exit_with, note, report_problem};
use super::{FAILED, Harness};
use crate::case::{Quarantine, Tier};
use crate::report::plain::{count_noun, escape_line};
use crate::suite::{CASE_EXTENSIONS, Library, split_name};

/// The largest number of similar names that a message lists.
const MAX_SIMILAR: usize = 3;

/// The cases that the flags of a program select.
#[derive(Debug, Clone, Default)]
pub struct CaseSelection {
    /// The tier, in place of `ARRAIGN_TIER`.
    pub tier: Option<Tier>,
    /// The tags, in place of `ARRAIGN_TAGS`.
    pub tags: Vec<String>,
    /// The names of the variants, in place of `ARRAIGN_VARIANT`.
    pub variants: Vec<String>,
    /// What the run says in place of its cases, before the environment.
    pub overrides: CaseOverrides,
    /// The only file whose cases run, relative to the folder of cases. `None`: all files.
    pub file: Option<PathBuf>,
}

/// Runs the trials that `arguments` select, like [`Harness::run_with`], for a program with flags of its own. If a filter
/// matches no trial, the exit code is 2.
pub fn run_program(
    harness: Harness,
    arguments: impl IntoIterator<Item = OsString>,
    selection: CaseSelection,
) -> ExitCode {
    Harness { selection: Some(selection), ..harness }.run_with(arguments)
}

impl Harness {
    /// Replaces the selection of the environment by the flags of the program.
    pub(super) fn apply_selection(&self, settings: EnvSettings) -> EnvSettings {
        let Some(CaseSelection { tier, tags, variants, overrides, file }) = &self.selection else {
            return settings;
        };
        EnvSettings {
            file: file.clone(),
            overrides: overrides.or(settings.overrides),
            tier: tier.or(settings.tier),
            // Flags of the command line are nearer to the user than the environment.
            tags: if tags.is_empty() { settings.tags } else { tags.clone() },
            variants: if variants.is_empty() { settings.variants } else { variants.clone() },
            ..settings
        }
    }

    /// Refuses a run that selects no trial, unless it may be empty. The error is the exit code.
    pub(super) fn refuse_empty_selection(
        &self,
        plan: &Plan,
        library: Library<'_>,
        command: &HarnessCommand,
    ) -> Result<(), ExitCode> {
        // A list may be empty: tools such as nextest ask every binary for one.
        if command.arguments.list {
            return Ok(());
        }
        // Exact names come from a runner that knows the tests, so their absence is told with the names, below.
        if plan.trials.is_empty() && command.exact_names().is_none() {
            return Err(report_problem(self.describe_empty_plan(plan)));
        }
        let is_wanted = plan.trials.iter().any(|trial| command.wants_trial(trial.shown_name()));
        if command.filters.is_empty() || is_wanted {
            return Ok(());
        }
        self.refuse_unmatched(plan, library, command)
    }

    fn describe_empty_plan(&self, plan: &Plan) -> String {
        match plan.skipped {
            0 => format!("no case below `{}`: an empty run does not pass", self.folder.display()),
            skipped => format!("{LEFT_OUT}: {} were left out", count_noun(skipped, "case")),
        }
    }

    /// Reports filters that match no trial: with exit code 2 in a program; with a failed trial under nextest, which has
    /// listed the name before; with a note in a test target.
    fn refuse_unmatched(
        &self,
        plan: &Plan,
        library: Library<'_>,
        command: &HarnessCommand,
    ) -> Result<(), ExitCode> {
        let is_own = command.settings.nextest.is_none();
        let verb = if command.arguments.exact { "is called" } else { "contains" };
        let problem = format!("no trial {verb} `{}`", command.filters.join("` or `"));
        let similar = if is_own { list_similar(plan, library, command) } else { Vec::new() };
        let hint = match similar.as_slice() {
            [] if plan.skipped > 0 => format!(": {LEFT_OUT}"),
            [] => String::new(),
            names => format!("; did you mean `{}`?", names.join("`, `")),
        };
        let problem = format!("{problem}{hint}");
        if self.selection.is_some() {
            return Err(report_problem(problem));
        }
        // nextest has listed this name, so its absence means that the files changed meanwhile.
        if !is_own && command.arguments.exact {
            return Err(exit_with(&[problem], FAILED));
        }
        note(&escape_line(&problem));
        Ok(())
    }
}

/// The reason of an empty selection by tier or tags.
const LEFT_OUT: &str = "no case has the wanted tier or tag (ARRAIGN_TIER, ARRAIGN_TAGS)";

/// Returns the names that are most similar to the filters. With `--exact`, the plan contains only trials of these names, so
/// all cases are read.
fn list_similar(plan: &Plan, library: Library<'_>, command: &HarnessCommand) -> Vec<String> {
    // The plan of exact names has only these, so the other names are planned anew.
    let source = PlanSource {
        library,
        settings: &EnvSettings::default(),
        variants: &command.variants,
        quarantine: &Quarantine::default(),
    };
    let all = command.exact_names().and_then(|_| plan_all(source, 0).ok());
    let names: Vec<&str> =
        all.as_ref().unwrap_or(plan).trials.iter().map(|trial| trial.name.as_str()).collect();
    let mut similar: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|name| {
            let distances = command.filters.iter().filter_map(|filter| measure_distance(filter, name));
            // People also type the path of the file.
            let is_path = |filter: &String| filter.contains('/') && is_below_path(filter, name);
            // Names escape some characters: a case of the id `a/b` is the trial `a%2Fb`.
            let unescaped = split_name(name).unwrap_or_default().join("::");
            let is_meant = |filter: &String| is_path(filter) || unescaped.contains(filter.as_str());
            let exactly = command.filters.iter().any(is_meant).then_some(0);
            Some((exactly.or_else(|| distances.min())?, *name))
        })
        .collect();
    similar.sort_unstable();
    similar.into_iter().take(MAX_SIMILAR).map(|(_, name)| name.to_owned()).collect()
}

/// Whether a trial is in the file, or below the folder, of this path: `evals/a.yaml` is `a`.
fn is_below_path(path: &str, name: &str) -> bool {
    let stem = path.trim_end_matches('/');
    let stem =
        CASE_EXTENSIONS.iter().find_map(|end| stem.strip_suffix(end)?.strip_suffix('.')).unwrap_or(stem);
    let parts: Vec<&str> = stem.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    // The path may begin with the folder of cases, and with the folders above it.
    (0..parts.len()).any(|start| {
        let prefix = parts[start..].join("::");
        name.strip_prefix(&prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    })
}

/// Returns the number of edits between a filter and a name, or its last part. `None` if they are too many.
fn measure_distance(filter: &str, name: &str) -> Option<usize> {
    // People often type only the id of a case, so the last part of the name is compared as well.
    let last = name.rsplit("::").next().unwrap_or(name);
    let limit = (filter.chars().count() / 3).max(1);
    let distances = [name, last].map(|word| strsim::damerau_levenshtein(filter, word));
    distances.into_iter().min().filter(|distance| *distance <= limit)
}
