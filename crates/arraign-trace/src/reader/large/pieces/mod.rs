//! Large files: reads a few runs out of a file with many, and builds no others.
//!
//! A reader may describe how files of its format are split ([`Pieces`]): where the pieces of runs are in a record, and how
//! a cheap look at a piece finds its run. Then the file is read twice, forwards and through one buffer: once to find the
//! runs, and once more for the pieces of the wanted runs. The reader then reads those pieces as if they were the file.

mod head;
mod keep;
mod mistake;
mod scan;
mod survey;
mod walk;

use crate::json::{JsonError, JsonNode};
use crate::reader::json::input::Input;
pub(crate) use head::Head;
pub(crate) use keep::keep;
pub(crate) use mistake::mistake;
pub(crate) use scan::SplitError;
pub(crate) use survey::{Found, Survey, SurveyedRun, survey};

pub(crate) use crate::json::parse_entries as look;

/// The way in which the runs of a format are told apart before they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Splitting {
    /// Not at all: the run of a record depends on the other records.
    Never,
    /// By a cheap look at each record alone.
    Records(fn(&str) -> Result<RecordInfo, JsonError>),
    /// In a way that the beginning of the file decides.
    As(fn(&Input) -> Option<Pieces>),
}

impl Splitting {
    /// Returns how a file that begins with `input` is split.
    pub(crate) fn pieces(self, input: &Input) -> Option<Pieces> {
        match self {
            Self::Never => None,
            Self::Records(note) => Some(Pieces::records(note)),
            Self::As(pieces) => pieces(input),
        }
    }
}

/// The way in which a file is split into pieces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pieces {
    /// The path from a record to its pieces. Without steps, the record is the piece.
    path: &'static [Step],
    notes: Notes,
    /// The most runs that may be read in one batch.
    pub(crate) together: usize,
}

/// The source of the run of a piece.
#[derive(Debug, Clone, Copy)]
enum Notes {
    /// A cheap look at the piece alone.
    Alone(fn(&str) -> Result<RecordInfo, JsonError>),
    /// All records before it, from the first one on. The piece is then a record.
    InOrder(fn() -> Follow),
}

/// A function that is called for each record in order, and returns the facts about it.
pub(crate) type Follow = Box<dyn FnMut(&str) -> Result<RecordInfo, SplitError>>;

impl Pieces {
    /// Splits at records: each record is a piece.
    pub(crate) fn records(note: fn(&str) -> Result<RecordInfo, JsonError>) -> Self {
        Self::at(&[], note)
    }

    /// Splits at the values that `path` leads to.
    pub(crate) fn at(path: &'static [Step], note: fn(&str) -> Result<RecordInfo, JsonError>) -> Self {
        Self { path, notes: Notes::Alone(note), together: usize::MAX }
    }

    /// Splits at records whose run depends on the records before them. Up to `together` successive runs are read in one
    /// batch: a record is only matched with that many runs, so a batch of them gives the same result as the whole file.
    pub(crate) fn in_order(follow: fn() -> Follow, together: usize) -> Self {
        Self { path: &[], notes: Notes::InOrder(follow), together }
    }

    /// Whether the run of a piece depends on the records before it.
    pub(crate) fn are_in_order(&self) -> bool {
        matches!(self.notes, Notes::InOrder(_))
    }

    /// Returns the function that finds the facts about each piece, from the first one on.
    fn notes(&self) -> Follow {
        match self.notes {
            Notes::Alone(note) => Box::new(move |text| note(text).map_err(|_| SplitError::Broken)),
            Notes::InOrder(follow) => follow(),
        }
    }
}

/// Returns the entries of a list with their indices, without the pieces that were replaced by null.
pub(crate) fn present(entries: Vec<JsonNode<'_>>) -> impl Iterator<Item = (usize, JsonNode<'_>)> {
    entries.into_iter().enumerate().filter(|(_, entry)| !entry.is_null())
}

/// A step of the path from a record to its pieces.
#[derive(Debug)]
pub(crate) enum Step {
    /// Into the entry of an object that has one of these names.
    Under(&'static [&'static str]),
    /// Into each element of a list.
    Each,
}

/// The facts that a cheap look at a piece reveals.
#[derive(Debug)]
pub(crate) struct RecordInfo {
    pub(crate) whose: RunKey,
    /// The start time, for formats whose runs are ordered by their start.
    pub(crate) began: u64,
    /// Whether a piece proves that its run is one: a group of pieces without such a piece is dropped. `None`: every piece
    /// does.
    pub(crate) tells: Option<fn(&str) -> bool>,
}

/// The run that a piece belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RunKey {
    /// The piece begins a run with this id.
    Own(Option<String>),
    /// The piece belongs to the run with this id, wherever the other pieces are.
    Of(String),
    /// The piece belongs to the previous run if the id is the same; otherwise it begins a run.
    Stretch(Option<String>),
    /// The piece belongs to the same run as the previous piece.
    Same,
    /// The piece belongs to the run with this number, from 0, which has this id so far.
    Numbered(usize, Option<String>),
    /// The piece belongs to no run.
    Nobody,
    /// The piece may belong to several runs, so the file cannot be split.
    Several,
}

impl From<RunKey> for RecordInfo {
    fn from(whose: RunKey) -> Self {
        Self { whose, began: 0, tells: None }
    }
}
