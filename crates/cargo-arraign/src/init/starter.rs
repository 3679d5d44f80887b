//! The files that `init` writes.

/// The test target.
pub(super) const TARGET: &str = "\
//! Runs every case in `evals/` as a test: `cargo test --test evals`.
//!
//! JSON Schemas with `$ref`, `anyOf` and the like need a feature: `arraign = { .., features = [\"json-schema\"] }`.

// Shows each case in rust-analyzer's test explorer; `cargo arraign ide` updates the list.
arraign::cases!(\"evals\");

fn main() -> std::process::ExitCode {
    // If you record runs of other people's branches, list the environment variables that files of cases may name, because they
    // are sent to agents and judges: `Harness::new(\"evals\").allow_variables([\"OPENAI_API_KEY\"])`.
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

/// The name of the trial of the first case.
pub(super) const TRIAL: &str = "first::order_status";

/// The file of a first case from the user's own trace, and its name without the extension.
pub(super) const OWN: &str = "evals/own.yaml";
pub(super) const OWN_STEM: &str = "own";

/// The next steps after the first run, by the file of the first case.
pub(super) const AFTERWARDS: [(&str, &str); 2] = [
    (
        FIRST,
        "The first case passes; a comment in evals/first.yaml says how to make it fail.\n\
         Then put a trace of your agent into evals/traces, and write a case that says what the agent should do.",
    ),
    (
        OWN,
        "The first case passes: its checks say what this run did. Read evals/own.yaml, and change what the agent should do\n\
         otherwise; then the case fails.",
    ),
];
