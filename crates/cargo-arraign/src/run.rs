//! `cargo arraign run`.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use arraign::__internals::verdict::quoted;
use arraign::Harness;
use clap::Args;

use crate::stop::{Ended, Stop};

/// Run the cases of a folder, without a test target.
///
/// The names of the trials, the flags, the variables and the exit codes are those of a test target. Checks and agents
/// that are written in Rust need one.
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
    pub(crate) fn run(self) -> Ended {
        has_folder(&self.dir)?;
        let here = env::current_dir()?;
        let dir = self.dir.to_string_lossy();
        let dir = if dir == "evals" { String::new() } else { format!(" {}", quoted(&dir)) };
        let rerun = format!("cargo arraign run{dir} --");
        Ok(Harness::new(self.dir).at(here).rerun(rerun).run_with(self.arguments))
    }
}

/// Holds that there is such a folder.
pub(crate) fn has_folder(dir: &Path) -> Result<(), Stop> {
    if dir.is_dir() {
        return Ok(());
    }
    let dir = dir.display();
    Err(Stop::new(format!("no folder `{dir}` here; name the folder of the cases")))
}
