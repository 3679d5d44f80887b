//! The index of the runs in a trace file, so that each run can be built without the others.

use std::io::{BufRead, Seek};

use crate::reader::error::{TraceError, TraceProblem};
use crate::reader::large::cut::Cut;
use crate::reader::large::pieces::{Found, SplitError, Survey};
use crate::reader::{ReaderSet, Recording, named};
use crate::source::{DEFAULT_SIZE_LIMIT, decode};
use crate::trace::Trace;

/// The bytes of a file that are built in one batch. A single run may be larger.
const BATCH: u64 = 4 << 20;
/// The bytes of a batch in a file with mixed runs. Each batch then costs a walk through all of them, so batches are larger.
const MIXED: u64 = 32 << 20;
/// The most walks through a file with mixed runs.
const WALKS: u64 = 16;

/// The index of the runs in a trace file.
#[doc(hidden)]
#[derive(Debug)]
pub struct RunIndex {
    format: &'static str,
    /// Whether the user names the format.
    is_named: bool,
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

    /// Splits a file with the built-in readers; `None` if it must be read whole.
    pub(crate) fn cut(
        &self,
        file: &mut (impl BufRead + Seek),
        format: Option<&str>,
    ) -> Result<Option<Cut>, TraceError> {
        // The paths of a declared reader may lead anywhere in the file, so it cannot be cut.
        if format.is_some_and(|name| self.set.declares(name)) {
            return Ok(None);
        }
        Cut::of(file, format.map(named).transpose()?, &self.set)
    }
}

#[derive(Debug)]
enum RunPlaces {
    /// The file can be split, and its runs were found.
    Cut { cut: Box<Cut>, found: Vec<Found>, survey: Survey, batch: u64 },
    /// The file can only be read whole, and has this number of runs.
    Whole(usize),
}

impl RunIndex {
    /// Finds the runs of a file with the reader `format`, or else with the reader that is most certain about its beginning.
    /// If the runs had to be built to find them, they are returned as well.
    pub fn find(
        file: &mut (impl BufRead + Seek),
        format: Option<&str>,
        readers: TextReaders,
    ) -> Result<(Self, Vec<Trace>), TraceError> {
        let is_named = format.is_some();
        if let Some(cut) = readers.cut(file, format)? {
            match Self::surveyed(Box::new(cut), file, &readers) {
                Ok(index) => return Ok((Self { is_named, ..index }, Vec::new())),
                Err((cut, trouble)) => cut.in_record(trouble, file)?,
            }
        }
        let Recording { format, runs } = read_whole(file, format, &readers)?;
        Ok((Self { format, is_named, places: RunPlaces::Whole(runs.len()), readers }, runs))
    }

    /// Surveys a file. A file without runs is read whole, so that its reader reports the reason.
    fn surveyed(
        cut: Box<Cut>,
        file: &mut (impl BufRead + Seek),
        readers: &TextReaders,
    ) -> Result<Self, (Box<Cut>, SplitError)> {
        let mut found = Vec::new();
        match cut.survey(file, |run| found.push(run.found)) {
            Ok(_) if found.is_empty() => Err((cut, SplitError::Unsuited)),
            Ok(survey) => {
                let format = cut.reader.name;
                let batch = batch_of(&cut, &found);
                let places = RunPlaces::Cut { cut, found, survey, batch };
                Ok(Self { format, is_named: false, places, readers: readers.clone() })
            }
            Err(trouble) => Err((cut, trouble)),
        }
    }

    /// Reads all runs by the reader of the index. A name that nobody gave says nothing about the runs, so the reader is
    /// only named if the whole file looks like another format than its beginning.
    fn read_all(&self, file: &mut (impl BufRead + Seek)) -> Result<Vec<Trace>, TraceError> {
        if !self.is_named
            && let Ok(recording) = read_whole(file, None, &self.readers)
            && recording.format == self.format
        {
            return Ok(recording.runs);
        }
        Ok(read_whole(file, Some(self.format), &self.readers)?.runs)
    }

    /// The name of the reader.
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// Returns the number of runs.
    pub fn count_runs(&self) -> usize {
        match &self.places {
            RunPlaces::Cut { found, .. } => found.len(),
            RunPlaces::Whole(count) => *count,
        }
    }

    /// Builds the run with this number, from 0, and the runs after it in the same batch.
    pub fn read_from(
        &self,
        file: &mut (impl BufRead + Seek),
        number: usize,
    ) -> Result<Vec<Trace>, TraceError> {
        if let RunPlaces::Cut { cut, found, survey, batch } = &self.places {
            match read_batch(cut, file, together(found, number, *batch, cut.pieces.together), *survey) {
                Ok(runs) => return runs,
                Err(trouble) => cut.in_record(trouble, file)?,
            }
        }
        // The file cannot be split after all. It is read whole, and the runs before the wanted one are dropped.
        let mut runs = self.read_all(file)?;
        let count = runs.len();
        if number < count {
            return Ok(runs.split_off(number));
        }
        Err(TraceProblem::NoSuchRun { wanted: (number + 1).to_string(), count, ids: Vec::new() }.into())
    }
}

/// Builds a batch of runs. An error in one run must not hide the runs before it, so after an error the batch is halved until
/// it is read or consists of the broken run alone.
fn read_batch(
    cut: &Cut,
    file: &mut (impl BufRead + Seek),
    mut batch: &[Found],
    survey: Survey,
) -> Result<Result<Vec<Trace>, TraceError>, SplitError> {
    // Halving, rather than reading run by run, keeps a batch without errors at one walk. A batch with a broken run
    // costs one more walk for each halving, and `Runs` asks for the remaining runs in the next batch.
    loop {
        let read = cut.read(file, batch, survey)?;
        if read.is_ok() || batch.len() < 2 {
            return Ok(read.map(|recording| recording.runs));
        }
        batch = &batch[..batch.len() / 2];
    }
}

/// Returns the runs from this number on that have at most `most` bytes together, but at least one run.
fn together(found: &[Found], number: usize, most: u64, runs: usize) -> &[Found] {
    // The first run always fits, even alone above the limit: otherwise a large run would never be read.
    let rest = found.get(number..).unwrap_or_default();
    let mut size = 0_u64;
    let fit = rest.iter().take(runs).take_while(|run| {
        size = size.saturating_add(run.size());
        size <= most
    });
    let count = fit.count().max(1).min(rest.len());
    &rest[..count]
}

/// Returns the size of a batch in bytes.
fn batch_of(cut: &Cut, found: &[Found]) -> u64 {
    // Runs are mixed if one begins before the previous one has ended. A batch then walks over the pieces of all other
    // runs in between, so the batch grows with the file and the number of walks stays at `WALKS`.
    let mixed = !cut.pieces.are_in_order() && found.windows(2).any(|pair| pair[1].begins_within(&pair[0]));
    let size: u64 = found.iter().map(Found::size).sum();
    if mixed { MIXED.max(size / WALKS) } else { BATCH }
}

/// Reads the whole file.
pub(crate) fn read_whole(
    file: &mut (impl BufRead + Seek),
    format: Option<&str>,
    readers: &TextReaders,
) -> Result<Recording, TraceError> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    let decoded = decode(&bytes, DEFAULT_SIZE_LIMIT);
    let decoded = decoded.map_err(|problem| TraceProblem::Unreadable(problem.to_string()))?;
    let text = String::from_utf8(decoded.unwrap_or(bytes));
    let text = text.map_err(|error| TraceProblem::NotUtf8(error.utf8_error().valid_up_to() as u64))?;
    (readers.read_text)(&readers.set, &text, format)
}
