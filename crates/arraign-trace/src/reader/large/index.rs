//! Where the runs of a trace file are, so that each can be built without the others.

use std::io::{BufRead, Seek};

use crate::reader::error::{TraceError, TraceProblem};
use crate::reader::large::cut::Cut;
use crate::reader::large::pieces::{Found, SplitError};
use crate::reader::{ReaderSet, Recording, named};
use crate::trace::Trace;

/// How many bytes of a file are built together, unless one run alone has more.
const BATCH: u64 = 4 << 20;
/// Where runs are mixed with one another, each batch costs a walk through all of them: then more is built together, ...
const MIXED: u64 = 32 << 20;
/// ... and there are no more than so many walks.
const WALKS: u64 = 16;

/// Where the runs of a trace file are.
#[doc(hidden)]
#[derive(Debug)]
pub struct RunIndex {
    format: &'static str,
    places: RunPlaces,
    readers: TextReaders,
}

/// The readers of a trace file, and the function by which they read the text of a whole file.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct TextReaders {
    /// The readers.
    pub set: ReaderSet,
    /// Reads a text, as [`ReaderSet::read`] does.
    pub read_text: ReadText,
}

/// Reads the text of a whole trace file, as [`ReaderSet::read`] does.
pub type ReadText = fn(&ReaderSet, &str, Option<&str>) -> Result<Recording, TraceError>;

impl TextReaders {
    /// The built-in readers.
    pub fn built_in() -> Self {
        Self { set: ReaderSet::default(), read_text: ReaderSet::read }
    }

    /// The cut of a file, by the built-in readers; `None` where it has to be read whole.
    pub(crate) fn cut(
        &self,
        file: &mut (impl BufRead + Seek),
        format: Option<&str>,
    ) -> Result<Option<Cut>, TraceError> {
        if format.is_some_and(|name| self.set.declares(name)) {
            return Ok(None);
        }
        Cut::of(file, format.map(named).transpose()?, &self.set)
    }
}

#[derive(Debug)]
enum RunPlaces {
    /// The file can be split, and its runs were found.
    Cut { cut: Box<Cut>, found: Vec<Found>, records: usize, batch: u64 },
    /// The file can only be read whole, and has this number of runs.
    Whole(usize),
}

impl RunIndex {
    /// Looks for the runs of a file, by the reader called `format` or else by the one that is surest of how the file
    /// begins. Where that could only be found out by building them, they come with it.
    pub fn find(
        file: &mut (impl BufRead + Seek),
        format: Option<&str>,
        readers: TextReaders,
    ) -> Result<(Self, Vec<Trace>), TraceError> {
        if let Some(cut) = readers.cut(file, format)? {
            match Self::surveyed(Box::new(cut), file, &readers) {
                Ok(index) => return Ok((index, Vec::new())),
                Err((cut, trouble)) => cut.in_record(trouble, file)?,
            }
        }
        let Recording { format, runs } = read_whole(file, format, &readers)?;
        Ok((Self { format, places: RunPlaces::Whole(runs.len()), readers }, runs))
    }

    /// A file in which no run is found is left to its reader, which says so.
    fn surveyed(
        cut: Box<Cut>,
        file: &mut (impl BufRead + Seek),
        readers: &TextReaders,
    ) -> Result<Self, (Box<Cut>, SplitError)> {
        let mut found = Vec::new();
        match cut.survey(file, |run| found.push(run.found)) {
            Ok(_) if found.is_empty() => Err((cut, SplitError::Unsuited)),
            Ok(records) => {
                let (format, batch) = (cut.reader.name, batch_of(&cut, &found));
                let places = RunPlaces::Cut { cut, found, records, batch };
                Ok(Self { format, places, readers: readers.clone() })
            }
            Err(trouble) => Err((cut, trouble)),
        }
    }

    /// The name of the reader.
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// How many runs there are.
    pub fn count_runs(&self) -> usize {
        match &self.places {
            RunPlaces::Cut { found, .. } => found.len(),
            RunPlaces::Whole(count) => *count,
        }
    }

    /// The run of this number, from 0, and as many of those after it as are built together with it.
    pub fn read_from(
        &self,
        file: &mut (impl BufRead + Seek),
        number: usize,
    ) -> Result<Vec<Trace>, TraceError> {
        if let RunPlaces::Cut { cut, found, records, batch } = &self.places {
            match read_batch(cut, file, together(found, number, *batch, cut.pieces.together), *records) {
                Ok(runs) => return runs,
                Err(trouble) => cut.in_record(trouble, file)?,
            }
        }
        let mut runs = read_whole(file, Some(self.format), &self.readers)?.runs;
        let count = runs.len();
        if number < count {
            return Ok(runs.split_off(number));
        }
        Err(TraceProblem::NoSuchRun { wanted: (number + 1).to_string(), count, ids: Vec::new() }.into())
    }
}

/// What is wrong with a run must not be the end of one before it: then less is read together.
fn read_batch(
    cut: &Cut,
    file: &mut (impl BufRead + Seek),
    mut batch: &[Found],
    records: usize,
) -> Result<Result<Vec<Trace>, TraceError>, SplitError> {
    loop {
        let read = cut.read(file, batch, records)?;
        if read.is_ok() || batch.len() < 2 {
            return Ok(read.map(|recording| recording.runs));
        }
        batch = &batch[..batch.len() / 2];
    }
}

/// So many runs from this number on as have no more than `most` bytes together: one, at least.
fn together(found: &[Found], number: usize, most: u64, runs: usize) -> &[Found] {
    let rest = found.get(number..).unwrap_or_default();
    let mut size = 0_u64;
    let fit = rest.iter().take(runs).take_while(|run| {
        size = size.saturating_add(run.size());
        size <= most
    });
    let count = fit.count().max(1).min(rest.len());
    &rest[..count]
}

/// How many bytes are built together.
fn batch_of(cut: &Cut, found: &[Found]) -> u64 {
    let mixed = !cut.pieces.are_in_order() && found.windows(2).any(|pair| pair[1].begins_within(&pair[0]));
    let size: u64 = found.iter().map(Found::size).sum();
    if mixed { MIXED.max(size / WALKS) } else { BATCH }
}

/// All runs of a file, built.
pub(crate) fn read_whole(
    file: &mut (impl BufRead + Seek),
    format: Option<&str>,
    readers: &TextReaders,
) -> Result<Recording, TraceError> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes)
        .map_err(|error| TraceProblem::NotUtf8(error.utf8_error().valid_up_to() as u64))?;
    (readers.read_text)(&readers.set, &text, format)
}
