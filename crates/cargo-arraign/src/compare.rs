//! `cargo arraign compare RUN RUN`.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::harness::earlier_run;
use arraign::__internals::report::comparison::RunComparison;
use arraign::__internals::report::{EarlierRun, plain};
use clap::{Args, ValueEnum};

use crate::error::{CliError, CliResult, FAILED, exit_after_write};
use crate::out::locate_out_folder;

/// Compare two runs: trials that regressed, improved, are new, are gone, or are flaky.
///
/// A run is a folder of verdict files, a `report.json` or `report.jsonl`, or an id: the name of the run's folder
/// in `target/arraign`. Exits with 101 if a trial regressed.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The earlier run.
    before: String,
    /// The later run.
    after: String,
    /// The output format.
    #[arg(long, value_enum, default_value_t)]
    format: CompareFormat,
    /// The folder with the runs. Default: `ARRAIGN_OUT`, or `target/arraign`.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum CompareFormat {
    /// Text for the terminal.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// Markdown for GitHub.
    Markdown,
}

impl Compare {
    pub(crate) fn run(self) -> CliResult {
        let folder = self.out.unwrap_or_else(locate_out_folder);
        let [before, after] =
            [&self.before, &self.after].map(|which| earlier_run(which, Path::new(""), &folder));
        let (before, after) = (before.map_err(CliError::new)?, after.map_err(CliError::new)?);
        let comparison = RunComparison::from_trials(&before.trials, &after.trials);
        let text = render_comparison(&comparison, self.format, &before, &after);
        exit_after_write(io::stdout().write_all(text.as_bytes()))?;
        Ok(if comparison.has_regressed() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
    }
}

fn render_comparison(
    comparison: &RunComparison,
    format: CompareFormat,
    before: &EarlierRun,
    after: &EarlierRun,
) -> String {
    match format {
        CompareFormat::Text => {
            let [one, other] = [before, after].map(|run| plain::escape_line(&run.name));
            format!("{other} compared with {one}: {}", comparison.render_text())
        }
        CompareFormat::Json => plain::render_safe_json(comparison) + "\n",
        CompareFormat::Markdown => comparison.render_markdown(&before.name).trim_start().to_owned(),
    }
}
