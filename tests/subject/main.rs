//! The test target of the small packages in which claims start a harness: cases under `evals/`, with checks, agents and
//! a judge of its own. Without a package it has no trial.

mod acp_agent;
mod agents;
mod checks;
mod judges;
mod mcp_agent;
mod model_agent;
#[expect(dead_code, reason = "the claims need more of it")]
mod scripted;

use std::process::ExitCode;

use arraign::Harness;

/// Is set where a claim starts this program.
const SUBJECT: &str = "HARNESS_TEST_SUBJECT";

/// Is set where a claim allows that agents run in a replay.
const ALLOWED: &str = "HARNESS_TEST_ALLOWED";

/// The variables that files may name, with commas between them.
const VARIABLES: &str = "HARNESS_TEST_VARIABLES";

/// The day on which the quarantine is looked at.
const TODAY: &str = "HARNESS_TEST_TODAY";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((_, rest)) = arguments.split_first().filter(|(first, _)| *first == model_agent::AGENT) {
        return model_agent::run_agent(rest);
    }
    match arguments.split_first() {
        Some((first, rest)) if first == acp_agent::AGENT => return acp_agent::run_agent(rest),
        Some((first, rest)) if first == mcp_agent::AGENT => return mcp_agent::run_agent(rest),
        Some((first, _)) if first == mcp_agent::SERVER => return mcp_agent::run_server(),
        Some((first, _)) if first == mcp_agent::WORLD => return mcp_agent::run_world(),
        _ => {}
    }
    if std::env::var_os(SUBJECT).is_none() {
        let arguments = libtest_mimic::Arguments::from_args();
        return libtest_mimic::run(&arguments, Vec::new()).exit_code();
    }
    let mut harness = agents::add_agents(checks::add_checks(Harness::new("evals")));
    if std::env::var_os(ALLOWED).is_some() {
        harness = harness.allow_exec();
    }
    if let Ok(names) = std::env::var(VARIABLES) {
        harness = harness.allow_variables(names.split(','));
    }
    if let Ok(day) = std::env::var(TODAY) {
        harness = arraign::__internals::harness::sources::set_today(harness, day.parse().expect("a day"));
    }
    judges::add_judge(harness).run()
}
