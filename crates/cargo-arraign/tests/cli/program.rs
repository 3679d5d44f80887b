//! Running the program in a folder of its own.

use std::path::Path;
use std::process::{Command, Output};

use crate::folder::resolve_links;

/// What a run of the program left.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `cargo arraign ARGUMENTS` in `folder`, whose path is shown as `DIR`.
pub(crate) fn arraign(folder: &Path, arguments: &[&str]) -> Ran {
    let program = env!("CARGO_BIN_EXE_cargo-arraign");
    let Output { status, stdout, stderr } = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env_remove("CARGO_MANIFEST_DIR")
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("ARRAIGN_OUT")
        .output()
        .expect("the program runs");
    let real = resolve_links(folder);
    let shown = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("UTF-8");
        text.replace(&*real.to_string_lossy(), "DIR").replace(&*folder.to_string_lossy(), "DIR")
    };
    Ran { code: status.code(), stdout: shown(stdout), stderr: shown(stderr) }
}

/// Holds what a user sees to the snapshot `name`.
pub(crate) fn pin(name: &str, shown: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}
