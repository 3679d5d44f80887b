//! `cargo arraign schema [--workspace | --quarantine]`.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use arraign::__internals::check::Registry;
use arraign::__internals::suite::schema;
use clap::Args;

use crate::editor::render_schema;
use crate::error::{CliError, CliResult, exit_after_write};

/// Print the JSON Schema of eval cases, for editors.
///
/// Contains the built-in checks. `ARRAIGN_SCHEMA=path cargo test --test evals` includes the checks of your project.
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// Print the schema of `arraign.yaml` instead.
    #[arg(long)]
    workspace: bool,
    /// Print the schema of `quarantine.yaml` instead.
    #[arg(long, conflicts_with = "workspace")]
    quarantine: bool,
    /// Write the schema to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Schema {
    pub(crate) fn run(self) -> CliResult {
        let text = match (self.workspace, self.quarantine) {
            (true, _) => render_workspace_schema(),
            (_, true) => format!("{:#}\n", schema::of_quarantine()),
            _ => render_schema(),
        };
        let Some(path) = self.out else { return exit_after_write(io::stdout().write_all(text.as_bytes())) };
        fs::write(&path, text)
            .map_err(|error| CliError::new(format!("cannot write {}: {error}", path.display())))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn render_workspace_schema() -> String {
    format!("{:#}\n", schema::of_workspace(&Registry::default()))
}
