//! Why a command cannot do its work, and how it says so.

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;

use arraign::__internals::report::plain::plain;

/// What a command looked at has failed: its exit code.
pub(crate) const FAILED: u8 = 101;

/// The command itself is wrong, or what it was given cannot be read: exit code 2.
#[derive(Debug)]
pub(crate) struct Stop(String);

/// How a command ends that could do its work: 0, or 101 where what it looked at has failed.
pub(crate) type Ended = Result<ExitCode, Stop>;

impl Stop {
    /// `why`: what is wrong, and what to do.
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }

    /// Tells it on stderr.
    pub(crate) fn tell(self) -> ExitCode {
        say(&format!("error: {}", plain(&self.0)));
        ExitCode::from(2)
    }
}

/// Says it on stderr, where nobody may be listening.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Where the reader of stdout has gone, nobody is left to be told.
pub(crate) fn written(result: io::Result<()>) -> Ended {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

impl<E: Error> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}
