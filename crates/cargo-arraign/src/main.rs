#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Each command is a file with a struct of its arguments. The method `run` executes the command.

mod accept;
mod calibrate;
mod compare;
mod completions;
mod editor;
mod error;
mod explain;
mod import;
mod init;
mod lint;
mod man;
mod new_file;
mod out;
mod report;
mod run;
mod schema;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use error::CliError;

/// Work with eval cases, traces and verdicts.
#[derive(Debug, Parser)]
#[command(name = "cargo-arraign", bin_name = "cargo arraign", version, propagate_version = true)]
#[command(after_help = "Exit codes: 0 all is well, 101 something failed, 2 the command itself is wrong.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Accept(accept::Accept),
    Calibrate(calibrate::Calibrate),
    Compare(compare::Compare),
    Completions(completions::Completions),
    Explain(explain::Explain),
    Import(import::Import),
    Init(init::Init),
    Lint(lint::Lint),
    Man(man::Man),
    Report(report::Report),
    Run(run::Run),
    Schema(schema::Schema),
}

fn main() -> ExitCode {
    let cli = Cli::parse_from(arguments(env::args_os()));
    let ended = match cli.command {
        Command::Accept(command) => command.run(),
        Command::Calibrate(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Import(command) => command.run(),
        Command::Init(command) => command.run(),
        Command::Lint(command) => command.run(),
        Command::Man(command) => command.run(),
        Command::Report(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Schema(command) => command.run(),
    };
    ended.unwrap_or_else(CliError::report)
}

/// Removes the word that cargo inserts: it starts `cargo-arraign arraign ...`.
fn arguments(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = given.collect();
    if arguments.get(1).is_some_and(|first| first == "arraign") {
        arguments.remove(1);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_contradict_each_other_nowhere() {
        Cli::command().debug_assert();
    }

    #[test]
    fn cargo_s_own_word_is_no_argument() {
        let given = |text: &str| arguments(text.split(' ').map(OsString::from)).len();
        assert_eq!((given("cargo-arraign arraign man"), given("cargo-arraign man")), (2, 2));
    }
}
