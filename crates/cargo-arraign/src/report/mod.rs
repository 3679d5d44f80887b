//! `cargo arraign report`.

mod overview;
mod shards;

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::harness::runs::{StoredRun, find_newest, is_run};
use arraign::__internals::harness::{describe_runs, earlier_run, write_summary};
use arraign::__internals::report::annotations::Annotations;
use arraign::__internals::report::plain::{count_noun, escape_line};
use arraign::__internals::report::{EarlierRun, FORMATS, FormatEntry, ReportBuilder as _};
use clap::Args;

use self::overview::RunOverview;
use self::shards::check_shards;
use crate::error::{CliError, CliResult, FAILED, exit_after_write, print_to_stderr};
use crate::out::locate_out_folder;

/// Render reports of a run, or of its shards, from its logs of verdicts.
///
/// Without `--format`, prints an overview. Exits with 101 if a trial did not pass or left no verdict.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run: the name of its folder in `target/arraign`, or a path. Default: the newest run.
    #[arg(long, value_name = "ID", conflicts_with = "merge")]
    run: Option<PathBuf>,
    /// The run folders of several shards of one run. If several contain the same trial, the last one counts.
    #[arg(long, value_name = "DIR", num_args = 1..)]
    merge: Vec<PathBuf>,
    /// Render the reports of a run of which shards are missing or broke off. Each of them is an undecided trial.
    #[arg(long, requires = "merge")]
    partial: bool,
    /// The formats, separated by commas.
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', value_parser = parse_format)]
    format: Vec<FormatEntry>,
    /// An earlier run to compare with, in Markdown and HTML (see `cargo arraign compare`). Default: `ARRAIGN_COMPARE`.
    #[arg(long, value_name = "RUN")]
    compare: Option<String>,
    /// Write the summary of the run as JSON to this file, for `summary_baseline`. Default: `ARRAIGN_OUTPUT_JSON`.
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// The folder for the reports. Default: the folder that contains all runs.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Report {
    pub(crate) fn run(self) -> CliResult {
        let summary =
            self.summary.clone().or_else(|| read_variable("ARRAIGN_OUTPUT_JSON").map(PathBuf::from));
        let mut run = StoredRun::open(&self.list_run_folders()?)?.compared_with(self.open_earlier_run()?);
        for part in check_shards(&run, self.partial)? {
            run.add_lost_part(part);
        }
        let mut overview = Box::new(RunOverview::new(run.run()));
        let mut annotations = Box::new(Annotations::new(run.run()));
        let paths =
            run.write_reports(&self.format, &self.out.unwrap_or_else(locate_out_folder), |verdict| {
                overview.add_verdict(verdict);
                annotations.add_verdict(verdict);
            })?;
        if let Some(path) = &summary {
            write_summary(&overview.summarize(), path).map_err(CliError::new)?;
        }
        let totals = overview.totals();
        let mut text: String = paths.iter().chain(&summary).map(|path| describe_written(path)).collect();
        text += &if self.format.is_empty() { overview.finish() } else { overview.render_totals() };
        // GitHub reads annotations from the output of a step.
        if env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true") {
            text += &annotations.finish();
        }
        exit_after_write(io::stdout().write_all(text.as_bytes()))?;
        if run.missing() > 0 {
            print_to_stderr(&describe_missing(run.missing()));
        }
        if run.torn() > 0 {
            print_to_stderr(&describe_torn(run.torn()));
        }
        let is_green = totals.count_red() == 0 && run.missing() + run.torn() == 0;
        Ok(if is_green { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }

    fn open_earlier_run(&self) -> Result<Option<EarlierRun>, CliError> {
        let which = self.compare.clone().or_else(|| read_variable("ARRAIGN_COMPARE"));
        which
            .map(|which| earlier_run(&which, Path::new(""), &locate_out_folder()).map_err(CliError::new))
            .transpose()
    }

    fn list_run_folders(&self) -> Result<Vec<PathBuf>, CliError> {
        if !self.merge.is_empty() {
            // A job that was killed before its first trial may have left an empty folder.
            let folders = self.merge.iter().filter(|folder| !self.partial || is_run(folder));
            let folders: Vec<PathBuf> = folders.cloned().collect();
            // Nothing is left to report; the error names the first folder.
            return Ok(if folders.is_empty() { self.merge.clone() } else { folders });
        }
        Ok(vec![locate_run(self.run.as_ref())?])
    }
}

/// Reads an environment variable. An empty variable counts as unset.
fn read_variable(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|value| !value.is_empty())
}

/// Returns the folder of a run, which is named by its id or path.
pub(crate) fn locate_run(run: Option<&PathBuf>) -> Result<PathBuf, CliError> {
    let Some(run) = run else { return Ok(find_newest(&locate_out_folder())?) };
    // An id is looked for in the folder of runs first; a path is the other way to name one.
    let found = [locate_out_folder().join(run), run.clone()].into_iter().find(|folder| folder.is_dir());
    found.ok_or_else(|| {
        let run = run.display();
        let out = locate_out_folder();
        CliError::new(format!("no run `{run}` in `{}`{}", out.display(), describe_runs(&out)))
    })
}

fn describe_missing(missing: usize) -> String {
    let trials = count_noun(missing, "trial");
    format!("the run is incomplete: {trials} without a verdict; was it interrupted?")
}

fn describe_torn(torn: usize) -> String {
    let lines = count_noun(torn, "torn line");
    format!("the run is incomplete: {lines} in its logs; was a process killed, or the disk full?")
}

fn describe_written(path: &Path) -> String {
    format!("wrote {}\n", escape_line(&path.to_string_lossy()))
}

fn parse_format(name: &str) -> Result<FormatEntry, String> {
    FormatEntry::find_by_name(name.trim()).ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.format.name()).collect();
        format!("expected one or more of {}", names.join(", "))
    })
}
