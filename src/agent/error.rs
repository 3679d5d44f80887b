//! Why an agent gave no run.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

/// An agent that gave no run.
#[derive(Debug, thiserror::Error)]
#[error("{} {problem}{}", render_agent(.agent, *.run), render_stderr(.stderr))]
pub struct AgentError {
    /// What it is called.
    pub agent: String,
    /// Which of several runs it was, from 1.
    pub run: Option<u32>,
    /// What happened.
    pub problem: AgentProblem,
    /// The end of what it wrote on standard error.
    pub stderr: String,
}

/// What happened to an agent. Further lines are causes.
#[derive(Debug, thiserror::Error)]
pub enum AgentProblem {
    /// It says so itself.
    #[error("failed{}", render_causes(.0.as_ref()))]
    Failed(AgentFailure),
    /// A mistake in it.
    #[error("panicked: {0}")]
    Panicked(String),
    /// It took too long.
    #[error("was stopped: it did not answer within {0:?}")]
    OutOfTime(Duration),
    /// Its program cannot be started.
    #[error("cannot be started\n{program}: {error}")]
    NotStarted {
        /// The program.
        program: String,
        /// Why not.
        error: io::Error,
    },
    /// There is nothing to ask it.
    #[error("cannot be asked\n{0}")]
    NotAsked(String),
    /// Its server is not there, says no, or fails.
    #[error("gave no answer{}", render_causes(.0.as_ref()))]
    Unanswered(AgentFailure),
    /// Its process could not be watched.
    #[error("cannot be waited for\n{0}")]
    Lost(io::Error),
    /// It wrote without end.
    #[error("was stopped: it wrote more than {0} bytes; `output_limit` raises the limit")]
    Flooded(usize),
    /// Its process failed.
    #[error("failed: {}", render_exit(*.0))]
    Exited(ExitStatus),
    /// What it wrote is no trace.
    #[error("answered with what is no trace\n{0}")]
    Nonsense(String),
    /// One run is wanted.
    #[error("answered with {0} runs where one was asked for")]
    SeveralRuns(usize),
    /// It gave away what must not be kept.
    #[error("wrote the value of the secret `{0}`: nothing of its answer is kept")]
    Secret(String),
}

/// Any error that an agent of the test target returns.
pub type AgentFailure = Box<dyn std::error::Error + Send + Sync>;

fn render_agent(agent: &str, run: Option<u32>) -> String {
    run.map_or_else(|| format!("the agent `{agent}`"), |run| format!("run {run}: the agent `{agent}`"))
}

fn render_stderr(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("\nit said on standard error:\n{stderr}") }
}

/// The chain of an error, a line each.
fn render_causes(error: &(dyn std::error::Error + Send + Sync + 'static)) -> String {
    let first: &(dyn std::error::Error + 'static) = error;
    let chain = std::iter::successors(Some(first), |error| error.source());
    let lines: Vec<String> = chain.take(MAX_CAUSES).map(|error| format!("\n{error}")).collect();
    lines.concat()
}

/// A chain may be a ring.
const MAX_CAUSES: usize = 16;

fn render_exit(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("it exited with code {code}"),
        None => format!("its process was killed ({status})"),
    }
}
