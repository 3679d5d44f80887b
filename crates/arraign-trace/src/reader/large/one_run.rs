//! Reads one run of a file by its id or number, without the others if files of the format can be split.

use std::io::{BufRead, Seek};

use crate::reader::Recording;
use crate::reader::error::{TraceError, TraceProblem};
use crate::reader::large::cut::Cut;
use crate::reader::large::index::{TextReaders, read_whole};
use crate::reader::large::pieces::SplitError;
use crate::trace::Trace;

/// Reads the run `wanted` of a trace file: the run with this id, or else with this number, from 1. The reader is `format`, or
/// else the one that is most certain about the beginning of the file.
///
/// Only this run of a log is held in memory. Errors in other runs do not matter, unless they are not JSON.
pub fn read_run(
    file: &mut (impl BufRead + Seek),
    format: Option<&str>,
    wanted: &str,
) -> Result<Recording, TraceError> {
    read_run_with(file, format, wanted, &TextReaders::built_in())
}

/// Like [`read_run`], with the given readers.
#[doc(hidden)]
pub fn read_run_with(
    file: &mut (impl BufRead + Seek),
    format: Option<&str>,
    wanted: &str,
    readers: &TextReaders,
) -> Result<Recording, TraceError> {
    // A file that can be split is not read whole for one of its runs. Any trouble with that falls back to the whole
    // file, which has the last word.
    if let Some(cut) = readers.cut(file, format)? {
        match read_cut(&cut, file, wanted) {
            Ok(recording) => return recording,
            Err(trouble) => cut.in_record(trouble, file)?,
        }
    }
    let Recording { format, runs } = read_whole(file, format, readers)?;
    Ok(Recording { format, runs: vec![choose_run(runs, wanted)?] })
}

/// Chooses the run with this id, or else with this number, from 1.
#[doc(hidden)]
pub fn choose_run(runs: Vec<Trace>, wanted: &str) -> Result<Trace, TraceError> {
    let mut choice = Choice::of(wanted);
    for run in runs {
        choice.offer(run.id.clone().as_deref(), run);
    }
    choice.made()
}

fn read_cut(
    cut: &Cut,
    file: &mut (impl BufRead + Seek),
    wanted: &str,
) -> Result<Result<Recording, TraceError>, SplitError> {
    let mut choice = Choice::of(wanted);
    let survey = cut.survey(file, |run| choice.offer(run.id.as_deref(), run.found))?;
    match choice.made() {
        Ok(found) => cut.read(file, &[found], survey),
        Err(error) => Ok(Err(error)),
    }
}

/// The choice of one run among many. A run with the wanted id is preferred to the run with that number.
#[derive(Debug)]
pub(crate) struct Choice<'w, T> {
    wanted: &'w str,
    number: Option<usize>,
    count: usize,
    by_id: Option<T>,
    by_number: Option<T>,
    /// The first ids, for the message about a run that is not there.
    ids: Vec<String>,
}

/// The largest number of ids in a message.
const MAX_LISTED_IDS: usize = 12;

impl<'w, T> Choice<'w, T> {
    pub(crate) fn of(wanted: &'w str) -> Self {
        Self { wanted, number: wanted.parse().ok(), count: 0, by_id: None, by_number: None, ids: Vec::new() }
    }

    /// Offers the next run of the file.
    pub(crate) fn offer(&mut self, id: Option<&str>, run: T) {
        self.count += 1;
        if self.ids.len() < MAX_LISTED_IDS {
            self.ids.extend(id.map(str::to_owned));
        }
        // An id is preferred to a number, as an id may be a number.
        if self.by_id.is_none() && id == Some(self.wanted) {
            self.by_id = Some(run);
        } else if self.number == Some(self.count) {
            self.by_number = Some(run);
        }
    }

    pub(crate) fn made(self) -> Result<T, TraceError> {
        let Self { wanted, count, by_id, by_number, ids, .. } = self;
        by_id
            .or(by_number)
            .ok_or_else(|| TraceProblem::NoSuchRun { wanted: wanted.to_owned(), count, ids }.into())
    }
}
