//! The reasons why an agent gave no run.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use super::workspace::error::WorkspaceError;
use crate::secrets::{QuotedText, Secrets};

/// The largest length of what an agent returned in an error message, in characters.
const MAX_SHOWN_CHARS: usize = 300;

/// The failure of an agent.
#[derive(Debug, thiserror::Error)]
#[error("{} {problem}{}", render_agent(.agent, *.run), render_stderr(.problem, .stderr))]
pub struct AgentError {
    /// The agent's name.
    pub agent: String,
    /// The number of the run, from 1, if there are several.
    pub run: Option<u32>,
    /// The problem.
    pub problem: AgentProblem,
    /// The end of its standard error.
    pub stderr: String,
}

/// The problem of an agent. Further lines of the message are causes.
#[derive(Debug, thiserror::Error)]
pub enum AgentProblem {
    /// The agent returned an error.
    #[error("failed{}", render_causes(.0.as_ref()))]
    Failed(AgentFailure),
    /// The agent panicked.
    #[error("panicked: {0}")]
    Panicked(String),
    /// The time limit passed.
    #[error("timed out: no answer within {0:?}")]
    OutOfTime(Duration),
    /// The program cannot be started.
    #[error("could not be started\n{program}: {error}")]
    NotStarted {
        /// The program's name.
        program: String,
        /// The system's error.
        error: io::Error,
    },
    /// The request cannot be built.
    #[error("could not be asked\n{0}")]
    NotAsked(AgentFailure),
    /// The server is unreachable, refuses, or fails.
    #[error("gave no answer{}", render_causes(.0.as_ref()))]
    Unanswered(AgentFailure),
    /// The process cannot be observed.
    #[error("could not be observed\n{0}")]
    Lost(io::Error),
    /// The output exceeds its limit.
    #[error("was stopped: it wrote more than {0} bytes; `output_limit` raises the limit")]
    Flooded(usize),
    /// The process exited with an error.
    #[error("failed: {}", render_exit(*.0))]
    Exited(ExitStatus),
    /// The output is not a trace.
    #[error("did not return a valid trace\n{0}")]
    Nonsense(String),
    /// The output contains several runs instead of one.
    #[error("returned {0} runs instead of one")]
    SeveralRuns(usize),
    /// The workspace of the run cannot be made.
    #[error("has no workspace\n{0}")]
    NoWorkspace(WorkspaceError),
    /// The agent wrote more than the workspace allows.
    #[error("changed too much\n{0}")]
    ChangedTooMuch(String),
    /// The run cannot be written.
    #[error("could not be recorded\n{0}")]
    NotRecorded(String),
    /// The output is not a trace, and does not look like one.
    #[error("did not return a trace: its output is not JSON")]
    NoTrace,
    /// The agent asked its model something that is not recorded.
    #[error("asked its model something that is not recorded\n{missed}")]
    Unrecorded {
        /// The requests, and how the first one differs from the nearest recorded one.
        missed: String,
        /// They differ only in what tools answered.
        differs_in_results: bool,
    },
    /// The agent called a tool that its mocks do not answer.
    #[error("called a tool that its `mocks` do not answer\n{0}")]
    Unmocked(String),
    /// The agent sent its mock tools a call that MCP does not allow.
    #[error("sent its mock tools a call that MCP does not allow\n{0}")]
    MalformedCall(String),
    /// The agent made more calls of its mock tools than a run may have.
    #[error("called its mock tools too often\n{0}")]
    TooManyCalls(String),
    /// The program or the server behind a mock tool failed.
    #[error("called a mock tool whose program or server failed\n{0}")]
    FailedMock(String),
    /// The agent gave its first answer before it had asked for the mock tools of its case.
    #[error(
        "ignored the `mocks` of the case\nno `initialize`, `server/discover` or `tools/list` reached the mock server \
             before the first answer: does the agent take the `mcpServers` of its session?"
    )]
    MocksIgnored,
    /// The agent called a recorded server in a way that is not recorded.
    #[error("asked its MCP server something that is not recorded\n{0}")]
    UnrecordedCall(String),
    /// The agent failed after a request to its model that its provider refused or did not answer.
    #[error("{problem}\na request to its model failed: {request}")]
    FailedByModel {
        /// The problem of the agent.
        problem: Box<AgentProblem>,
        /// The request, and how it failed.
        request: String,
    },
    /// The output contains a secret.
    #[error("wrote the value of the secret `{0}`: the answer is discarded")]
    Secret(String),
}

