//! `cargo arraign schema [--workspace]`.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use arraign::check::Registry;
use arraign::suite::schema;
use clap::Args;

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
        let of = if self.workspace { schema::of_workspace } else { schema::of_cases };
        let text = format!("{:#}\n", of(&Registry::default()));
        let Some(path) = self.out else { return written(io::stdout().write_all(text.as_bytes())) };
        let told = |error| Stop::new(format!("{} cannot be written: {error}", path.display()));
        written(Ok(fs::write(&path, text).map_err(told)?))
    }
}
