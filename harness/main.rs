//! Runs the eval cases of this repository as libtest trials. Your own project needs the same `main`.

mod checks;

use std::process::ExitCode;

fn main() -> ExitCode {
    arraign::Harness::new("evals").check::<checks::NoRefundsOnSunday>("no_sunday_refunds").run()
}
