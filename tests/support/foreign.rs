//! The variables that the runner of these very tests sets.

use std::process::Command;

/// The beginnings of the names of variables that change what the harness, the program or insta does.
const FOREIGN: &[&str] = &[
    "ARRAIGN_",
    "NEXTEST",
    "GITHUB_",
    "INSTA_",
    "RUST_TEST_",
    "CI",
    "TF_BUILD",
    "TEST_",
    "XML_OUTPUT",
    "CIRCLE_",
    "BUILDKITE_",
    "SYSTEM_",
    "CARGO_",
];

/// Removes these variables from the environment of `command`.
pub(crate) fn remove_foreign_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if FOREIGN.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
}
