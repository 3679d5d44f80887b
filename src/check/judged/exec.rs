//! `exec`: a program of your own decides.
//!
//! <!-- settings -->
//!
//! The program reads one line of JSON from standard input: `{"id": ..., "input": ..., "trace": ...}`, with the trace in the
//! [native format](../traces.md). It writes one JSON object to standard output: `{"pass": true}`, with an optional `score` from 0
//! to 1, a `message`, and `violations`, a list of texts. Everything else is an error, never a pass: another exit code than 0,
//! other output, `pass: true` with `score: 0`, more than 1 MiB of it, or no end within the `timeout`. The program is then killed with all processes that it
//! has started.
//!
//! With `exit: 0`, the exit code decides, and the program need not read or write anything: `exec: {command: [cargo, test, -q],
//! in: workspace, exit: 0}`. With `in: workspace`, the program runs in a copy of the [workspace](../workspaces.md) as the agent
//! left it, with the workspace's scratch home as `HOME`; a program with a path is one of the package, never of the workspace.
//!
//! As for agents, there is no shell, the working folder is the package's folder, and the program gets only the environment
//! variables `PATH`, `HOME` and those that `env` names. Secrets among their values are masked in what it reports.
//!
//! A folder of evals cannot allow itself to start a program: without `allow_exec()` on the harness of the test target, or
//! `cargo arraign run --allow-exec`, the check is undecided. With `ARRAIGN_AGENT_MODE=record` or `live`, which start programs
//! anyway, it runs. `list`, `lint` and `explain` start no program. The program also runs on the
//! [mutants](../mutation.md) of a run, if it may start: in a run with `ARRAIGN_MUTATE=1`, and with
//! `cargo arraign mutate --allow-exec`.
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/exec/fail-refund.yaml")]
//! ```

use std::time::Duration;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::{Evidence, ProgramReport, ProgramReports, ProgramRequest};
use crate::outcome::{CannotDecide, Item, Outcome, Score, Violation};
use crate::place::LoadErrors;
use crate::workspace::WorkspaceNeeds;
use crate::yaml::{Placed, TimeLimit};

pub(crate) const KIND: CheckKind =
    CheckKind::built::<ExecSettings>("exec", "a program of your own decides").shorthand("command");

/// How long a program may take, unless its check says otherwise.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);

/// Settings of `exec`.
#[derive(Deserialize, JsonSchema)]
struct ExecSettings {
    /// The program, and its arguments. A path is relative to the working folder; in a workspace, to the package's folder.
    command: Placed<Vec<String>>,
    /// How long it may take. Default: 60 seconds.
    timeout: Option<TimeLimit>,
    /// The names of further environment variables that the program gets.
    env: Option<Vec<String>>,
    /// The working folder, relative to the package's folder, or to the workspace, which is the default.
    cwd: Option<String>,
    /// `workspace`: the program runs in a copy of the workspace as the agent left it, with the files that are `hidden` from
    /// the agent.
    r#in: Option<ProgramFolder>,
    /// The exit code with which the run passes, in place of a report. Any other exit code is a violation.
    exit: Option<i32>,
}

/// Where a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
enum ProgramFolder {
    /// In the package.
    Package,
    /// In a copy of the run's workspace.
    Workspace,
}

struct Exec(ProgramRequest);

impl BuildCheck for ExecSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { command, timeout, env, cwd, r#in: folder, exit } = settings.into_value();
        if command.first().is_none_or(String::is_empty) {
            return Err(command.error("`command` names no program").into());
        }
        Ok(Box::new(Exec(ProgramRequest {
            command: command.into_value(),
            env: env.unwrap_or_default(),
            cwd,
            timeout: timeout.map_or(DEFAULT_TIMEOUT, |TimeLimit(timeout)| timeout),
            in_workspace: folder == Some(ProgramFolder::Workspace),
            exit,
            answers_calls: false,
        })))
    }
}

impl Check for Exec {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let report = evidence.programs.find(&self.0)?;
        if report.pass && report.score == Some(0.0) {
            let what = format!(
                "`{}` reported `pass: true` and `score: 0`, which contradict each other",
                self.name()
            );
            return Err(CannotDecide::invalid(what)
                .help("leave `score` out of a report that passes, or report `pass: false`"));
        }
        let violations: Vec<Violation> = self.list_violations(report);
        let item =
            Item { note: report.message.clone(), ..Item::tested(format!("`{}`", self.name()), report.pass) };
        let outcome = Outcome::of_items(vec![item], violations);
        Ok(Outcome { score: report.score.map_or(outcome.score, Score::new), ..outcome })
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let mut reports = ProgramReports::default();
        reports.insert(None, self.0.clone(), Ok(ProgramReport::default()));
        Some(reports.into())
    }

    fn programs(&self) -> Vec<ProgramRequest> {
        vec![self.0.clone()]
    }

    fn workspace_needs(&self) -> WorkspaceNeeds {
        WorkspaceNeeds {
            looks_at_files: self.0.in_workspace,
            is_needed: self.0.in_workspace,
            contents: Vec::new(),
        }
    }
}

impl Exec {
    fn name(&self) -> String {
        self.0.command.join(" ")
    }

    fn list_violations(&self, report: &ProgramReport) -> Vec<Violation> {
        let texts = match (report.pass, report.violations.as_slice()) {
            (true, _) => Vec::new(),
            (false, []) => {
                vec![report.message.clone().unwrap_or_else(|| format!("`{}` says no", self.name()))]
            }
            (false, violations) => violations.to_vec(),
        };
        texts.into_iter().map(|text| Violation::new(text).at("/command")).collect()
    }
}
