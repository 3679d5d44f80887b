//! Why a workspace cannot be made, or be copied.

use std::io;
use std::path::Path;

use crate::case::MissingFolder;

/// Why a workspace cannot be made, or be copied. The message is a sentence for the user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// A part of the settings is the reason.
    #[error("{part}: {problem}")]
    Part {
        /// The part, as the case names it.
        part: String,
        /// The problem.
        problem: Box<WorkspaceError>,
    },
    /// The run has neither a workspace nor another scratch folder.
    #[error("there is no scratch folder")]
    NoScratch,
    /// A folder of the package is missing.
    #[error(transparent)]
    Missing(#[from] MissingFolder),
    /// The template is a file.
    #[error("`{0}` is not a folder")]
    NoFolder(String),
    /// A file or a folder cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The path, or its name in the workspace.
        path: String,
        /// The system's error.
        error: io::Error,
    },
    /// Some systems have one file for both names.
    #[error("`{0}` and another name in its folder differ in upper and lower case alone")]
    CaseDiffers(String),
    /// The template is larger than the limit.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
    /// After `setup`, the workspace is larger than the limit.
    #[error("after `setup`, it has {size} bytes, and the limit is {limit}")]
    GrownTooLarge {
        /// The size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The agent is a server.
    #[error(
        "an agent on a server does not see the folder; a `workspace` is for a command, or for code of the test target"
    )]
    AgentOnServer,
    /// A command of `setup` failed.
    #[error("`setup`: the program `{program}` {problem}")]
    Setup {
        /// The program.
        program: String,
        /// How it ended, and its standard error.
        problem: String,
    },
    /// Git cannot be started, or reports an error.
    #[error("{0}")]
    Git(String),
    /// The repository has no such commit.
    #[error("`{0}` is no commit of the repository")]
    NoCommit(String),
    /// Parts of the user's home are asked for, and there is no home.
    #[error("`home: {{keep}}`: the user has no home")]
    NoHome,
    /// A replay needs something that the recording does not have.
    #[error("{0}")]
    NotRecorded(String),
}

impl WorkspaceError {
    /// An error of the system at a path.
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        Self::named(path.display().to_string())
    }

    /// An error of the system at something with a name.
    pub(super) fn named(path: String) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::File { path, error }
    }

    /// Names the part of the settings that is the reason.
    pub(super) fn part<E: Into<Self>>(part: impl Into<String>) -> impl FnOnce(E) -> Self {
        move |problem| Self::Part { part: part.into(), problem: Box::new(problem.into()) }
    }
}
