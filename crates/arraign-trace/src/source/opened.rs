//! A file that is read in pieces: for a trace too large to be held as one text.

use std::io::{BufRead, BufReader, Cursor, Seek};
use std::path::Path;

use super::encoding::{decode, is_encoded};
use super::{FileOpener, ReadError, ReadProblem, ZIP, problem_of};

/// The size of the part of a file that is held in memory.
const BUFFER: usize = 256 << 10;

/// A file that is read forwards, and again from any place.
pub trait Opened: BufRead + Seek {}

impl<T: BufRead + Seek> Opened for T {}

impl FileOpener {
    /// Opens a file of text to read it in pieces.
    pub fn open(&self, path: &Path) -> Result<Box<dyn Opened>, ReadError> {
        let mut opened = self.open_packed(path)?;
        let head = opened.fill_buf().map_err(|error| self.read_error(path, problem_of(&error)))?;
        if head.starts_with(ZIP) {
            return Err(self.read_error(path, ReadProblem::Zipped));
        }
        if is_encoded(head) {
            // It cannot be read from any place, so its text is held.
            let mut bytes = Vec::new();
            opened.read_to_end(&mut bytes).map_err(|error| self.read_error(path, problem_of(&error)))?;
            let decoded =
                decode(&bytes, self.size_limit()).map_err(|problem| self.read_error(path, problem))?;
            return Ok(Box::new(Cursor::new(decoded.unwrap_or(bytes))));
        }
        Ok(opened)
    }

    /// Opens a file that may be an archive.
    pub fn open_packed(&self, path: &Path) -> Result<Box<dyn Opened>, ReadError> {
        let (file, _) = self.open_file(path)?;
        Ok(Box::new(BufReader::with_capacity(BUFFER, file)))
    }
}
