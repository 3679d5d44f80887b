//! Large files: a few runs are taken out of a file of many, and the others are not built.
//!
//! A reader may say how the files of its format are cut ([`Pieces`]): where the pieces of runs stand in a record, and
//! from a first look at a piece, whose it is. Then a file is read twice, forwards and through one buffer: once to find
//! the runs, once more, there alone, for the pieces of those wanted. These the reader reads, as if they were the file.

mod head;
mod keep;
mod look;
mod mistake;
mod scan;
mod survey;
mod walk;

use crate::reader::json::input::Input;
use crate::reader::json::value::Json;
pub(crate) use head::Head;
pub(crate) use keep::keep;
pub(crate) use look::look;
pub(crate) use mistake::mistake;
pub(crate) use scan::SplitError;
pub(crate) use survey::{Found, SurveyedRun, survey};

/// What the runs of a format's files can be told apart by, before they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Splitting {
    /// Nothing: whose a record is, the others tell.
    Never,
    /// The first look at each record.
    Records(fn(&str) -> Result<RecordInfo, serde_json::Error>),
    /// What the beginning of the file shows.
    As(fn(&Input) -> Option<Pieces>),
}

impl Splitting {
    /// How a file that begins with `input` is cut.
    pub(crate) fn pieces(self, input: &Input) -> Option<Pieces> {
        match self {
            Self::Never => None,
            Self::Records(note) => Some(Pieces::records(note)),
            Self::As(pieces) => pieces(input),
        }
    }
}

/// How a file is cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pieces {
    /// The way from a record to its pieces; without a step, the record is the piece.
    path: &'static [Step],
    notes: Notes,
    /// How many runs may be read together.
    pub(crate) together: usize,
}

/// What tells whose a piece is.
#[derive(Debug, Clone, Copy)]
enum Notes {
    /// A first look at it.
    Alone(fn(&str) -> Result<RecordInfo, serde_json::Error>),
    /// The records before it, from the first one on. Then it is a record.
    InOrder(fn() -> Follow),
}

/// Follows a file record by record: what each tells.
pub(crate) type Follow = Box<dyn FnMut(&str) -> Result<RecordInfo, SplitError>>;

impl Pieces {
    /// Each record is a piece.
    pub(crate) fn records(note: fn(&str) -> Result<RecordInfo, serde_json::Error>) -> Self {
        Self::at(&[], note)
    }

    /// The pieces are at the end of `path`.
    pub(crate) fn at(path: &'static [Step], note: fn(&str) -> Result<RecordInfo, serde_json::Error>) -> Self {
        Self { path, notes: Notes::Alone(note), together: usize::MAX }
    }

    /// Each record is a piece, and whose it is, those before it tell. What so many runs one after the other are, each
    /// of them is without the others.
    pub(crate) fn in_order(follow: fn() -> Follow, together: usize) -> Self {
        Self { path: &[], notes: Notes::InOrder(follow), together }
    }

    /// Whether the records before a piece tell whose it is.
    pub(crate) fn are_in_order(&self) -> bool {
        matches!(self.notes, Notes::InOrder(_))
    }

    /// What the pieces of a file tell, from its first one on.
    fn notes(&self) -> Follow {
        match self.notes {
            Notes::Alone(note) => Box::new(move |text| note(text).map_err(|_| SplitError::Broken)),
            Notes::InOrder(follow) => follow(),
        }
    }
}

/// The entries of a list with their numbers, without those that were left out of the file.
pub(crate) fn present(entries: Vec<Json<'_>>) -> impl Iterator<Item = (usize, Json<'_>)> {
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
    /// When it began, where the runs of a file are told in the order in which they began.
    pub(crate) began: u64,
    /// Says of a piece whether it makes its run one: what has no such piece is nobody's. `None`: each does.
    pub(crate) tells: Option<fn(&str) -> bool>,
}

/// Whose a piece is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RunKey {
    /// It begins a run, which has this id.
    Own(Option<String>),
    /// It is of the run with this id, wherever the others are.
    Of(String),
    /// It is of the run before, if that has the same id; else it begins one.
    Stretch(Option<String>),
    /// It is of the same run as the piece before.
    Same,
    /// It is of the run of this number, from 0, which has this id so far.
    Numbered(usize, Option<String>),
    /// It is of no run.
    Nobody,
    /// It may be of several: the file is not one that can be cut.
    Several,
}

impl From<RunKey> for RecordInfo {
    fn from(whose: RunKey) -> Self {
        Self { whose, began: 0, tells: None }
    }
}
