//! `cargo arraign completions SHELL`.

use std::io;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Cli;
use crate::error::{CliResult, exit_after_write};

/// Print completions for a shell.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> CliResult {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "cargo-arraign", &mut text);
        exit_after_write(io::Write::write_all(&mut io::stdout(), &text))
    }
}
