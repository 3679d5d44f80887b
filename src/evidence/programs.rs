//! Programs that check a run: what they are asked, and what they report.

use std::time::Duration;

use serde::Deserialize;

use super::Absent;
use crate::json;
use crate::outcome::CannotDecide;

/// A program that a check runs. Requests that are equal are one run of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramRequest {
    /// The program, and its arguments. No shell is involved.
    pub command: Vec<String>,
    /// The variables that the process inherits in addition to `PATH` and `HOME`.
    pub env: Vec<String>,
    /// The working folder, relative to the package's folder, which is the default.
    pub cwd: Option<String>,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether it runs in a copy of the run's workspace.
    pub in_workspace: bool,
    /// The exit code with which the run passes. `None`: the program writes a report.
    pub exit: Option<i32>,
    /// Whether it answers calls of mock tools, in place of a report on the run.
    pub answers_calls: bool,
}

/// A program's verdict on a run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramReport {
    /// Whether the run passes.
    pub pass: bool,
    /// The score of the run, from 0 to 1.
    pub score: Option<f64>,
    /// The reason. Untrusted text.
    pub message: Option<String>,
    /// The problems that it reports. Untrusted texts.
    #[serde(default)]
    pub violations: Vec<String>,
}

impl ProgramReport {
    /// Parses the output of a program. The error says why it is no report.
    pub fn parse(output: &str) -> Result<Self, String> {
        let report: Self = json::from_str(output).map_err(|error| error.to_string())?;
        if report.score.is_some_and(|score| !(0.0..=1.0).contains(&score)) {
            return Err("`score` is not between 0 and 1".to_owned());
        }
        // One of the two would have to be ignored, so neither is believed.
        if report.pass && !report.violations.is_empty() {
            return Err("it says that the run passes, and lists violations".to_owned());
        }
        Ok(report)
    }
}

/// The reports of the programs that were run on a trace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProgramReports(Vec<ProgramRun>);

#[derive(Debug, Clone, PartialEq)]
struct ProgramRun {
    turn: Option<usize>,
    request: ProgramRequest,
    report: Result<ProgramReport, Absent>,
}

impl ProgramReports {
    /// Adds the report of the program `request` on a turn of the run, or on the whole run.
    pub fn insert(
        &mut self,
        turn: Option<usize>,
        request: ProgramRequest,
        report: Result<ProgramReport, Absent>,
    ) {
        self.0.push(ProgramRun { turn, request, report });
    }

    /// Whether the program was run on this turn, or on the whole run.
    pub fn contains(&self, turn: Option<usize>, request: &ProgramRequest) -> bool {
        self.0.iter().any(|run| run.turn == turn && run.request == *request)
    }

    /// Returns the reports on one turn of the conversation, from 1.
    pub fn of_turn(&self, turn: usize) -> Self {
        let of_turn = self.0.iter().filter(|run| run.turn == Some(turn));
        Self(of_turn.map(|run| ProgramRun { turn: None, ..run.clone() }).collect())
    }

    /// Returns the report of the program `request`. The error says why the report is missing.
    pub fn find(&self, request: &ProgramRequest) -> Result<&ProgramReport, CannotDecide> {
        let run = self.0.iter().find(|run| run.turn.is_none() && run.request == *request);
        match run.map(|run| &run.report) {
            Some(Ok(report)) => Ok(report),
            Some(Err(Absent::Failed(why))) => Err(CannotDecide::invalid(why.as_str())),
            Some(Err(Absent::Undecided { why, help })) => {
                Err(CannotDecide::missing(why.as_str()).help(help.as_str()))
            }
            // The lint and the library alone run no programs.
            None => Err(CannotDecide::missing("the program was not run: only a test target runs programs")),
        }
    }
}
