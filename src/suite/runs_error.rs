//! Why the runs of a case cannot be read or written: the errors at the border to the files.

use crate::outcome::{UndecidedCause, count_noun};
use crate::place::LoadErrors;
use crate::reader::TraceError;
use crate::source::{NearFile, ReadError};

/// Why the runs of a case cannot be read, or one cannot be written. Its sentence has the cause, and names the file.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RunsError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] ReadError),
    /// A file is no trace, or is damaged.
    #[error("{file}: {error}{}", show_help(error))]
    Trace {
        /// The file, as the user knows it.
        file: String,
        /// The problem with the trace.
        error: TraceError,
    },
    /// The changes of a workspace beside a recording cannot be read.
    #[error("{file}: {problem}")]
    Changes {
        /// The manifest, as the user knows it.
        file: String,
        /// The problem with it.
        problem: String,
    },
    /// No declared reader reads a folder.
    #[error("{folder}{}", show_readers(tried))]
    Folder {
        /// The folder, with the problem that it is one.
        folder: ReadError,
        /// What each declared reader with a `folder` missed.
        tried: Vec<String>,
    },
    /// The file that `trace` names is missing, and another one has nearly its name.
    #[error("{missing}; {near}")]
    NearFile {
        /// The file, with the problem that it is missing.
        missing: ReadError,
        /// The other file.
        near: NearFile,
    },
    /// `trace` is a glob that cannot be compiled.
    #[error("`{pattern}` is not a pattern: {problem}")]
    Pattern {
        /// The glob.
        pattern: String,
        /// The problem with it.
        problem: String,
    },
    /// `trace` is a glob that matches nothing.
    #[error("no trace matches `{0}`")]
    NoMatch(String),
    /// `trace` names the folder of a Harbor job that has no trial.
    #[error("{0}: no folder in it is a trial of a Harbor job")]
    NoTrials(String),
    /// The case names no trace, and the usual places contain no trace.
    #[error(
        "no trace: the case names none, the `defaults` of its suite name none, and none is at {own}.* or {shared}.* or \
         {own}/<run>.*"
    )]
    NotFound {
        /// The place of the case's own traces, without an extension.
        own: String,
        /// The place beside it, without an extension.
        shared: String,
    },
    /// There are fewer runs than `repeat` asks for.
    #[error("`repeat` asks for {}, and {found} {} recorded", count_noun(*.wanted, "run"), if *.found == 1 { "is" } else { "are" })]
    TooFew {
        /// The number that is asked for.
        wanted: usize,
        /// The number that is there.
        found: usize,
    },
    /// There is no run of this number, from 1, or no longer.
    #[error("there is no run {0}")]
    NoRun(usize),
    /// Two runs would be trials of one name.
    #[error("two traces make the trial `{trial}`, one of them is {trace}")]
    SameName {
        /// The name.
        trial: String,
        /// One of the traces.
        trace: String,
    },
    /// A file that several cases share has no run for this case, or one that two cases want. The sentence says what to write.
    #[error("{0}")]
    Shared(String),
    /// The file of the cases cannot be read again.
    #[error("{0}")]
    Cases(LoadErrors),
    /// The agent was asked for the run and gave none.
    #[error("{}", .0.reason)]
    Lost(Box<LostRun>),
    /// A recording would be read as a case.
    #[error("recorded in `{0}`, the run would be read as a case: name a file below `traces/`")]
    IsCase(String),
}

/// A run that an agent was asked for and did not give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostRun {
    /// The name of the finding.
    pub check: &'static str,
    /// The reason, which names the run.
    pub reason: String,
    /// Advice.
    pub help: Option<String>,
    /// Why the run is undecided. `None` for an error.
    pub undecided: Option<UndecidedCause>,
    /// Whether the agent itself failed. Otherwise the run was not made or not kept, which says nothing about the agent.
    pub is_failure_of_agent: bool,
}

/// The sentence for a person, where no part of the error is asked for.
impl From<RunsError> for String {
    fn from(error: RunsError) -> Self {
        match error {
            // A case with an agent has its trace recorded; any other needs to be told of one.
            RunsError::NotFound { .. } => format!("{error}; name one: `trace: FILE`"),
            error => error.to_string(),
        }
    }
}

fn show_help(error: &TraceError) -> String {
    error.help.as_ref().map_or_else(String::new, |help| format!(" (help: {help})"))
}

fn show_readers(tried: &[String]) -> String {
    match tried {
        [] => "; no declared reader has a `folder`".to_owned(),
        tried => format!("; no declared reader reads it: {}", tried.join(", ")),
    }
}
