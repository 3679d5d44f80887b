//! The runs of a case: where they are, and each when its turn comes.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::run_source::Source;
use super::trace::trace_files;
use crate::case::{Case, TraceFrom};
use crate::source::Files;
use crate::trace::Trace;

/// The format of a run that was not recorded: its agent's answer.
pub const LIVE: &str = "live";

/// One run of a case, and the file it was read from.
#[derive(Debug, Clone)]
pub struct Run {
    /// The file; `None` for a trace written in the case, or had from its agent.
    pub file: Option<String>,
    /// The format it was read as, or [`LIVE`].
    pub format: &'static str,
    /// The run.
    pub trace: Trace,
}

/// The runs of a case. Those of large files are found, and read when their turn comes.
#[derive(Debug)]
pub struct RunsOfCase {
    sources: Vec<Source>,
    /// How many of the runs are the case's.
    count: usize,
    together: Mutex<Together>,
}

/// Runs that were read together with one that was asked for: in a trial a run, their trials come next.
#[derive(Debug, Default)]
struct Together {
    /// The number of the first of them, from 0.
    from: usize,
    runs: VecDeque<Option<Run>>,
}

impl From<Vec<Run>> for RunsOfCase {
    fn from(runs: Vec<Run>) -> Self {
        Self { count: runs.len(), sources: vec![Source::Read(runs)], together: Mutex::default() }
    }
}

impl RunsOfCase {
    /// Finds the runs of a case whose file is `path`. The error is the cause, in a sentence.
    pub fn find(case: &Case, path: &Path, files: &Files) -> Result<Self, String> {
        let mut sources = Vec::new();
        if let TraceFrom::Inline(trace) = &case.trace {
            let run = Run { file: None, format: "inline", trace: (**trace).clone() };
            sources.push(Source::Read(vec![run]));
        }
        for path in trace_files(case, path, files)? {
            sources.push(Source::of_case(case, path, files)?);
        }
        let found = sources.iter().map(Source::len).sum();
        let count = case.repeat.as_ref().map_or(found, |(wanted, _)| *wanted as usize);
        if found < count {
            return Err(format!("`repeat` asks for {count} runs, and {found} are recorded"));
        }
        Ok(Self { sources, count, together: Mutex::default() })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All of them, one after the other. The error is the cause, in a sentence.
    pub fn each<'s>(&'s self, files: &'s Files) -> impl Iterator<Item = Result<Cow<'s, Run>, String>> + 's {
        self.sources.iter().flat_map(move |source| source.each(files)).take(self.count)
    }

    /// The run of this number, from 0. Where it is asked for after the one before it, it is there already.
    pub fn one(&self, number: usize, files: &Files) -> Result<Run, String> {
        let mut together = self.together.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(run) = together.take(number) {
            return Ok(run);
        }
        let (source, own) =
            self.source_of(number).ok_or_else(|| format!("there is no run {}", number + 1))?;
        // A file that has grown meanwhile must not shift the runs of the next.
        let runs = source.read_from(own, files)?.into_iter().take(source.len() - own);
        *together = Together { from: number, runs: runs.map(Some).collect() };
        together.take(number).ok_or_else(|| format!("there is no run {} any more", number + 1))
    }

    /// Where the run of this number is, and its number there.
    fn source_of(&self, number: usize) -> Option<(&Source, usize)> {
        let mut before = 0;
        self.sources.iter().find_map(|source| {
            let own = number.checked_sub(before)?;
            before += source.len();
            (number < before).then_some((source, own))
        })
    }
}

impl Together {
    fn take(&mut self, number: usize) -> Option<Run> {
        self.runs.get_mut(number.checked_sub(self.from)?)?.take()
    }
}
