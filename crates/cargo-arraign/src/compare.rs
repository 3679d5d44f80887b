//! `cargo arraign compare RUN RUN`.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::harness::earlier_run;
use arraign::__internals::report::comparison::Comparison;
use arraign::__internals::report::{Earlier, plain};
use clap::{Args, ValueEnum};

use crate::out::out;
use crate::stop::{Ended, FAILED, Stop, written};

/// Compare two runs: what regressed, improved, came, went, or is flaky.
///
/// A run is the folder of its verdict files, its `report.json` or `report.jsonl`, or its id: the name of its folder
/// below `target/arraign`. Exit code 101: a trial that passed no longer does.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The earlier run.
    before: String,
    /// The later run.
    after: String,
    /// How it is told.
    #[arg(long, value_enum, default_value_t)]
    format: Form,
    /// The folder that ids are looked up in: `ARRAIGN_OUT`, or else `target/arraign`.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Form {
    /// For the terminal.
    #[default]
    Text,
    /// One document.
    Json,
    /// For a page on GitHub.
    Markdown,
}

impl Compare {
    pub(crate) fn run(self) -> Ended {
        let folder = self.out.unwrap_or_else(out);
        let [before, after] =
            [&self.before, &self.after].map(|which| earlier_run(which, Path::new(""), &folder));
        let (before, after) = (before.map_err(Stop::new)?, after.map_err(Stop::new)?);
        let comparison = Comparison::between(&before.trials, &after.trials);
        let text = told(&comparison, self.format, &before, &after);
        written(io::stdout().write_all(text.as_bytes()))?;
        Ok(if comparison.has_regressed() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
    }
}

fn told(comparison: &Comparison, format: Form, before: &Earlier, after: &Earlier) -> String {
    match format {
        Form::Text => {
            let [one, other] = [before, after].map(|run| plain::one_line(&run.name));
            format!("{other} compared with {one}: {}", comparison.text())
        }
        Form::Json => plain::json(comparison) + "\n",
        Form::Markdown => comparison.markdown(&before.name).trim_start().to_owned(),
    }
}
