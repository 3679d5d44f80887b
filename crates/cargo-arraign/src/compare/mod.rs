//! `cargo arraign compare RUN RUN`.

mod text;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::harness::earlier_run;
use arraign::__internals::harness::runs::{find_newest, list_runs};
use arraign::__internals::report::comparison::RunComparison;
use arraign::__internals::report::{EarlierRun, plain};
use clap::{Args, ValueEnum};

use self::text::render_text;
use crate::error::{CliError, CliResult, FAILED, exit_after_write};
use crate::out::locate_out_folder;

/// Compare two runs: trials that regressed, improved, are new, did not run, or are flaky.
///
/// A run is the folder of its logs, a `report.json` or `report.jsonl`, or an id: the name of the run's folder in
/// `target/arraign`. Without names, compares the last run with the last one before it that shares trials. Exits
/// with 101 if a trial regressed.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The earlier run. Default: the last one before the later run that has a trial of it.
    before: Option<String>,
    /// The later run. Default: the newest run.
    after: Option<String>,
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
        let named = self.before.as_deref().map(|before| read_named(before, &folder)).transpose()?;
        let after = match &self.after {
            Some(after) => read_named(after, &folder)?,
            None => read_run(&find_newest(&folder)?)?,
        };
        // Without a name, the last run of the same trials is the one to compare with.
        let before = named.map_or_else(|| find_previous(&folder, &after), Ok)?;
        let comparison = RunComparison::from_trials(&before.trials, &after.trials);
        let text = render_comparison(&comparison, self.format, &before, &after);
        exit_after_write(io::stdout().write_all(text.as_bytes()))?;
        Ok(if comparison.has_regressed() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
    }
}

/// Returns the last run that started before `after` and has a trial of it.
fn find_previous(folder: &Path, after: &EarlierRun) -> Result<EarlierRun, CliError> {
    let runs = list_runs(folder)?;
    let earlier = runs.iter().skip_while(|run| !run.ends_with(&after.name)).skip(1);
    // A run of other targets or filters has no trial of it and would compare as if all had been removed.
    for run in earlier {
        let before = read_run(run)?;
        if before.trials.shares_trial(&after.trials) {
            return Ok(before);
        }
    }
    let (folder, name) = (folder.display(), &after.name);
    Err(CliError::new(format!(
        "no run in `{folder}` before `{name}` has a trial of it; name the earlier run"
    )))
}

fn read_named(which: &str, folder: &Path) -> Result<EarlierRun, CliError> {
    earlier_run(which, Path::new(""), folder).map_err(CliError::new)
}

fn read_run(folder: &Path) -> Result<EarlierRun, CliError> {
    read_named(&folder.to_string_lossy(), folder)
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
            format!("{other} compared with {one}: {}", render_text(comparison))
        }
        CompareFormat::Json => plain::render_safe_json(comparison) + "\n",
        CompareFormat::Markdown => comparison.render_markdown(&before.name).trim_start().to_owned(),
    }
}
