//! The harness as its users meet it: a process with arguments, an environment, an exit code and two streams.
//!
//! This executable is its own subject: run again with [`project::SUBJECT`] set, it is the test target of a small
//! package in a temporary folder.

mod cases;
mod claim;
mod compared;
mod exact;
mod exits;
mod golden;
mod hostile;
mod ide;
mod lists;
mod names;
mod project;
#[cfg(feature = "json-schema")]
#[path = "../support/published.rs"]
mod published;
mod reports;
mod runs;
mod schema;
mod scores;
mod secrets;
mod select;
mod snapshots;
mod store;
mod subject;
mod verbose;

use std::process::ExitCode;

use claim::claim;
use libtest_mimic::Arguments;

fn main() -> ExitCode {
    if std::env::var_os(project::SUBJECT).is_some() {
        return subject::main();
    }
    let themes = [
        cases::claims(),
        compared::claims(),
        exact::claims(),
        exits::claims(),
        golden::claims(),
        hostile::claims(),
        ide::claims(),
        lists::claims(),
        names::claims(),
        reports::claims(),
        runs::claims(),
        schema::claims(),
        scores::claims(),
        secrets::claims(),
        select::claims(),
        snapshots::claims(),
        store::claims(),
        verbose::claims(),
    ];
    libtest_mimic::run(&Arguments::from_args(), themes.into_iter().flatten().collect()).exit_code()
}
