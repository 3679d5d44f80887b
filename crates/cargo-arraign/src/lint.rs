//! `cargo arraign lint [DIR]`.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use arraign::__internals::report::plain::{escape_line, render_safe_json};
use arraign::__internals::report::terminal::render_load_error;
use arraign::Harness;
use arraign::lint::{LintRemark, LintResult, LintSkip};
use clap::{Args, ValueEnum};

use crate::error::{CliError, CliResult, FAILED, exit_after_write};
use crate::file_options::FileOptions;
use crate::run::require_folder;

/// Find what the cases leave untested, using recorded traces: no agent runs.
///
/// Finds tools and arguments that no case checks, schemas and rules of policies that no run exercises, cases that an
/// empty run passes, and duplicate checks.
#[derive(Debug, Args)]
pub(crate) struct Lint {
    /// The folder of the cases.
    #[arg(default_value = "evals")]
    folder: PathBuf,
    /// Exit with 101 if there is any remark.
    #[arg(long)]
    deny: bool,
    #[command(flatten)]
    files: FileOptions,
    /// The output format.
    #[arg(long, value_enum, default_value_t)]
    format: LintFormat,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum LintFormat {
    /// One line per remark.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

impl Lint {
    pub(crate) fn run(self) -> CliResult {
        require_folder(&self.folder)?;
        let found = self.files.apply_to(Harness::new(&self.folder)).lint().map_err(|errors| {
            let drawn: Vec<String> = errors.iter().map(render_load_error).collect();
            CliError::new(format!("the eval files do not load\n{}", drawn.concat().trim_end()))
        })?;
        // A folder without cases has no remarks, and with `--deny` in CI that would be green for ever.
        if found.cases == 0 {
            return Err(explain_empty_lint(&self.folder.to_string_lossy(), &found.left_out));
        }
        let text = match self.format {
            LintFormat::Text => render_remarks(&found),
            LintFormat::Json => render_safe_json(&found) + "\n",
        };
        exit_after_write(io::stdout().write_all(text.as_bytes()))?;
        let failed = self.deny && !found.remarks.is_empty();
        Ok(if failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
    }
}

fn explain_empty_lint(folder: &str, left_out: &[LintSkip]) -> CliError {
    let lines: Vec<String> = left_out.iter().map(|left| format!("\n  {}", render_left_out(left))).collect();
    CliError::new(format!("no case in `{folder}` could be checked{}", lines.concat()))
}

fn render_remarks(found: &LintResult) -> String {
    let mut lines: Vec<String> = found.remarks.iter().map(render_remark).collect();
    lines.extend(found.left_out.iter().map(render_left_out));
    let left_out = match found.left_out.len() {
        0 => String::new(),
        count => format!(", left out: {count}"),
    };
    let remarks = found.remarks.len();
    let cases = found.cases;
    lines.push(format!("cases: {cases}, remarks: {remarks}{left_out}"));
    lines.join("\n") + "\n"
}

fn render_remark(remark: &LintRemark) -> String {
    escape_line(&format!("{}: {}: {}; {}", remark.at, remark.lint, remark.message, remark.help))
}

fn render_left_out(left: &LintSkip) -> String {
    escape_line(&format!("{}: left out: {}", left.at, left.why))
}
