//! The formats that runs are written in.

use std::fmt::Write as _;

use arraign::__internals::report::plain::escape_line;
use arraign::__internals::write::{CannotWrite, Written, to_atif, to_openai_chat};
use arraign::Trace;
use arraign::reader::to_native;
use clap::ValueEnum;

use crate::error::print_to_stderr;

/// A format that runs are written in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TargetFormat {
    /// Harbor's Agent Trajectory Interchange Format, version 1.8.
    #[default]
    Atif,
    /// arraign's own form, which you can edit by hand.
    Native,
    /// A list of messages, as OpenAI's chat completions have them.
    OpenaiChat,
}

impl TargetFormat {
    /// The part of a file name that says the format.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Atif => "atif",
            Self::Native => "native",
            Self::OpenaiChat => "openai-chat",
        }
    }

    /// Writes the run as text, and lists in lines what is lost.
    pub(crate) fn write(self, run: &Trace) -> Result<(String, Vec<String>), CannotWrite> {
        let Written { text, losses, .. } = match self {
            Self::Atif => to_atif(run)?,
            Self::OpenaiChat => to_openai_chat(run)?,
            Self::Native => return Ok((to_native(run), Vec::new())),
        };
        Ok((text, losses.iter().map(ToString::to_string).collect()))
    }

    /// Prints on standard error what a run loses in the format, a line each.
    pub(crate) fn print_losses(self, named: &str, losses: &[String]) {
        if losses.is_empty() {
            return;
        }
        let mut lines = format!("{named}: not in {}:", self.name());
        for loss in losses {
            let _ = write!(lines, "\n  {}", escape_line(loss));
        }
        print_to_stderr(&lines);
    }
}
