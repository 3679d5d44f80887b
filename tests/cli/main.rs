//! The program `cargo arraign`, as a user runs it.

mod accept;
mod compare;
mod explain;
mod import;
mod init;
mod lint;
mod package;
mod program;
mod report;
mod run;
