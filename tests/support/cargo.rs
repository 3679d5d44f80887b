//! Cargo, started by a test.

use std::process::Command;

/// What cargo tells a test of its package. Build scripts look at it (that of `ring` does): passed on, it would have
/// their packages built again.
const OF_THIS_PACKAGE: &[&str] = &["CARGO_CRATE_", "CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_PRIMARY_"];

/// Variables that change what the harness, insta or a runner of tests does.
const OF_THE_RUN: &[&str] = &["NEXTEST", "ARRAIGN_", "INSTA_", "RUST_TEST_"];

/// A command of cargo in this package's folder, as a shell would start it.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    remove_foreign(&mut command);
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// Removes what the runner of this very test set.
pub(crate) fn remove_foreign(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if OF_THIS_PACKAGE.iter().chain(OF_THE_RUN).any(|prefix| text.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
}
