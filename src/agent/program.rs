//! Programs that check a run, or answer a call of a mock tool: JSON on standard input, and on standard output.

use std::io;
use std::sync::{Arc, OnceLock};

use tokio::runtime::{Builder, Runtime};

use super::command::{collect_secrets, run_process};
use super::pool::exit_when_interrupted;
use super::workspace::{WorkspaceCopy, WorkspaceError};
use super::{AgentEnvironment, AgentProblem};
use crate::case::{CommandLine, WorkspaceSettings};
use crate::evidence::{Absent, ProgramAnswer, ProgramReport, ProgramRequest};
use crate::workspace::{ChangedFile, RunWorkspace};

/// The largest output of a program: 1 MiB.
const OUTPUT_LIMIT: usize = 1 << 20;

/// The largest output of a program that answers a call, which contains the whole state: 64 MiB.
const STATE_LIMIT: usize = 64 << 20;

/// Runs programs with the environment of agents.
pub struct ProgramRunner {
    environment: AgentEnvironment,
    runtime: OnceLock<Result<Runtime, Arc<io::Error>>>,
}

impl ProgramRunner {
    /// A runner that starts nothing until a program is run.
    pub fn new(environment: AgentEnvironment) -> Self {
        Self { environment, runtime: OnceLock::new() }
    }

    /// Runs a program with `facts` on its standard input, and waits for its report. The error is a message.
    pub fn run_program(&self, request: &ProgramRequest, facts: Vec<u8>) -> Result<ProgramReport, String> {
        let runtime = self.start_runtime()?;
        runtime.block_on(run_request(request, facts, &self.environment))
    }

    /// Asks a program behind a mock tool about a call. `input` is the line that it reads. The error is a message.
    pub fn answer_call(&self, request: &ProgramRequest, input: String) -> Result<ProgramAnswer, String> {
        let runtime = self.start_runtime()?;
        runtime.block_on(answer_call(request, input, &self.environment))
    }

    /// Runs a program in a copy of a run's workspace.
    pub fn run_in_workspace(
        &self,
        request: &ProgramRequest,
        facts: Vec<u8>,
        settings: &WorkspaceSettings,
        workspace: &RunWorkspace,
    ) -> Result<ProgramReport, Absent> {
        let runtime = self.start_runtime().map_err(Absent::Failed)?;
        runtime.block_on(async {
            let copy = WorkspaceCopy::make(settings, workspace, &self.environment).await;
            let copy = copy.map_err(|problem| {
                let why = format!("the program was not run: {problem}");
                match problem {
                    WorkspaceError::NotRecorded(_) => {
                        Absent::undecided(why, "record the run again: ARRAIGN_AGENT_MODE=record cargo test")
                    }
                    _ => Absent::Failed(why),
                }
            })?;
            let environment = AgentEnvironment { room: Some(copy.room.clone()), ..self.environment.clone() };
            let report = run_request(request, facts, &environment).await.map_err(Absent::Failed)?;
            Ok(match describe_lacking_files(workspace) {
                Some(lack) => ProgramReport {
                    message: Some(
                        report.message.map_or_else(|| lack.clone(), |said| format!("{said}; {lack}")),
                    ),
                    ..report
                },
                None => report,
            })
        })
    }

    fn start_runtime(&self) -> Result<&Runtime, String> {
        // The runtime is started for the first program: most cases have none.
        let runtime = self.runtime.get_or_init(|| {
            let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
            runtime.spawn(exit_when_interrupted());
            Ok(runtime)
        });
        runtime.as_ref().map_err(|error| format!("cannot start programs: {error}"))
    }
}

/// Describes the files of a run that a workspace lacks which was built again: a recording does not keep what `.gitignore` ignores.
fn describe_lacking_files(workspace: &RunWorkspace) -> Option<String> {
    const SHOWN: usize = 5;
    let facts = &workspace.facts;
    let is_lacking =
        |change: &&ChangedFile| change.after.is_some() && facts.find_ignored(&change.path).is_some();
    let lacking: Vec<&ChangedFile> = facts.changes.iter().filter(is_lacking).collect();
    if workspace.folders.is_some() || lacking.is_empty() {
        return None;
    }
    let mut shown: Vec<String> =
        lacking.iter().take(SHOWN).map(|change| format!("`{}`", change.path)).collect();
    if lacking.len() > SHOWN {
        shown.push(format!("{} more", lacking.len() - SHOWN));
    }
    Some(format!(
        "the workspace was built again without what the agent wrote into ignored files: {}",
        shown.join(", ")
    ))
}

