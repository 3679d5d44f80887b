//! The program `cargo arraign`, as a user runs it.

mod compare;
mod explain;
mod import;
mod init;
mod lint;
mod program;
