//! `cargo arraign completions SHELL`.

use std::io;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Cli;
use crate::stop::{Ended, written};

/// Print the completions of a shell.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell that they are for.
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Ended {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "cargo-arraign", &mut text);
        written(io::Write::write_all(&mut io::stdout(), &text))
    }
}