impl AgentProblem {
    /// Whether the agent itself failed. Otherwise the run was not made or not kept, which says nothing about the agent.
    pub fn is_failure_of_agent(&self) -> bool {
        match self {
            Self::Failed(_)
            | Self::Panicked(_)
            | Self::OutOfTime(_)
            | Self::Unanswered(_)
            | Self::Flooded(_)
            | Self::Exited(_)
            | Self::Nonsense(_)
            | Self::SeveralRuns(_)
            | Self::ChangedTooMuch(_)
            | Self::NoTrace
            | Self::Unmocked(_)
            | Self::MalformedCall(_)
            | Self::TooManyCalls(_)
            | Self::MocksIgnored
            | Self::Secret(_) => true,
            Self::FailedByModel { problem, .. } => problem.is_failure_of_agent(),
            Self::NotStarted { .. }
            | Self::NotAsked(_)
            | Self::Lost(_)
            | Self::NoWorkspace(_)
            | Self::NotRecorded(_)
            | Self::FailedMock(_)
            | Self::Unrecorded { .. }
            | Self::UnrecordedCall(_) => false,
        }
    }

    /// Adds the beginning of what the agent returned, if that is the problem. `said` is how the agent returned it.
    pub(super) fn quoting(self, said: &str, text: &str) -> Self {
        let Self::Nonsense(why) = self else { return self };
        let text = text.trim();
        if text.is_empty() {
            return Self::Nonsense(format!("{why}\n{said} nothing"));
        }
        let quoted = QuotedText::near(text, &(0..4 * MAX_SHOWN_CHARS));
        Self::Nonsense(format!("{why}\n{said}: {}", quoted.cut_end(MAX_SHOWN_CHARS)))
    }
}

/// Returns an error if `text` contains one of the secrets.
pub(super) fn refuse_secrets(text: &str, secrets: &Secrets) -> Result<(), AgentProblem> {
    secrets.find_in(text).map_or(Ok(()), |name| Err(AgentProblem::Secret(name.to_owned())))
}

/// Any error that an agent of the test target returns.
pub type AgentFailure = Box<dyn std::error::Error + Send + Sync>;

fn render_agent(agent: &str, run: Option<u32>) -> String {
    run.map_or_else(|| format!("the agent `{agent}`"), |run| format!("run {run}: the agent `{agent}`"))
}

/// Renders the standard error. After a request that is not recorded, it only repeats that in the words of a client.
fn render_stderr(problem: &AgentProblem, stderr: &str) -> String {
    if stderr.is_empty() || matches!(problem, AgentProblem::Unrecorded { .. }) {
        String::new()
    } else {
        format!("\nits standard error:\n{stderr}")
    }
}

/// Renders the chain of an error, one line for each cause.
fn render_causes(error: &(dyn std::error::Error + Send + Sync + 'static)) -> String {
    let first: &(dyn std::error::Error + 'static) = error;
    let chain = std::iter::successors(Some(first), |error| error.source());
    let lines: Vec<String> = chain.take(MAX_CAUSES).map(|error| format!("\n{error}")).collect();
    lines.concat()
}

/// The largest number of causes: a chain may be cyclic.
const MAX_CAUSES: usize = 16;

fn render_exit(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("it exited with code {code}"),
        None => format!("its process was killed ({status})"),
    }
}
