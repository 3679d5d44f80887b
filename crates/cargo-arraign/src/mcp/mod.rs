//! `cargo arraign mcp --case NAME`.

mod server;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use arraign::__internals::report::plain::escape_line;
use arraign::Harness;
use clap::Args;

use self::server::serve_mocks;
use crate::error::{CliError, CliResult, FAILED, print_to_stderr};
use crate::run::require_folder;

/// Serve the mock tools of a case as an MCP server on standard input and output.
///
/// If `ARRAIGN_MCP_URL` is set, the tools are those of the run with this address, whose trace then contains the calls:
/// configure this command as the server of an agent that starts its servers. Nothing is recorded here, and no other server
/// is started. Exits with 101 if a call had no answer.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// The folder of the cases.
    #[arg(default_value = "evals")]
    dir: PathBuf,
    /// The name of the case's trial.
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
}

impl Mcp {
    pub(crate) fn run(self) -> CliResult {
        // Only a case needs the folder of cases.
        if self.case.is_some() {
            require_folder(&self.dir)?;
        }
        let harness = Harness::new(&self.dir).at(env::current_dir()?);
        let problems = serve_mocks(&harness, self.case.as_deref()).map_err(CliError::new)?;
        for problem in &problems {
            print_to_stderr(&escape_line(problem));
        }
        Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }
}
