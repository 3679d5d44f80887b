#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Each command is a file with a struct of its arguments. The method `run` executes the command.

mod accept;
#[cfg(feature = "mocks")]
mod attack;
mod calibrate;
mod case_edit;
mod command_groups;
mod compare;
mod completions;
mod convert;
mod editor;
mod error;
mod explain;
mod file_options;
mod from_trace;
mod history;
mod ide;
mod import;
mod init;
mod lint;
mod lsp;
mod man;
#[cfg(feature = "mocks")]
mod mcp;
mod mutants;
mod mutate;
mod new_file;
mod out;
#[cfg(feature = "model")]
mod record;
mod report;
mod run;
mod schema;
mod target_format;
mod yaml_writer;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use command_groups::group_commands;
use error::CliError;

/// Work with eval cases, traces and verdicts.
#[derive(Debug, Parser)]
#[command(name = "cargo-arraign", bin_name = "cargo arraign", version, propagate_version = true)]
#[command(after_help = "Exit codes: 0 success, 101 something failed, 2 the command itself is wrong.")]
struct Cli {
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    Accept(accept::Accept),
    #[cfg(feature = "mocks")]
    Attack(attack::Attack),
    Calibrate(calibrate::Calibrate),
    Compare(compare::Compare),
    Completions(completions::Completions),
    Convert(convert::Convert),
    Explain(explain::Explain),
    FromTrace(from_trace::FromTrace),
    History(history::History),
    Ide(ide::Ide),
    Import(import::Import),
    Init(init::Init),
    Lint(lint::Lint),
    Lsp(lsp::Lsp),
    Man(man::Man),
    #[cfg(feature = "mocks")]
    Mcp(mcp::Mcp),
    Mutate(mutate::Mutate),
    #[cfg(feature = "model")]
    Record(record::Record),
    Report(report::Report),
    Run(run::Run),
    Schema(schema::Schema),
}

fn main() -> ExitCode {
    let matches = group_commands(Cli::command()).get_matches_from(drop_cargo_word(env::args_os()));
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let result = match cli.command {
        CliCommand::Accept(command) => command.run(),
        #[cfg(feature = "mocks")]
        CliCommand::Attack(command) => command.run(),
        CliCommand::Calibrate(command) => command.run(),
        CliCommand::Compare(command) => command.run(),
        CliCommand::Completions(command) => command.run(),
        CliCommand::Convert(command) => command.run(),
        CliCommand::Explain(command) => command.run(),
        CliCommand::FromTrace(command) => command.run(),
        CliCommand::History(command) => command.run(),
        CliCommand::Ide(command) => command.run(),
        CliCommand::Import(command) => command.run(),
        CliCommand::Init(command) => command.run(),
        CliCommand::Lint(command) => command.run(),
        CliCommand::Lsp(command) => command.run(),
        CliCommand::Man(command) => command.run(),
        #[cfg(feature = "mocks")]
        CliCommand::Mcp(command) => command.run(),
        CliCommand::Mutate(command) => command.run(),
        #[cfg(feature = "model")]
        CliCommand::Record(command) => command.run(),
        CliCommand::Report(command) => command.run(),
        CliCommand::Run(command) => command.run(),
        CliCommand::Schema(command) => command.run(),
    };
    result.unwrap_or_else(CliError::report)
}

/// Removes the word that cargo inserts: for `cargo arraign lint`, it runs `cargo-arraign arraign lint`.
fn drop_cargo_word(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    // Run by its own name, the program gets no such word.
    if arguments.get(1).is_some_and(|first| first == "arraign") {
        arguments.remove(1);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_arguments_is_valid() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_word_that_cargo_inserts_is_no_argument() {
        for text in ["cargo-arraign arraign man", "cargo-arraign man"] {
            assert_eq!(drop_cargo_word(text.split(' ').map(OsString::from)).len(), 2, "{text}");
        }
    }
}
