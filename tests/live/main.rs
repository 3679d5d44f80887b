//! Live agents as their users meet them: what runs, what is recorded, and what becomes of one that misbehaves.
//!
//! This executable is its own subject, as in `tests/harness`.

#[path = "../harness/claim.rs"]
mod claim;
#[cfg(unix)]
mod commands;
#[cfg(unix)]
mod faults;
#[cfg(feature = "http")]
mod http;
mod in_process;
#[cfg(unix)]
mod processes;
#[path = "../harness/project.rs"]
#[expect(dead_code, reason = "the harness' own claims need more of it")]
mod project;
mod recorded;
mod refused;
#[cfg(feature = "http")]
#[path = "../support/server.rs"]
mod server;
#[cfg(feature = "judge")]
mod servers;
mod subject;

use std::process::ExitCode;

use claim::claim;
use libtest_mimic::Arguments;

fn main() -> ExitCode {
    if std::env::var_os(project::SUBJECT).is_some() {
        return subject::main();
    }
    let themes = [
        in_process::claims(),
        recorded::claims(),
        refused::claims(),
        #[cfg(unix)]
        commands::claims(),
        #[cfg(unix)]
        faults::claims(),
        #[cfg(unix)]
        processes::claims(),
        #[cfg(feature = "http")]
        http::claims(),
        #[cfg(feature = "judge")]
        servers::claims(),
    ];
    libtest_mimic::run(&Arguments::from_args(), themes.into_iter().flatten().collect()).exit_code()
}

/// Agents run, and nothing is kept.
const LIVE: (&str, &str) = ("ARRAIGN_AGENT_MODE", "live");

/// Agents run, and their runs are written.
const RECORD: (&str, &str) = ("ARRAIGN_AGENT_MODE", "record");

/// A case that asks `agent`, which must not call `rm`.
fn asks(id: &str, agent: &str, more: &str) -> String {
    let case =
        format!("input: Where is order 7?\nagent: {agent}\nexpect: [{{tool_blocklist: [rm]}}]\n{more}");
    format!("  - id: {id}\n    {}\n", case.trim_end().replace('\n', "\n    "))
}

/// An agent that is a line of shell, in YAML.
#[cfg(unix)]
fn shell(script: &str) -> String {
    shell_with(script, "")
}

/// The same, with more settings.
#[cfg(unix)]
fn shell_with(script: &str, more: &str) -> String {
    format!("{{command: [sh, -c, {}]{more}}}", serde_json::Value::from(script))
}
