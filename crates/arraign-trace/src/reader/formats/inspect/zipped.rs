//! Zipped traces: of all formats, Inspect's alone.

use std::io::{Read, Seek};
use std::ops::Range;

use crate::reader::Recording;
use crate::reader::error::TraceError;
use crate::reader::formats::inspect::{Archive, READER};
use crate::reader::large::one_run::Choice;
use crate::trace::Trace;

/// Reads a zipped log, of which at most `limit` bytes are unpacked: all its runs, or the one called `wanted`, as
/// [`crate::reader::read_run`] does.
pub fn read_zipped(
    file: &mut (impl Read + Seek),
    wanted: Option<&str>,
    limit: u64,
) -> Result<Recording, TraceError> {
    let mut runs = zipped_runs(file, limit)?;
    if let Some(wanted) = wanted {
        let mut choice = Choice::of(wanted);
        runs.archive.ids().iter().enumerate().for_each(|(place, id)| choice.offer(Some(id), place));
        let place = choice.made()?;
        runs.places = place..place + 1;
    }
    Ok(Recording { format: runs.format(), runs: runs.collect::<Result<_, _>>()? })
}

/// Reads the runs of a zipped log one after the other, as [`runs`](crate::reader::runs) does: each is unpacked when its
/// turn comes, and all of them to at most `limit` bytes.
pub fn zipped_runs<R: Read + Seek>(file: R, limit: u64) -> Result<ZippedRuns<R>, TraceError> {
    let archive = Archive::open(file, limit)?;
    let places = 0..archive.ids().len();
    Ok(ZippedRuns { archive, places })
}

/// The runs of a zipped log: see [`zipped_runs`].
pub struct ZippedRuns<R> {
    archive: Archive<R>,
    places: Range<usize>,
}

impl<R> ZippedRuns<R> {
    /// The name of the reader that reads them.
    pub fn format(&self) -> &'static str {
        READER.name
    }
}

impl<R: Read + Seek> Iterator for ZippedRuns<R> {
    type Item = Result<Trace, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let run = self.places.next().map(|place| self.archive.run(place))?;
        if run.is_err() {
            self.places = 0..0;
        }
        Some(run)
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.places.start = self.places.start.saturating_add(n).min(self.places.end);
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl<R: Read + Seek> ExactSizeIterator for ZippedRuns<R> {}
