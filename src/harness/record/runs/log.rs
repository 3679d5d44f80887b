//! Reads the logs of verdicts of a run.
//!
//! A process that was killed, or a full disk, can leave a torn line anywhere in a log, because the next process continues the
//! log behind it. A torn line is no JSON. It is dropped and counted; a complete line that is not a verdict is an error.

use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{RunError, RunProblem};
use crate::json::{self, JsonError};
use crate::source::open_regular;
use crate::verdict::{SCHEMA_VERSION, Verdict};

/// The place of one verdict: a line of a log.
#[derive(Debug, Clone)]
pub(super) struct VerdictLine {
    log: Arc<Path>,
    offset: u64,
    length: u64,
}

/// The version of a line, which is read before its other fields: a later version can have renamed them.
#[derive(Deserialize)]
struct LineVersion {
    schema_version: u32,
}

/// Passes each verdict of the log at `path`, read as a `T`, to `add`. Returns the number of torn lines.
pub(super) fn read_log<T: DeserializeOwned>(
    path: &Path,
    mut add: impl FnMut(T, VerdictLine),
) -> Result<usize, RunError> {
    let unread = |error: io::Error| RunError::new(path, RunProblem::Unread(error.to_string()));
    let mut reader = BufReader::new(open_regular(path).map_err(unread)?);
    let log: Arc<Path> = path.into();
    let mut offset = 0_u64;
    let mut number = 0_usize;
    let mut torn = 0_usize;
    let mut bytes = Vec::new();
    // Offsets are counted in bytes of the file, so that a verdict can be read again from its place alone.
    loop {
        bytes.clear();
        let length = reader.read_until(b'\n', &mut bytes).map_err(unread)?;
        if length == 0 {
            return Ok(torn);
        }
        number += 1;
        let line = bytes.trim_ascii();
        if !line.is_empty() {
            match parse_line::<T>(line) {
                Ok(Some(head)) => {
                    add(head, VerdictLine { log: Arc::clone(&log), offset, length: length as u64 });
                }
                // A process that was killed leaves a torn line. It is counted, and the rest of the log is read.
                Ok(None) => torn += 1,
                Err(problem) => return Err(RunError::new(format!("{}:{number}", path.display()), problem)),
            }
        }
        offset += length as u64;
    }
}

/// Parses a line of a log; `None` if the line is torn.
fn parse_line<T: DeserializeOwned>(line: &[u8]) -> Result<Option<T>, RunProblem> {
    // From a text, as everywhere: serde code is generated once for each type and each kind of input.
    let Some(line) = std::str::from_utf8(line).ok().filter(|line| line.starts_with('{')) else {
        return Ok(None);
    };
    match json::from_str::<LineVersion>(line) {
        Ok(LineVersion { schema_version }) if schema_version > SCHEMA_VERSION => {
            Err(RunProblem::Newer(schema_version))
        }
        Ok(_) => json::from_str(line).map(Some).map_err(|error| describe_mismatch(&error)),
        Err(error) if error.is_data() => Err(describe_mismatch(&error)),
        Err(_) => Ok(None),
    }
}

/// Renders an error without its position, which is always on the first line of the text that was parsed.
fn describe_mismatch(error: &JsonError) -> RunProblem {
    let text = error.to_string();
    RunProblem::Broken(text.split(" at line 1 ").next().unwrap_or_default().to_owned())
}

impl VerdictLine {
    fn read_text(&self) -> io::Result<String> {
        let mut file = open_regular(&self.log)?;
        file.seek(SeekFrom::Start(self.offset))?;
        io::read_to_string(file.take(self.length))
    }

    /// Reads the whole verdict.
    pub(super) fn read_verdict(&self) -> Result<Verdict, RunError> {
        let line = self
            .read_text()
            .map_err(|error| RunError::new(&self.log, RunProblem::Unread(error.to_string())))?;
        json::from_str(&line).map_err(|error| RunError::new(&self.log, RunProblem::Broken(error.to_string())))
    }
}
