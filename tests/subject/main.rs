//! The test target of the small packages in which claims start a harness: cases under `evals/`, with checks, agents and
//! a judge of its own. Without a package it has no trial.

mod agents;
mod checks;
mod judges;
#[expect(dead_code, reason = "the claims need more of it")]
mod scripted;

use std::process::ExitCode;

use arraign::Harness;

/// Is set where a claim starts this program.
const SUBJECT: &str = "HARNESS_TEST_SUBJECT";

fn main() -> ExitCode {
    if std::env::var_os(SUBJECT).is_none() {
        let arguments = libtest_mimic::Arguments::from_args();
        return libtest_mimic::run(&arguments, Vec::new()).exit_code();
    }
    let harness = agents::add_agents(checks::add_checks(Harness::new("evals")));
    judges::add_judge(harness).run()
}
