//! The eval cases of this repository, as libtest trials.

fn main() -> std::process::ExitCode {
    arraign::Harness::new("evals").run()
}
