//! Why a run cannot be read back.

use std::path::{Path, PathBuf};

/// Why a run cannot be read back, or its report not be written.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}: {problem}", .path.display())]
pub struct RunError {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: RunProblem,
}

/// What is wrong with a file or folder of a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunProblem {
    /// The folder cannot be listed.
    #[error("the folder cannot be read: {0}")]
    Folder(String),
    /// Below the folder of all runs there is none.
    #[error("no run has left verdicts here; run the tests first, or say with ARRAIGN_OUT where they are")]
    NoRun,
    /// The folder is none that a run has left.
    #[error("this is no folder of a run: a run leaves its verdicts in `target/arraign/<run id>`")]
    NotARun,
    /// A file cannot be opened.
    #[error("the file cannot be read: {0}")]
    Unread(String),
    /// A file was cut short, or another program wrote it.
    #[error(
        "this is no verdict file, or not all of it: {0}; copy it again, or delete it and run its trial again"
    )]
    Broken(String),
    /// A newer version wrote it.
    #[error("a later version of arraign wrote this (schema_version {0}); install that one to read it")]
    Newer(u32),
    /// The report cannot be written.
    #[error("the report cannot be written: {0}; set ARRAIGN_OUT to another folder")]
    Unwritten(String),
}

impl RunError {
    pub(super) fn new(path: impl AsRef<Path>, problem: RunProblem) -> Self {
        Self { path: path.as_ref().to_owned(), problem }
    }
}