async fn run_request(
    request: &ProgramRequest,
    facts: Vec<u8>,
    environment: &AgentEnvironment,
) -> Result<ProgramReport, String> {
    let line = make_command_line(request);
    let secrets = collect_secrets(&line, environment);
    let (ended, stderr) = run_process(&line, None, facts, request.timeout, environment).await;
    let mask = |text: String| environment.rewrite(secrets.mask_text(text));
    if let Some(wanted) = request.exit {
        return report_exit(wanted, &ended, &stderr)
            .map_err(|problem| format!("the program `{}` {}", line.program, mask(problem)));
    }
    let report = read_output(ended).and_then(|text| {
        ProgramReport::parse(&text).map_err(|error| format!("did not write a report\n{error}"))
    });
    match report {
        Ok(ProgramReport { pass, score, message, violations }) => Ok(ProgramReport {
            pass,
            score,
            message: message.map(&mask),
            violations: violations.into_iter().map(mask).collect(),
        }),
        Err(problem) => Err(describe_program(&line, &mask(problem), &stderr)),
    }
}

/// Asks a program behind a mock tool about a call.
pub(super) async fn answer_call(
    request: &ProgramRequest,
    input: String,
    environment: &AgentEnvironment,
) -> Result<ProgramAnswer, String> {
    let line = CommandLine { output_limit: Some(STATE_LIMIT), ..make_command_line(request) };
    let secrets = collect_secrets(&line, environment);
    let (ended, stderr) = run_process(&line, None, input.into_bytes(), request.timeout, environment).await;
    // The answer becomes a part of the trace, so that secrets are masked before anything reads it.
    let answer = read_output(ended).map(|text| secrets.mask_text(text)).and_then(|text| {
        ProgramAnswer::parse(&text)
            .map_err(|error| format!("did not answer with `{{\"state\": ..., \"answer\": ...}}`\n{error}"))
    });
    answer.map_err(|problem| describe_program(&line, &secrets.mask_text(problem), &stderr))
}

/// Returns the output of a program as text. The error is the end of a sentence.
fn read_output(ended: Result<Vec<u8>, AgentProblem>) -> Result<String, String> {
    let output = ended.map_err(|problem| describe_problem(&problem))?;
    String::from_utf8(output).map_err(|_| "wrote something that is not UTF-8".to_owned())
}

fn describe_program(line: &CommandLine, problem: &str, stderr: &str) -> String {
    let said = if stderr.is_empty() { String::new() } else { format!("\nits standard error:\n{stderr}") };
    format!("the program `{}` {problem}{said}", line.program)
}

/// Judges a program by its exit code. The error says why it has none.
fn report_exit(
    wanted: i32,
    ended: &Result<Vec<u8>, AgentProblem>,
    stderr: &str,
) -> Result<ProgramReport, String> {
    let code = match ended {
        Ok(_) => Some(0),
        Err(AgentProblem::Exited(status)) => status.code(),
        Err(problem) => return Err(describe_problem(problem)),
    };
    let pass = code == Some(wanted);
    let message = match code {
        Some(code) => format!("it exited with {code}, not {wanted}"),
        None => "it was ended by a signal".to_owned(),
    };
    let message = match stderr.trim() {
        "" => message,
        said => format!("{message}: {said}"),
    };
    Ok(ProgramReport { pass, message: (!pass).then_some(message), ..ProgramReport::default() })
}

fn describe_problem(problem: &AgentProblem) -> String {
    match problem {
        AgentProblem::Flooded(limit) => format!("was stopped: it wrote more than {limit} bytes"),
        problem => problem.to_string(),
    }
}

fn make_command_line(request: &ProgramRequest) -> CommandLine {
    let mut words = request.command.iter().cloned();
    CommandLine {
        program: words.next().unwrap_or_default(),
        arguments: words.collect(),
        env: request.env.clone(),
        cwd: request.cwd.clone(),
        output_limit: Some(OUTPUT_LIMIT),
        ..CommandLine::default()
    }
}
