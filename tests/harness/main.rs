//! The harness as its users meet it: a process with arguments, an environment, an exit code and two streams.
//!
//! This executable is its own subject: run again with [`project::SUBJECT`] set, it is the test target of a small
//! package in a temporary folder.

mod cases;
mod exact;
mod exits;
mod golden;
mod hostile;
mod ide;
mod lists;
mod names;
mod project;
mod reports;
mod runs;
mod scores;
mod select;
mod snapshots;
mod store;
mod subject;
mod verbose;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    if std::env::var_os(project::SUBJECT).is_some() {
        return subject::main();
    }
    let themes = [
        cases::claims(),
        exact::claims(),
        exits::claims(),
        golden::claims(),
        hostile::claims(),
        ide::claims(),
        lists::claims(),
        names::claims(),
        reports::claims(),
        runs::claims(),
        scores::claims(),
        select::claims(),
        snapshots::claims(),
        store::claims(),
        verbose::claims(),
    ];
    libtest_mimic::run(&Arguments::from_args(), themes.into_iter().flatten().collect()).exit_code()
}

/// A trial called by its function's path: `exits::a_green_run_is_0`.
fn claim<F: Fn() + Send + 'static>(test: F) -> Trial {
    let path = std::any::type_name::<F>();
    let name = path.split_once("::").map_or(path, |(_, name)| name);
    Trial::test(name, move || {
        test();
        Ok(())
    })
}
