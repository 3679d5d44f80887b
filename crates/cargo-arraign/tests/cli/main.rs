//! The program `cargo arraign`, as a user runs it.

mod accept;
#[cfg(all(unix, feature = "mocks"))]
mod attack;
#[cfg(unix)]
mod book;
mod bug_reports;
#[cfg(feature = "http")]
mod calibrate;
mod compare;
mod convert;
mod declared;
mod explain;
mod first_mistakes;
#[path = "../../../../tests/support/folder.rs"]
mod folder;
#[path = "../../../../tests/support/foreign.rs"]
mod foreign;
mod from_trace;
mod history;
mod import;
mod import_promptfoo;
mod import_verdicts;
mod init;
mod lint;
mod lsp;
#[cfg(all(unix, feature = "mocks"))]
mod mcp;
mod mistakes;
mod mutate;
mod mutate_fix;
#[cfg(unix)]
mod not_a_trace;
mod package;
mod program;
#[cfg(all(unix, feature = "live"))]
mod progress;
#[cfg(all(unix, feature = "model"))]
mod record;
mod report;
mod run;
#[cfg(feature = "http")]
#[path = "../../../../tests/support/server.rs"]
#[expect(dead_code, reason = "the client's own claims need more of it")]
mod server;
mod shards;

use std::path::PathBuf;

/// A folder of the repository, named from its root.
fn locate_in_repository(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)
}
