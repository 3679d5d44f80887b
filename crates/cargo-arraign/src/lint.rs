//! `cargo arraign lint [DIR]`.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use arraign::__internals::report::plain::{json, one_line};
use arraign::__internals::report::terminal::load_error;
use arraign::Harness;
use arraign::lint::{LeftOut, Linted, Remark};
use clap::{Args, ValueEnum};

use crate::run::has_folder;
use crate::stop::{Ended, FAILED, Stop, written};

/// Find what the cases leave untested, from what was recorded: no agent is run.
///
/// Tools and arguments that no case would notice, schemas and rules of policies that no run puts to the test, cases that
/// an empty run passes, and checks that say the same twice.
#[derive(Debug, Args)]
pub(crate) struct Lint {
    /// The folder of the cases.
    #[arg(default_value = "evals")]
    folder: PathBuf,
    /// Exit with 101 when something was found.
    #[arg(long)]
    deny: bool,
    /// How it is told.
    #[arg(long, value_enum, default_value_t)]
    format: Form,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Form {
    /// A line for each remark.
    #[default]
    Text,
    /// One document.
    Json,
}

impl Lint {
    pub(crate) fn run(self) -> Ended {
        has_folder(&self.folder)?;
        let found = Harness::new(&self.folder).lint().map_err(|errors| {
            let drawn: Vec<String> = errors.iter().map(load_error).collect();
            Stop::new(format!("the eval files are wrong\n{}", drawn.concat().trim_end()))
        })?;
        if found.cases == 0 {
            return Err(nothing_seen(&self.folder.to_string_lossy(), &found.left_out));
        }
        let text = match self.format {
            Form::Text => told(&found),
            Form::Json => json(&found) + "\n",
        };
        written(io::stdout().write_all(text.as_bytes()))?;
        let failed = self.deny && !found.remarks.is_empty();
        Ok(if failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
    }
}

fn nothing_seen(folder: &str, left_out: &[LeftOut]) -> Stop {
    let lines: Vec<String> = left_out.iter().map(|left| format!("\n  {}", left_out_line(left))).collect();
    Stop::new(format!("no case below `{folder}` could be looked at{}", lines.concat()))
}

fn told(found: &Linted) -> String {
    let mut lines: Vec<String> = found.remarks.iter().map(remark_line).collect();
    lines.extend(found.left_out.iter().map(left_out_line));
    let left_out = match found.left_out.len() {
        0 => String::new(),
        count => format!(", left out: {count}"),
    };
    let (remarks, cases) = (found.remarks.len(), found.cases);
    lines.push(format!("cases: {cases}, remarks: {remarks}{left_out}"));
    lines.join("\n") + "\n"
}

fn remark_line(remark: &Remark) -> String {
    one_line(&format!("{}: {}: {}; {}", remark.at, remark.lint, remark.message, remark.help))
}

fn left_out_line(left: &LeftOut) -> String {
    one_line(&format!("{}: left out: {}", left.at, left.why))
}
