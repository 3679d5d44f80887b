//! The runs of a file of any size, one after the other.

use std::collections::VecDeque;
use std::io::{BufRead, Seek};
use std::sync::Arc;

use crate::reader::error::TraceError;
use crate::reader::large::index::{RunIndex, TextReaders};
use crate::trace::Trace;

/// Reads the runs of a trace file one after the other, by the reader called `format` or else by the one that is surest
/// of how the file begins.
///
/// The file is looked through once, for where its runs are. Then each is built when its turn comes, a few megabytes of
/// the file at a time; so memory depends on the largest run, and hardly on how many there are. Those passed over by
/// [`Iterator::nth`] or [`Iterator::skip`] are not built at all. A file that cannot be cut into runs, such as one in
/// YAML or a stream of events, is read whole.
///
/// What is wrong with a run is told when its turn comes, and ends the runs. A text that is in memory is read faster by
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

/// Reads as [`runs`] does, by the given readers.
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
    /// Runs that are built already.
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
                    self.next = self.index.count_runs();
                    return Some(Err(error));
                }
            }
        }
        self.ready.pop_front().map(Ok)
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
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
