//! `cargo arraign ide`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use arraign::__internals::harness::{CASES_FILE, render_case_modules};
use arraign::__internals::report::plain::count_noun;
use arraign::json::{self, Json};
use clap::Args;

use crate::error::{CliError, CliResult, exit_after_write};

/// Write the names of the trials to `cases.rs` in the folder of cases, for rust-analyzer.
///
/// Lists the trials of the test target. rust-analyzer finds the file through the line `arraign::cases!("evals");` in the
/// target; the compiler never reads it.
#[derive(Debug, Args)]
pub(crate) struct Ide {
    /// The test target.
    #[arg(long = "test", value_name = "NAME", default_value = "evals")]
    target: String,
    /// The package of the test target.
    #[arg(long, short, value_name = "NAME")]
    package: Option<String>,
}

/// The variables that select a part of the trials.
const SELECTIONS: [&str; 3] = ["ARRAIGN_TIER", "ARRAIGN_TAGS", "ARRAIGN_SHARD"];

impl Ide {
    pub(crate) fn run(self) -> CliResult {
        let (root, names) = parse_list(&self.list_trials()?)?;
        let path = root.join(CASES_FILE);
        let text = render_case_modules(names.iter().map(String::as_str));
        // Lines are compared, since git may have written other line breaks; an unchanged file keeps its time.
        let is_current = fs::read_to_string(&path).is_ok_and(|written| written.lines().eq(text.lines()));
        let here = env::current_dir()?;
        let shown = path.strip_prefix(here).unwrap_or(&path).display();
        if !is_current {
            fs::write(&path, text)
                .map_err(|error| CliError::new(format!("cannot write {shown}: {error}")))?;
        }
        let verb = if is_current { "kept " } else { "wrote" };
        let count = names.len();
        exit_after_write(writeln!(io::stdout(), "{verb}  {shown}: {}", count_noun(count, "trial")))
    }

    /// Runs the test target, which alone knows the checks of the project, to list all its trials as JSON.
    fn list_trials(&self) -> Result<String, CliError> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut command = Command::new(cargo);
        command.args(["test", "--quiet", "--test", &self.target]);
        command.args(self.package.iter().flat_map(|package| ["--package", package]));
        command.args(["--", "--list", "--format", "json"]);
        // A selection in the environment would hide the other trials from the editor.
        for variable in SELECTIONS {
            command.env_remove(variable);
        }
        let output = command.stderr(Stdio::inherit()).output()?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(CliError::new(format!("the test target `{}` did not list its trials", self.target)))
    }
}

/// Returns the folder of cases and the names of the trials in the list of a test target.
fn parse_list(text: &str) -> Result<(PathBuf, Vec<String>), CliError> {
    let lines: Vec<Json> = text.lines().filter_map(|line| json::from_str(line).ok()).collect();
    let root = lines.iter().find_map(|line| line.get("root")?.as_str()).ok_or_else(|| {
        CliError::new("the test target has no list of arraign: does its `main` run `arraign::Harness`?")
    })?;
    let trials = lines.iter().filter(|line| line["event"] == "discovered");
    let names = trials.filter_map(|line| Some(line["name"].as_str()?.to_owned()));
    Ok((PathBuf::from(root), names.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_without_our_list_is_an_error() {
        let error = parse_list("a: test\n").expect_err("libtest's list");
        assert!(format!("{error:?}").contains("arraign::Harness"));
    }
}
