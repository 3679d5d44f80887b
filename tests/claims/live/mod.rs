//! Live agents as their users meet them: what runs, what is recorded, and what becomes of one that misbehaves.

use arraign::json::Json;
#[cfg(unix)]
mod acp;
#[cfg(unix)]
mod commands;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod fresh;
#[cfg(unix)]
mod gates;
mod http;
mod in_process;
#[cfg(unix)]
mod limits;
#[cfg(unix)]
mod lost_runs;
mod mocks;
#[cfg(unix)]
mod models;
#[cfg(unix)]
mod processes;
#[cfg(unix)]
mod programs;
mod recorded;
mod refused;
#[cfg(unix)]
mod secrets;
mod servers;
#[cfg(unix)]
mod turns;
mod variants;
#[cfg(unix)]
mod workspaces;

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
    format!("{{command: [sh, -c, {}]{more}}}", Json::from(script))
}
