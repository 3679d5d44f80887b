//! Reads the only run of a file, a selected one, or all, for other commands.

use std::path::PathBuf;

use arraign::Trace;

use super::{Explain, TraceFile};
use crate::error::CliError;

impl Explain {
    /// Selects a run of the file, and how the file is read.
    pub(crate) fn select(
        self,
        run: Option<String>,
        trace_format: Option<String>,
        reader: Option<PathBuf>,
    ) -> Self {
        Self { trace_format, reader, run, ..self }
    }

    /// Sets the largest size of a file, and whether secrets stay as they are.
    pub(crate) fn with_limits(self, size_limit: Option<u64>, unmasked: bool) -> Self {
        Self { size_limit, unmasked, ..self }
    }

    /// Opens the file. Returns the number of its runs, and the runs.
    pub(crate) fn read_runs(
        &self,
    ) -> Result<(usize, impl Iterator<Item = Result<Trace, CliError>>), CliError> {
        let TraceFile { count, runs, .. } = self.open_runs()?;
        Ok((count, self.mask_runs(runs)))
    }

    /// Reads the file, which must have one run, or the selected run.
    pub(crate) fn read_only_run(&self) -> Result<Trace, CliError> {
        let mut seen = self.open_runs()?;
        match (seen.count, seen.runs.next()) {
            (1, Some(run)) => run.map_err(|error| self.describe_failure(&error)),
            (count, _) => {
                let problem = format!("{}: the file has {count} runs", self.file.display());
                Err(CliError::new(format!("{problem}\n  help: select one with `--run`, such as `--run 1`")))
            }
        }
    }
}
