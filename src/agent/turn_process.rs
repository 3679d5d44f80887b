//! A process that is asked turn by turn: one line of JSON in, one line out, until its input ends.

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::capture::{CapturedOutput, StderrTail};
use super::command::{
    NonJsonOutput, StartedProcess, collect_secrets, collect_variables, fill_arguments, read_trace,
    start_process, truncate_front,
};
use super::group::{ProcessGroup, wait_for_exit};
use super::{AgentEnvironment, AgentInput, AgentProblem, OUTPUT_LIMIT};
use crate::case::CommandLine;
use crate::json;
use crate::reader::ReaderSet;
use crate::secrets::Secrets;
use crate::trace::Trace;

/// A process in a conversation. Dropping it kills its process group.
pub(super) struct TurnProcess {
    group: Option<ProcessGroup>,
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: StderrTail,
    secrets: Secrets,
    format: Option<String>,
    output_limit: usize,
    spoken: NonJsonOutput,
    turns: usize,
}

impl TurnProcess {
    /// Starts the process of `line`.
    pub(super) fn start(
        line: &CommandLine,
        input: &AgentInput,
        environment: &AgentEnvironment,
    ) -> Result<Self, AgentProblem> {
        let variables = collect_variables(line, environment, Some(input));
        let StartedProcess { child, group, stdin, stdout, stderr } =
            start_process(&fill_arguments(line, input, environment)?, variables, environment)?;
        Ok(Self {
            child,
            group,
            stdin: Some(stdin),
            stdout: BufReader::new(stdout),
            stderr: StderrTail::start(stderr),
            secrets: collect_secrets(line, environment),
            format: line.format.clone(),
            output_limit: line.output_limit.unwrap_or(OUTPUT_LIMIT),
            spoken: NonJsonOutput::expected_in_turn(input, line),
            turns: 0,
        })
    }

    /// Writes the line of a turn, and reads the line of its answer.
    pub(super) async fn ask_turn(
        &mut self,
        input: &AgentInput,
        readers: &ReaderSet,
    ) -> Result<Trace, AgentProblem> {
        self.turns += 1;
        let mut line = json::to_vec(input).unwrap_or_default();
        line.push(b'\n');
        if let Some(stdin) = &mut self.stdin {
            // A process that does not read any more answers no more either, which is reported below.
            let _ = stdin.write_all(&line).await;
            let _ = stdin.flush().await;
        }
        let mut answer = Vec::new();
        let most = u64::try_from(self.output_limit).unwrap_or(u64::MAX);
        (&mut self.stdout)
            // One byte more than allowed shows that the line is too long.
            .take(most.saturating_add(1))
            .read_until(b'\n', &mut answer)
            .await
            .map_err(AgentProblem::Lost)?;
        if answer.len() > self.output_limit {
            return Err(AgentProblem::Flooded(self.output_limit));
        }
        // The limit is for the whole conversation, as it is for a process that is asked once.
        self.output_limit -= answer.len();
        if answer.is_empty() {
            return Err(self.explain_end().await);
        }
        read_trace(answer, self.format.clone(), self.spoken, self.secrets.clone(), readers.clone()).await
    }

    /// Closes the input, and waits for the end of the process.
    pub(super) async fn end(&mut self) -> Result<(), AgentProblem> {
        self.stdin = None;
        let mut rest = CapturedOutput::default();
        // A line beyond the last turn would be an answer that nobody asked for.
        rest.read_all(&mut self.stdout, self.output_limit).await?;
        let status = wait_for_exit(&mut self.child, &mut self.group).await.map_err(AgentProblem::Lost)?;
        if !status.success() {
            return Err(AgentProblem::Exited(status));
        }
        if rest.to_text().is_empty() {
            return Ok(());
        }
        Err(AgentProblem::Nonsense(format!(
            "it wrote more than one line for each of the {} turns",
            self.turns
        )))
    }

    /// Returns why there is no answer: the process has closed its output.
    async fn explain_end(&mut self) -> AgentProblem {
        // The input is closed first: a process that still reads it would never end.
        self.stdin = None;
        match wait_for_exit(&mut self.child, &mut self.group).await {
            Ok(status) if !status.success() => AgentProblem::Exited(status),
            _ => AgentProblem::Nonsense(format!(
                "its output ended in turn {}: it answers each line of its input with one line",
                self.turns
            )),
        }
    }

    /// Kills the process, and returns the masked end of its standard error.
    pub(super) async fn into_stderr(self) -> String {
        let Self { child, group, secrets, stderr, .. } = self;
        drop((group, child));
        truncate_front(&secrets.mask_text(stderr.into_text().await))
    }
}
