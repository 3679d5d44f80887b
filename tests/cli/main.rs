//! The program `cargo arraign`, as a user runs it.

mod compare;
mod explain;
mod lint;
mod program;
