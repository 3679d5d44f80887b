//! An iterator over the runs of a file of any size.

use std::collections::VecDeque;
use std::io::{BufRead, Seek};
use std::sync::Arc;

use crate::reader::error::TraceError;
use crate::reader::large::index::{RunIndex, TextReaders};
use crate::trace::Trace;

/// Reads the runs of a trace file one after the other. The reader is `format`, or else the one that is most certain about
/// the beginning of the file.
///
/// A first pass finds the places of the runs. Then each run is built when it is its turn, a few megabytes of the file at a
/// time, so memory depends on the largest run and hardly on their number. Runs that [`Iterator::nth`] or
/// [`Iterator::skip`] skip are not built. A file that cannot be split into runs, such as a stream of events, is read whole.
///
/// An error in a run is returned when it is its turn, and ends the iterator. A text in memory is read faster by
/// [`crate::reader::read`].
///
/// ```
/// use std::io::Cursor;
///
/// // A file on a disk: `BufReader::new(File::open(path)?)`.
/// let file = Cursor::new(
///     r#"{"id": "a", "steps": [{"user": "hi"}, {"call": "look"}, {"say": "one"}]}
///        {"id": "b", "steps": [{"user": "hi"}, {"say": "two"}]}"#,
/// );
/// let runs = arraign_trace::reader::runs(file, None)?;
/// assert_eq!((runs.format(), runs.len()), ("native", 2));
/// for run in runs {
///     let run = run?;
///     println!("{:?} calls {} tools", run.id, run.calls.len());
/// }
/// # Ok::<(), arraign_trace::reader::TraceError>(())
/// ```
pub fn runs<R: BufRead + Seek>(file: R, format: Option<&str>) -> Result<Runs<R>, TraceError> {
    runs_with(file, format, TextReaders::built_in())
}

/// Like [`runs`], with the given readers.
#[doc(hidden)]
pub fn runs_with<R: BufRead + Seek>(
    mut file: R,
    format: Option<&str>,
    readers: TextReaders,
) -> Result<Runs<R>, TraceError> {
    let (index, built) = RunIndex::find(&mut file, format, readers)?;
    Ok(Runs { file, index: Arc::new(index), next: built.len(), ready: built.into() })
}

/// The runs of a trace file: see [`runs`].
#[derive(Debug)]
pub struct Runs<R> {
    file: R,
    index: Arc<RunIndex>,
    /// Runs that are already built.
    ready: VecDeque<Trace>,
    /// The number of the run after those, from 0.
    next: usize,
}

impl<R> Runs<R> {
    /// The runs of a file that was looked through before.
    #[doc(hidden)]
    pub fn of(file: R, index: Arc<RunIndex>) -> Self {
        Self { file, index, ready: VecDeque::new(), next: 0 }
    }

    /// The name of the reader that reads them.
    pub fn format(&self) -> &'static str {
        self.index.format()
    }

    fn left(&self) -> usize {
        self.ready.len() + self.index.count_runs().saturating_sub(self.next)
    }
}

impl<R: BufRead + Seek> Iterator for Runs<R> {
    type Item = Result<Trace, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ready.is_empty() && self.next < self.index.count_runs() {
            match self.index.read_from(&mut self.file, self.next) {
                Ok(runs) => {
                    self.next += runs.len();
                    self.ready = runs.into();
                }
                Err(error) => {
                    // After an error no more runs are returned. The length hint must then be 0.
                    self.next = self.index.count_runs();
                    return Some(Err(error));
                }
            }
        }
        self.ready.pop_front().map(Ok)
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        // Skipped runs that are already built are dropped; all others are skipped by number and never built.
        let built = n.min(self.ready.len());
        self.ready.drain(..built);
        self.next = self.next.saturating_add(n - built);
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left(), Some(self.left()))
    }
}

impl<R: BufRead + Seek> ExactSizeIterator for Runs<R> {}

impl<R: BufRead + Seek> std::iter::FusedIterator for Runs<R> {}
