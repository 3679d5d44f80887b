//! `cargo arraign schema [--workspace]`.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use arraign::__internals::check::Registry;
use arraign::__internals::suite::schema;
use clap::Args;

use crate::editor::schema_text;
use crate::stop::{Ended, Stop, written};

/// Print the JSON Schema of eval cases, for an editor.
///
/// It knows the built-in checks. `ARRAIGN_SCHEMA=path cargo test --test evals` writes the one that knows a project's own.
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// The schema of `arraign.yaml` instead.
    #[arg(long)]
    workspace: bool,
    /// Write it there.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Schema {
    pub(crate) fn run(self) -> Ended {
        let of_workspace = || format!("{:#}\n", schema::of_workspace(&Registry::default()));
        let text = if self.workspace { of_workspace() } else { schema_text() };
        let Some(path) = self.out else { return written(io::stdout().write_all(text.as_bytes())) };
        let told = |error| Stop::new(format!("{} cannot be written: {error}", path.display()));
        written(Ok(fs::write(&path, text).map_err(told)?))
    }
}
