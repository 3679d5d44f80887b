//! The judge as its users meet it: what it is asked, what is recorded of it, and what becomes of one that misbehaves.
//!
//! This executable is its own subject, as in `tests/harness`.

mod boundary;
#[path = "../../crates/arraign-trace/tests/claims/mutations.rs"]
mod mutations;
#[cfg(feature = "judge")]
mod own_evals;
#[path = "../harness/project.rs"]
#[expect(dead_code, reason = "the harness' own claims need more of it")]
mod project;
mod recorded;
mod replies;
mod scripted;
#[cfg(feature = "judge")]
mod served;
#[cfg(feature = "judge")]
#[path = "../support/server.rs"]
#[expect(dead_code, reason = "the client's own claims need more of it")]
mod server;
mod settings;
mod subject;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    if std::env::var_os(project::SUBJECT).is_some() {
        return subject::main();
    }
    let themes = [
        boundary::claims(),
        recorded::claims(),
        replies::claims(),
        settings::claims(),
        #[cfg(feature = "judge")]
        served::claims(),
        #[cfg(feature = "judge")]
        own_evals::claims(),
    ];
    libtest_mimic::run(&Arguments::from_args(), themes.into_iter().flatten().collect()).exit_code()
}

/// A trial called by its function's path: `recorded::an_opinion_replays`.
fn claim<F: Fn() + Send + 'static>(test: F) -> Trial {
    let path = std::any::type_name::<F>();
    let name = path.split_once("::").map_or(path, |(_, name)| name);
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

/// The judge is asked, and nothing is kept.
const LIVE: (&str, &str) = ("ARRAIGN_JUDGE", "live");

/// The judge is asked, and what it says is written.
const RECORD: (&str, &str) = ("ARRAIGN_JUDGE", "record");

/// Which of the scripted judges the test target has.
const JUDGE: &str = "SUBJECT_JUDGE";

/// A case that asks whether its answer says `please`.
fn asks(id: &str, answer: &str, more: &str) -> String {
    let case = format!(
        "trace: [{{say: {answer}}}]\nexpect: [{{agent_check: {{label: polite, prompt: Does it say please?}}}}]\n{more}"
    );
    format!("  - id: {id}\n    {}\n", case.trim_end().replace('\n', "\n    "))
}
