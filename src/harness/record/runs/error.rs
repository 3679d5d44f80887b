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
    /// Some shards of the run are not among the folders.
    #[error("incomplete: shard {missing} of {count} is missing; merge the folders of all shards")]
    MissingShards {
        /// The numbers of the missing shards.
        missing: String,
        /// The number of shards.
        count: u32,
    },
    /// The shards did not divide the same list of trials in the same way.
    #[error("the folders are not shards of one run: they divide different trials, or by different durations")]
    UnlikeShards,
    /// The trials of the shards are not the list that they divide.
    #[error("the shards ran {divided} of {listed} trials: the others are in no shard")]
    LostTrials {
        /// The number of trials in the list.
        listed: usize,
        /// The number of trials of all shards.
        divided: usize,
    },
    /// The report cannot be written.
    #[error("cannot write the report: {0}; set ARRAIGN_OUT to another folder")]
    Unwritten(String),
}

impl RunError {
    pub(super) fn new(path: impl AsRef<Path>, problem: RunProblem) -> Self {
        Self { path: path.as_ref().to_owned(), problem }
    }
}
