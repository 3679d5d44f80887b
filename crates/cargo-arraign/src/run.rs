//! `cargo arraign run`.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use arraign::__internals::verdict::quoted;
use arraign::Harness;
use clap::Args;

use crate::error::{CliError, CliResult};

/// Run the cases of a folder, without a test target.
///
/// Trial names, flags, environment variables and exit codes are those of a test target. Checks and agents in Rust
/// need a test target.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The folder of the cases.
    #[arg(default_value = "evals")]
    dir: PathBuf,
    /// Filters and flags of libtest: `--list`, `--exact NAME`, `--skip TEXT`, ...; `-- --help` shows them.
    #[arg(last = true)]
    arguments: Vec<OsString>,
}

impl Run {
    pub(crate) fn run(self) -> CliResult {
        require_folder(&self.dir)?;
        let here = env::current_dir()?;
        let dir = self.dir.to_string_lossy();
        let dir = if dir == "evals" { String::new() } else { format!(" {}", quoted(&dir)) };
        let rerun = format!("cargo arraign run{dir} --");
        Ok(Harness::new(self.dir).at(here).rerun(rerun).run_with(self.arguments))
    }
}

/// Checks that the folder exists.
pub(crate) fn require_folder(dir: &Path) -> Result<(), CliError> {
    if dir.is_dir() {
        return Ok(());
    }
    let dir = dir.display();
    Err(CliError::new(format!("no folder `{dir}` here; name the folder of the cases")))
}
