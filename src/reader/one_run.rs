//! One run of a file, by its id or its number: the other runs are passed over where the format's files can be cut.

use std::io::{BufRead, Seek, SeekFrom};

use super::error::{TraceError, TraceProblem};
use super::input::{At, Input};
use super::pieces::{Found, Head, Kept, Pieces, Trouble, keep, mistake, survey};
use super::{Reader, Recording, named, read, read_by, surest};

/// Reads the run called `wanted` out of a trace file, by the reader called `format` or else by the one that is surest of
/// how the file begins: the run with this id, or else of this number, from 1.
///
/// Of a log of many runs, no more is held in memory than this run. What is wrong with another run does not matter,
/// unless it is not JSON.
pub fn read_run(
    file: &mut (impl BufRead + Seek),
    format: Option<&str>,
    wanted: &str,
) -> Result<Recording, TraceError> {
    let named = format.map(named).transpose()?;
    file.rewind()?;
    if let Some(cut) = Cut::of(file, named)? {
        match cut.run(file, wanted) {
            Ok(recording) => return recording,
            Err(Trouble::Io(error)) => return Err(error.into()),
            Err(Trouble::Unsuited) => {}
            Err(Trouble::Broken) => {
                mistake(file, cut.lines, cut.offset)?.map_or(Ok(()), Err)?;
            }
        }
    }
    read_whole(file, format, wanted)
}

/// A file that is all built, and all but one run of it dropped.
fn read_whole(
    file: &mut (impl BufRead + Seek),
    format: Option<&str>,
    wanted: &str,
) -> Result<Recording, TraceError> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes)
        .map_err(|error| TraceProblem::NotUtf8(error.utf8_error().valid_up_to() as u64))?;
    let Recording { format, runs } = read(&text, format)?;
    let mut choice = Choice::of(wanted);
    for run in runs {
        choice.offer(run.id.clone().as_deref(), run);
    }
    Ok(Recording { format, runs: vec![choice.made()?] })
}

/// How a file is cut.
#[derive(Debug)]
struct Cut {
    reader: Reader,
    pieces: Pieces,
    lines: bool,
    offset: u64,
}

impl Cut {
    /// `None` where a file has to be read whole: for what it is, or to say what is wrong with it.
    fn of(file: &mut impl BufRead, named: Option<Reader>) -> Result<Option<Self>, TraceError> {
        let Some(head) = Head::read(file)? else { return Ok(None) };
        let Ok(input) = Input::parse(&head.text) else { return Ok(None) };
        let reader = match named {
            Some(reader) => reader,
            None => match surest(&input).as_deref() {
                Ok([only]) => *only,
                _ => return Ok(None),
            },
        };
        let pieces = reader.cuts.pieces(&input);
        let Head { lines, offset, .. } = head;
        Ok(pieces.map(|pieces| Self { reader, pieces, lines, offset }))
    }

    fn run(
        &self,
        file: &mut (impl BufRead + Seek),
        wanted: &str,
    ) -> Result<Result<Recording, TraceError>, Trouble> {
        let mut choice = Choice::of(wanted);
        file.seek(SeekFrom::Start(self.offset))?;
        let records = survey(&mut *file, self.lines, self.pieces, self.offset, |run| {
            choice.offer(run.id.as_deref(), run.found);
        })?;
        match choice.made() {
            Ok(found) => self.read(file, found, records),
            Err(error) => Ok(Err(error)),
        }
    }

    fn read(
        &self,
        file: &mut (impl BufRead + Seek),
        found: Found,
        records: usize,
    ) -> Result<Result<Recording, TraceError>, Trouble> {
        let mut kept = keep(file, self.lines, self.pieces, found)?;
        if let ([Kept { at: at @ At::Line(_), .. }], 1) = (kept.as_mut_slice(), records) {
            *at = At::Whole;
        }
        let input = Input::of_kept(&kept).map_err(|_| Trouble::Broken)?;
        let recording = read_by(&self.reader, input);
        // A file that its reader reads otherwise than it is cut.
        let is_one = recording.as_ref().map_or(true, |recording| recording.runs.len() == 1);
        if is_one { Ok(recording) } else { Err(Trouble::Unsuited) }
    }
}

/// Which of many runs it is: an id comes before a number.
#[derive(Debug)]
pub(super) struct Choice<'w, T> {
    wanted: &'w str,
    number: Option<usize>,
    count: usize,
    by_id: Option<T>,
    by_number: Option<T>,
}

impl<'w, T> Choice<'w, T> {
    pub(super) fn of(wanted: &'w str) -> Self {
        Self { wanted, number: wanted.parse().ok(), count: 0, by_id: None, by_number: None }
    }

    /// The next run of the file.
    pub(super) fn offer(&mut self, id: Option<&str>, run: T) {
        self.count += 1;
        if self.by_id.is_none() && id == Some(self.wanted) {
            self.by_id = Some(run);
        } else if self.number == Some(self.count) {
            self.by_number = Some(run);
        }
    }

    pub(super) fn made(self) -> Result<T, TraceError> {
        let Self { wanted, count, by_id, by_number, .. } = self;
        let missing = || TraceProblem::NoSuchRun { wanted: wanted.to_owned(), count };
        by_id.or(by_number).ok_or_else(|| missing().into())
    }
}
