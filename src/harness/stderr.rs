//! The harness's own messages. They go to standard error, because standard output belongs to the trials and can be a
//! stream of JSON events.

use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::place::LoadErrors;
use crate::report::plain::count_noun;
use crate::report::terminal;

/// The exit code of a run that cannot start or finish.
const USAGE_ERROR: u8 = 2;

/// Prints the errors of a run that cannot start or finish, and returns its exit code.
pub(crate) fn usage_error(problems: &[String]) -> ExitCode {
    exit_with(problems, USAGE_ERROR)
}

/// Prints the error of a run that cannot start or finish, and returns its exit code.
pub(crate) fn report_problem(problem: String) -> ExitCode {
    usage_error(&[problem])
}

/// Prints all mistakes in the files of cases, with `folder` before relative paths, and returns the exit code of the run.
pub(crate) fn report_load_errors(errors: &LoadErrors, folder: &str) -> ExitCode {
    for error in errors {
        eprint(&terminal::render_load_error_below(error, folder));
    }
    let count = count_noun(errors.iter().count(), "mistake");
    report_problem(format!("{count} in the eval files; no trial was run"))
}

/// Prints the errors and returns `code`.
pub(crate) fn exit_with(problems: &[String], code: u8) -> ExitCode {
    for problem in problems {
        eprint(&format!("error: {problem}"));
    }
    ExitCode::from(code)
}

/// Prints a note of the harness.
pub(crate) fn note(text: &str) {
    eprint(&format!("arraign: {text}"));
}

/// Prints a block of text after the lines of the trials: on standard output, or on standard error if standard output is a
/// stream of JSON events.
pub(crate) fn print_block(json: bool, text: &str) {
    // The error is ignored here and below: a reader that is gone (`cargo test | head`) must not fail the run.
    let _ = if json { writeln!(io::stderr(), "{text}") } else { writeln!(io::stdout(), "{text}") };
}

/// Prints a line on standard error.
pub(crate) fn eprint(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
