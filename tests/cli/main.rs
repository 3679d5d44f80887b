//! The program `cargo arraign`, as a user runs it.

mod import;
mod init;
mod program;
