//! `cargo arraign record -- COMMAND...`.

mod program;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use arraign::__internals::source::write_whole;
use clap::Args;

use self::program::{RecordedProgram, record_program};
use crate::error::{CliError, CliResult, FAILED, print_to_stderr};
use crate::explain::Explain;

/// Run any program, and record what it exchanges with its model as a trace.
///
/// The program finds the port under `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL`, `GOOGLE_GEMINI_BASE_URL` and others. The port
/// forwards its requests to the addresses that these variables have here, or else to the usual ones.
#[derive(Debug, Args)]
pub(crate) struct Record {
    /// The file of the trace.
    #[arg(long, value_name = "FILE", default_value = "trace.model.jsonl")]
    out: PathBuf,
    /// The program and its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Record {
    /// Exits with 101 if the program fails. What it has exchanged is written nevertheless.
    pub(crate) fn run(self) -> CliResult {
        let Some((program, arguments)) = self.command.split_first() else {
            return Err(CliError::new("name the program to run: `cargo arraign record -- python agent.py`"));
        };
        let recorded = record_program(program, arguments)
            .map_err(|error| CliError::new(format!("{}: {error}", program.display())))?;
        let shown = self.out.display();
        // An empty recording is nearly always a client that does not read the variable.
        if recorded.replies == 0 {
            return Err(CliError::new(format!("nothing is recorded: {}", describe_silence(&recorded))));
        }
        let text = recorded
            .cassette
            .map_err(|problem| CliError::new(format!("{shown} is not written: {problem}")))?;
        write_whole(&self.out, text.as_bytes())
            .map_err(|error| CliError::new(format!("cannot write `{shown}`: {error}")))?;
        let explained = Explain::of_file(self.out.clone()).run()?;
        let next = format!("cargo arraign from-trace {shown} --out evals/first.yaml");
        print_to_stderr(&format!("arraign: `{next}` writes a case for this run"));
        if recorded.status.success() { Ok(explained) } else { Ok(ExitCode::from(FAILED)) }
    }
}

/// Describes why no reply of a model was seen.
fn describe_silence(recorded: &RecordedProgram) -> String {
    let status = recorded.status;
    match &recorded.failure {
        Some(failure) => failure.clone(),
        None if status.success() => {
            "the program sent no request to its model through the port: does its client read OPENAI_BASE_URL?"
                .to_owned()
        }
        None => format!("the program ended with {status} before it asked its model"),
    }
}
