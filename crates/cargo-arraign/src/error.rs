//! The errors and exit codes of commands.

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;

use arraign::__internals::report::plain::escape_text;

/// The exit code if the examined run or file fails.
pub(crate) const FAILED: u8 = 101;

/// A wrong command or an unreadable file: exit code 2.
#[derive(Debug)]
pub(crate) struct CliError(String);

/// The result of a command: exit code 0, 101 if the examined run or file fails, or an error.
pub(crate) type CliResult = Result<ExitCode, CliError>;

impl CliError {
    /// Creates an error from a message that says what is wrong and what to do.
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }

    /// Prints the error on stderr.
    pub(crate) fn report(self) -> ExitCode {
        print_to_stderr(&format!("error: {}", escape_text(&self.0)));
        ExitCode::from(2)
    }
}

/// Prints a line on stderr, and ignores a closed pipe.
pub(crate) fn print_to_stderr(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Ends a command after writing its output. A closed pipe is not an error.
pub(crate) fn exit_after_write(result: io::Result<()>) -> CliResult {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

impl<E: Error> From<E> for CliError {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}
