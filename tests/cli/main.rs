//! The program `cargo arraign`, as a user runs it.

mod init;
mod program;
