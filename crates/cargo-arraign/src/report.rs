//! `cargo arraign report`.

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::harness::runs::{StoredRun, newest};
use arraign::__internals::harness::{earlier_run, write_summary};
use arraign::__internals::report::annotations::Annotations;
use arraign::__internals::report::overview::Overview;
use arraign::__internals::report::plain::one_line;
use arraign::__internals::report::{Earlier, FORMATS, Format, Report as _};
use clap::Args;

use crate::out::out;
use crate::stop::{Ended, FAILED, Stop, say, written};

/// Render the report of a run, or of its shards, from the verdict files.
///
/// Without `--format` it is shown here. Ends with 101 where a trial did not pass, or left no verdict.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run: the name of its folder below `target/arraign`, or the folder. The newest one unless said.
    #[arg(long, value_name = "ID", conflicts_with = "merge")]
    run: Option<PathBuf>,
    /// The run folders of shards, which are one run. Where a trial ran in several, the last one counts.
    #[arg(long, value_name = "DIR", num_args = 1..)]
    merge: Vec<PathBuf>,
    /// Formats, with commas between them.
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', value_parser = format)]
    format: Vec<Format>,
    /// An earlier run that Markdown and HTML compare with: as `cargo arraign compare` takes it; `ARRAIGN_COMPARE` unless said.
    #[arg(long, value_name = "RUN")]
    compare: Option<String>,
    /// Write what the run comes to there, as JSON: what `summary_baseline` reads. `ARRAIGN_OUTPUT_JSON` unless said.
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Where the reports go: the folder of all runs unless said.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Report {
    pub(crate) fn run(self) -> Ended {
        let summary = self.summary.clone().or_else(|| named("ARRAIGN_OUTPUT_JSON").map(PathBuf::from));
        let run = StoredRun::open(&self.folders()?)?.compared_with(self.earlier()?);
        let mut overview = Box::new(Overview::of(run.run()));
        let mut annotations = Box::new(Annotations::of(run.run()));
        let paths = run.write(&self.format, &self.out.unwrap_or_else(out), |verdict| {
            overview.add(verdict);
            annotations.add(verdict);
        })?;
        if let Some(path) = &summary {
            write_summary(&overview.summary(), path).map_err(Stop::new)?;
        }
        let totals = overview.totals();
        let mut text: String = paths.iter().chain(&summary).map(|path| told(path)).collect();
        text += &if self.format.is_empty() { overview.finish() } else { overview.ending() };
        if env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true") {
            text += &annotations.finish();
        }
        written(io::stdout().write_all(text.as_bytes()))?;
        if run.missing() > 0 {
            say(&unfinished(run.missing()));
        }
        let is_green = totals.passed == totals.cases && run.missing() == 0;
        Ok(if is_green { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }

    fn earlier(&self) -> Result<Option<Earlier>, Stop> {
        let which = self.compare.clone().or_else(|| named("ARRAIGN_COMPARE"));
        which.map(|which| earlier_run(&which, Path::new(""), &out()).map_err(Stop::new)).transpose()
    }

    fn folders(&self) -> Result<Vec<PathBuf>, Stop> {
        if !self.merge.is_empty() {
            return Ok(self.merge.clone());
        }
        Ok(vec![folder(self.run.as_ref())?])
    }
}

/// What a variable says, if anything.
fn named(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|value| !value.is_empty())
}

/// The folder of a run that is named by its id or its path.
pub(crate) fn folder(run: Option<&PathBuf>) -> Result<PathBuf, Stop> {
    let Some(run) = run else { return Ok(newest(&out())?) };
    let named = [out().join(run), run.clone()].into_iter().find(|folder| folder.is_dir());
    named.ok_or_else(|| {
        let (run, out) = (run.display(), out());
        Stop::new(format!("no run is called `{run}` in `{}`; each folder there is a run", out.display()))
    })
}

fn unfinished(missing: usize) -> String {
    let trials = if missing == 1 { "1 trial".to_owned() } else { format!("{missing} trials") };
    format!("not all of the run: {trials} left no verdict; was it interrupted?")
}

fn told(path: &Path) -> String {
    format!("wrote {}\n", one_line(&path.to_string_lossy()))
}

fn format(name: &str) -> Result<Format, String> {
    let names = || FORMATS.iter().map(|format| format.format.name()).collect::<Vec<_>>().join(", ");
    Format::called(name.trim()).ok_or_else(|| format!("it is one or several of {}", names()))
}
