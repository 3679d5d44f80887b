//! The files that `init` writes.

/// The test target.
pub(super) const TARGET: &str = "\
//! Runs every case in `evals/` as a test: `cargo test --test evals`.
//!
//! Checks against JSON Schema (`args_valid`) need a feature: `arraign = { .., features = [\"json-schema\"] }`.

// Shows each case in rust-analyzer's test explorer; `cargo arraign ide` updates the list.
arraign::cases!(\"evals\");

fn main() -> std::process::ExitCode {
    arraign::Harness::new(\"evals\").run()
}
";

/// The file of the first case.
pub(super) const FIRST: &str = "evals/first.yaml";

/// The first case and its trace.
pub(super) const CASE: &[(&str, &str)] =
    &[(FIRST, include_str!("first.yaml")), ("evals/traces/first.json", include_str!("first.json"))];

/// The file with the names of the trials.
pub(super) const NAMES: &str = "evals/cases.rs";

/// The names of the trials of the first case.
pub(super) const TRIALS: &[&str] = &["first::order_status"];

/// The next steps after the first run.
pub(super) const AFTERWARDS: &str = "\
The first case passes; a comment in evals/first.yaml says how to make it fail.
Then put a trace of your agent into evals/traces, and write a case that says what the agent should do.";
