//! `cargo arraign man`.

use std::io;

use clap::{Args, CommandFactory};

use crate::Cli;
use crate::error::{CliResult, exit_after_write};

/// Print the manual page, for `cargo arraign man > cargo-arraign.1`.
#[derive(Debug, Args)]
pub(crate) struct Man {}

impl Man {
    #[expect(clippy::unused_self, reason = "every command is run the same way")]
    pub(crate) fn run(self) -> CliResult {
        exit_after_write(clap_mangen::Man::new(Cli::command()).render(&mut io::stdout()))
    }
}
