//! The program `cargo arraign`, as a user runs it.

mod accept;
mod package;
mod program;
mod report;
mod run;
