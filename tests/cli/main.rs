//! The program `cargo arraign`, as a user runs it.

mod accept;
mod compare;
mod explain;
mod import;
mod init;
mod lint;
mod mistakes;
mod package;
mod program;
#[cfg(all(unix, feature = "live"))]
mod progress;
mod report;
mod run;
