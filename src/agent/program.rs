//! Programs that check a run: the facts on standard input, a report on standard output.

use std::io;
use std::sync::{Arc, OnceLock};

use tokio::runtime::{Builder, Runtime};

use super::command::{collect_secrets, run_process};
use super::pool::exit_when_interrupted;
use super::{AgentEnvironment, AgentProblem};
use crate::case::CommandLine;
use crate::evidence::{ProgramReport, ProgramRequest};

/// The largest output of a program: 1 MiB.
const OUTPUT_LIMIT: usize = 1 << 20;

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
        // The runtime is started for the first program: most cases have none.
        let runtime = self.runtime.get_or_init(|| {
            let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
            runtime.spawn(exit_when_interrupted());
            Ok(runtime)
        });
        let runtime = runtime.as_ref().map_err(|error| format!("cannot start programs: {error}"))?;
        let line = make_command_line(request);
        let secrets = collect_secrets(&line, &self.environment);
        let (ended, stderr) =
            runtime.block_on(run_process(&line, None, facts, request.timeout, &self.environment));
        let report = ended.map_err(|problem| describe_problem(&problem)).and_then(|output| {
            let text =
                String::from_utf8(output).map_err(|_| "wrote something that is not UTF-8".to_owned())?;
            ProgramReport::parse(&text).map_err(|error| format!("did not write a report\n{error}"))
        });
        match report {
            Ok(ProgramReport { pass, score, message, violations }) => Ok(ProgramReport {
                pass,
                score,
                message: message.map(|text| secrets.mask_text(text)),
                violations: violations.into_iter().map(|text| secrets.mask_text(text)).collect(),
            }),
            Err(problem) => {
                let stderr =
                    if stderr.is_empty() { stderr } else { format!("\nits standard error:\n{stderr}") };
                Err(format!("the program `{}` {}{stderr}", line.program, secrets.mask_text(problem)))
            }
        }
    }
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
