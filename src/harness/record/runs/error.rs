//! The errors of reading a run back.

use std::path::{Path, PathBuf};

/// Why a run cannot be read back, or its report cannot be written.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}: {problem}", .path.display())]
pub struct RunError {
    /// The file or folder.
    pub path: PathBuf,
    /// The problem.
    pub problem: RunProblem,
}

/// The problem of a file or folder of a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunProblem {
    /// The folder cannot be listed.
    #[error("cannot read the folder: {0}")]
    Folder(String),
    /// The folder of all runs contains no run.
    #[error("no run with verdicts; run the tests first, or set ARRAIGN_OUT to the folder of the verdicts")]
    NoRun,
    /// The folder is not the folder of a run.
    #[error("not the folder of a run: the verdicts of a run are in `target/arraign/<run id>`")]
    NotARun,
    /// A file cannot be opened.
    #[error("cannot read the file: {0}")]
    Unread(String),
    /// A manifest was cut short, or another program wrote the file.
    #[error("not a verdict of arraign: {0}; copy the file again, or delete it and run its trials again")]
    Broken(String),
    /// A newer version wrote the file.
    #[error("written by a later version of arraign (schema_version {0}); update arraign to read it")]
    Newer(u32),
    /// The report cannot be written.
    #[error("cannot write the report: {0}; set ARRAIGN_OUT to another folder")]
    Unwritten(String),
}

impl RunError {
    pub(super) fn new(path: impl AsRef<Path>, problem: RunProblem) -> Self {
        Self { path: path.as_ref().to_owned(), problem }
    }
}
