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

/// The path of the workflow for GitHub.
pub(super) const WORKFLOW: &str = ".github/workflows/evals.yml";

/// Renders the workflow of a project in the folder `below` of its repository.
pub(super) fn render_workflow(is_crate: bool, below: &str) -> String {
    let run = if is_crate {
        "      - run: cargo test --test evals\n"
    } else {
        "      - run: cargo install cargo-arraign --locked\n      - run: cargo arraign run\n"
    };
    let folder = if below.is_empty() {
        String::new()
    } else {
        let quoted = serde_json::Value::from(below);
        format!("    defaults: {{run: {{working-directory: {quoted}}}}}\n")
    };
    include_str!("github.yml").replace("    # folder\n", &folder).replace("      # run\n", run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workflow_is_yaml_wherever_the_project_lies() {
        for (is_crate, below) in [(true, ""), (false, ""), (true, "crates/a \"b\"")] {
            let text = render_workflow(is_crate, below);
            let source = arraign::__internals::place::Source::new("evals.yml", text.clone());
            let documents = arraign::__internals::yaml::Document::parse(&source).expect("YAML");
            let folder = documents[0].root().pointer("/jobs/evals/defaults/run/working-directory");
            assert_eq!(
                folder.and_then(arraign::__internals::yaml::Node::as_str).unwrap_or_default(),
                below,
                "{text}"
            );
            assert!(!text.contains("# folder") && !text.contains("# run"));
        }
    }
}
