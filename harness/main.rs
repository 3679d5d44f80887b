//! The eval cases of this repository, as libtest trials. A project of your own looks the same.

mod checks;

use std::process::ExitCode;

fn main() -> ExitCode {
    arraign::Harness::new("evals").check::<checks::NoRefundsOnSunday>("no_sunday_refunds").run()
}
