//! `cargo arraign accept`.

mod change;
mod named;
mod repository;
mod snapshots;
mod summary;
mod traces;

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::case::BASELINE;
use arraign::__internals::harness::is_ci;
use arraign::__internals::harness::runs::StoredRun;
use arraign::__internals::report::plain::{count_noun, escape_text};
use arraign::verdict::{Finding, Verdict};
use clap::Args;

use self::change::Change;
use self::repository::Repository;
use crate::error::{CliError, CliResult, exit_after_write, print_to_stderr};
use crate::report::locate_run;

/// The exit code if something was not accepted.
const LEFT: u8 = 101;

/// Accept the changes of a run: pending snapshots, and baselines that the run did not meet.
///
/// Shows the difference of each file, and does not ask for confirmation. Exits with 101 if a change cannot be accepted.
/// Does not run in CI.
#[derive(Debug, Args)]
pub(crate) struct Accept {
    /// Accept only changes of trials and files whose names contain one of these texts.
    filters: Vec<String>,
    /// The run: the name of its folder in `target/arraign`, or a path. Default: the newest run.
    #[arg(long, value_name = "ID")]
    run: Option<PathBuf>,
    /// Show the changes without accepting them.
    #[arg(long)]
    dry_run: bool,
}

/// The changes of a run.
#[derive(Default)]
struct AcceptPlan {
    changes: Vec<Change>,
    /// The snapshots that cannot be accepted, with their reasons.
    refused: Vec<String>,
}

impl Accept {
    pub(crate) fn run(self) -> CliResult {
        // What is accepted in CI would be seen by nobody.
        if is_ci() {
            let why =
                "cannot accept in CI (the variable CI is set): accept on your machine and commit the result";
            return Err(CliError::new(why));
        }
        let run = StoredRun::open(&[locate_run(self.run.as_ref())?])?;
        let repository = Repository::find(&run)?;
        let found = self.plan(&run, &repository)?;
        let mut shown: String = found.changes.iter().map(|change| change.render_diff(&repository)).collect();
        if !self.dry_run {
            found.changes.iter().try_for_each(|change| change.apply(&repository))?;
        }
        shown += &summarize_changes(found.changes.len(), self.dry_run);
        exit_after_write(io::stdout().write_all(shown.as_bytes()))?;
        for refused in &found.refused {
            print_to_stderr(&format!("not accepted: {}", escape_text(refused)));
        }
        Ok(if found.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(LEFT) })
    }

    fn plan(&self, run: &StoredRun, repository: &Repository) -> Result<AcceptPlan, CliError> {
        let mut found = snapshots::find_pending(run, repository)?;
        run.visit_verdicts(|verdict| found.add_baselines(verdict, run, repository))?;
        found.changes.retain(|change| self.is_selected(&change.describe(repository)));
        found.refused.retain(|refused| self.is_selected(refused));
        found.refused.dedup();
        // After the filters, so that a filter can choose between trials that change the same file.
        found.reject_rivals(repository);
        Ok(found)
    }

    fn is_selected(&self, text: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| text.contains(filter.as_str()))
    }
}

impl AcceptPlan {
    fn add_baselines(&mut self, verdict: &Verdict, run: &StoredRun, repository: &Repository) {
        if verdict.passed {
            return;
        }
        if let Some(variant) = verdict.variant.as_ref().filter(|_| verdict.shares_snapshot) {
            self.refused.push(format!(
                "{}: its snapshot is that of `{BASELINE}`, which `{variant}` does not write: run and accept it there, or say \
                 `snapshot: per_variant`",
                verdict.name
            ));
        }
        for finding in &verdict.findings {
            let Some(file) = finding.values.get("baseline").and_then(|file| file.as_str()) else { continue };
            let package = run.package_of(verdict);
            let path = repository.join(package, file);
            // A verdict can come from another machine. The files of this repository say which files are baselines.
            let said_in = [&finding.at.file, &verdict.case.file].map(|said| repository.join(package, said));
            if !named::is_named_in(&said_in, &path, repository) {
                let why = format!("`{}` names no such baseline", finding.at.file);
                self.refused.push(format!("{}: {file}: {why}", verdict.name));
                continue;
            }
            if let Some(variant) = verdict.variant.as_ref().filter(|variant| *variant != BASELINE) {
                let why = format!(
                    "the file is compared with each variant, and only `{BASELINE}` writes it, not `{variant}`"
                );
                self.refused.push(format!("{}: {file}: {why}", verdict.name));
                continue;
            }
            match render_baseline(verdict, finding, &path, run, repository) {
                Ok(text) => self.changes.push(Change::from_trial(path, text, &verdict.name)),
                Err(why) => self.refused.push(format!("{}: {file}: {why}", verdict.name)),
            }
        }
    }

    /// Rejects changes of the same file by several trials, because none of them is the right one.
    fn reject_rivals(&mut self, repository: &Repository) {
        let mut rivals: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
        for change in &self.changes {
            rivals.entry(change.path.clone()).or_default().push(change.describe(repository));
        }
        // With one change left for each file, their order does not matter.
        rivals.retain(|_, names| names.len() > 1);
        self.changes.retain(|change| !rivals.contains_key(&change.path));
        for names in rivals.into_values() {
            self.refused.push(format!(
                "{}: several trials would write this file; choose one with a filter",
                names.join(", ")
            ));
        }
    }
}

/// Renders the new baseline. The error says why this is impossible.
fn render_baseline(
    verdict: &Verdict,
    finding: &Finding,
    path: &Path,
    run: &StoredRun,
    repository: &Repository,
) -> Result<String, String> {
    match finding.values.get("summary") {
        Some(summary) => summary::render_baseline(summary, path),
        None => traces::render_baseline(verdict, path, &run.run().folder, repository),
    }
}

fn summarize_changes(count: usize, dry_run: bool) -> String {
    let changes = count_noun(count, "change");
    match (count, dry_run) {
        (0, _) => "nothing to accept\n".to_owned(),
        (_, true) => format!("{changes} would be accepted\n"),
        (_, false) => format!("accepted {changes}\n"),
    }
}
