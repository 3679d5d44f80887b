//! The survey: the first walk through a file, which finds its runs and builds none.

use std::collections::HashMap;
use std::io::BufRead;

use crate::reader::build::missed_calls::may_tell;
use crate::reader::large::pieces::scan::SplitError;
use crate::reader::large::pieces::walk::{RecordStart, Walk};
use crate::reader::large::pieces::{Pieces, RecordInfo, RunKey};

/// The place of the pieces of a run.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// The record of its first piece.
    pub(crate) spot: RecordStart,
    /// The index of the first piece in that record.
    pub(crate) ordinal: usize,
    /// The offset of the record with the last piece, and the index of the piece in that record.
    pub(crate) last: (u64, usize),
    pub(crate) size: u64,
    /// All records of the run, for formats in which only a walk from the first record on finds the run of a record.
    pub(crate) records: Vec<RecordStart>,
}

impl Found {
    /// Returns the place of the first piece, which identifies the run.
    pub(crate) fn begins(&self) -> (u64, usize) {
        (self.spot.offset, self.ordinal)
    }

    /// Returns the number of bytes of all pieces.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Whether the run begins between the first and the last record of `other`.
    pub(crate) fn begins_within(&self, other: &Self) -> bool {
        (other.spot.offset..=other.last.0).contains(&self.spot.offset)
    }
}

/// The facts about a file that its survey found, beside its runs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Survey {
    /// The number of records.
    pub(crate) records: usize,
    /// The number of runs.
    pub(crate) runs: usize,
    /// Whether a piece that belongs to no run may say something of a call or a message.
    pub(crate) has_strays: bool,
}

/// A run that the survey found.
#[derive(Debug)]
pub(crate) struct SurveyedRun {
    pub(crate) id: Option<String>,
    pub(crate) found: Found,
    began: u64,
    tells: bool,
    /// Whether a piece may say something, if the run turns out to be none.
    may_tell: bool,
}

/// Numbers the runs of a file, from 0, in the order of their first pieces.
#[derive(Debug, Default)]
pub(crate) struct RunNumbers {
    count: usize,
    last: Option<usize>,
    stretch: Option<String>,
    places: HashMap<String, usize>,
}

impl RunNumbers {
    /// Returns the number of the run of a piece; `None` if it belongs to no run.
    pub(crate) fn number(&mut self, whose: &RunKey) -> Result<Option<usize>, SplitError> {
        let fresh = self.count;
        // A number is either new, which opens a run, or that of an earlier run. The second walk numbers the pieces
        // again in the same way, from the first wanted one on, so that no number is stored for a piece.
        let number = match whose {
            RunKey::Nobody => return Ok(None),
            RunKey::Several => return Err(SplitError::Unsuited),
            RunKey::Own(_) => fresh,
            RunKey::Same => self.last.unwrap_or(fresh),
            RunKey::Numbered(number, _) => *number,
            RunKey::Of(id) => self.known(id).unwrap_or_else(|| {
                self.places.insert(id.clone(), fresh);
                fresh
            }),
            // The same id after another one begins a new run: only neighbours are compared.
            RunKey::Stretch(id) => {
                let goes_on = self.last.filter(|_| self.stretch == *id);
                self.stretch.clone_from(id);
                goes_on.unwrap_or(fresh)
            }
        };
        self.count = self.count.max(number + 1);
        self.last = Some(number);
        Ok(Some(number))
    }

    fn known(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }
}

/// Calls `found` for each run of a file, in the order in which its reader returns them, and returns what else it found.
pub(crate) fn survey<R: BufRead>(
    input: R,
    lines: bool,
    pieces: Pieces,
    offset: u64,
    mut found: impl FnMut(SurveyedRun),
) -> Result<Survey, SplitError> {
    let mut walk = Walk::begin(input, lines, pieces.path, offset);
    let mut notes = pieces.notes();
    let mut open = OpenRuns::default();
    let mut records = 0;
    let mut runs = 0;
    let mut found = |run| {
        runs += 1;
        found(run);
    };
    while let Some(spot) = walk.next()? {
        records += 1;
        let mut ordinal = 0;
        // No piece is kept (`Ok(false)`): the walk only shows the text of each, so the survey needs the memory of one
        // piece, whatever the size of the file is.
        walk.record(&mut |text| {
            let note = notes(text)?;
            let tells = note.tells;
            if let Some(run) = open.run(note, spot, ordinal, &mut found)? {
                run.found.size += text.len() as u64;
                // A piece that its format cannot judge counts as one that tells something.
                run.tells = run.tells || tells.is_none_or(|tells| tells(text));
                run.may_tell = run.may_tell || !run.tells && may_tell(text);
            } else {
                open.has_strays = open.has_strays || may_tell(text);
            }
            ordinal += 1;
            Ok(false)
        })?;
    }
    open.close(&mut found);
    Ok(Survey { records, runs, has_strays: open.has_strays || walk.leaves_out_words })
}

/// The runs that may still get pieces. A run without an id ends where the next one begins; runs with ids may be mixed, and
/// stay open to the end of the file.
#[derive(Debug, Default)]
struct OpenRuns {
    runs: Vec<SurveyedRun>,
    /// The number of runs that were closed.
    closed: usize,
    /// Whether a piece of no run, or of a group that is no run, may say something.
    has_strays: bool,
    numbers: RunNumbers,
}

impl OpenRuns {
    /// Returns the open run of a piece, and opens it for its first piece.
    fn run(
        &mut self,
        note: RecordInfo,
        spot: RecordStart,
        ordinal: usize,
        found: &mut impl FnMut(SurveyedRun),
    ) -> Result<Option<&mut SurveyedRun>, SplitError> {
        let Some(number) = self.numbers.number(&note.whose)? else { return Ok(None) };
        if number == self.closed + self.runs.len() {
            // Only a run with an id can continue after another one began.
            if !matches!(note.whose, RunKey::Of(_) | RunKey::Numbered(..)) {
                self.close(found);
            }
            let found = Found { spot, ordinal, last: (spot.offset, ordinal), size: 0, records: Vec::new() };
            self.runs.push(SurveyedRun { id: None, found, began: note.began, tells: false, may_tell: false });
        }
        // A run that was closed gets no more pieces.
        // Only numbers at or behind the first open run are in memory.
        let place = number.checked_sub(self.closed);
        let Some(run) = place.and_then(|place| self.runs.get_mut(place)) else { return Ok(None) };
        run.found.last = (spot.offset, ordinal);
        run.began = run.began.min(note.began);
        // A run of a log has its records at known places, because its pieces are mixed with those of other runs.
        match note.whose {
            RunKey::Numbered(_, id) => {
                run.id = id;
                run.found.records.push(spot);
            }
            whose => run.id = run.id.take().or(id_of(whose)),
        }
        Ok(Some(run))
    }

    fn close(&mut self, found: &mut impl FnMut(SurveyedRun)) {
        // Readers return runs in the order of their start times where the format records them. The sort is stable, so
        // runs without a time keep the order of the file.
        self.closed += self.runs.len();
        self.runs.sort_by_key(|run| run.began);
        self.has_strays |= self.runs.iter().any(|run| !run.tells && run.may_tell);
        self.runs.drain(..).filter(|run| run.tells).for_each(found);
    }
}

fn id_of(whose: RunKey) -> Option<String> {
    match whose {
        RunKey::Own(id) | RunKey::Stretch(id) => id,
        RunKey::Of(id) => Some(id),
        RunKey::Numbered(..) | RunKey::Same | RunKey::Nobody | RunKey::Several => None,
    }
}
