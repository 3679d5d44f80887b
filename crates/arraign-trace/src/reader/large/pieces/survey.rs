//! The runs of a file, found one after the other.

use std::collections::HashMap;
use std::io::BufRead;

use crate::reader::large::pieces::scan::SplitError;
use crate::reader::large::pieces::walk::{RecordStart, Walk};
use crate::reader::large::pieces::{Pieces, RecordInfo, RunKey};

/// Where the pieces of a run are.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// The record of its first piece.
    pub(crate) spot: RecordStart,
    /// Which piece of that record is its first.
    pub(crate) ordinal: usize,
    /// Where the record of its last piece begins, and which piece of that record it is.
    pub(crate) last: (u64, usize),
    pub(crate) size: u64,
    /// All its records, where only a walk from the first record on tells whose each is.
    pub(crate) records: Vec<RecordStart>,
}

impl Found {
    /// Where its first piece is: what no other run has.
    pub(crate) fn begins(&self) -> (u64, usize) {
        (self.spot.offset, self.ordinal)
    }

    /// How many bytes its pieces have.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Whether it begins in a record of `other`, or among them.
    pub(crate) fn begins_within(&self, other: &Self) -> bool {
        (other.spot.offset..=other.last.0).contains(&self.spot.offset)
    }
}

/// A run that was found.
#[derive(Debug)]
pub(crate) struct SurveyedRun {
    pub(crate) id: Option<String>,
    pub(crate) found: Found,
    began: u64,
    tells: bool,
}

/// Numbers the runs of a file, from 0, as their pieces come in.
#[derive(Debug, Default)]
pub(crate) struct RunNumbers {
    count: usize,
    last: Option<usize>,
    stretch: Option<String>,
    places: HashMap<String, usize>,
}

impl RunNumbers {
    /// The run that a piece is of.
    pub(crate) fn number(&mut self, whose: &RunKey) -> Result<Option<usize>, SplitError> {
        let fresh = self.count;
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

/// Gives each run of a file to `found`, in the order in which its reader tells them. How many records there are.
pub(crate) fn survey<R: BufRead>(
    input: R,
    lines: bool,
    pieces: Pieces,
    offset: u64,
    mut found: impl FnMut(SurveyedRun),
) -> Result<usize, SplitError> {
    let mut walk = Walk::begin(input, lines, pieces.path, offset);
    let mut notes = pieces.notes();
    let mut open = OpenRuns::default();
    let mut records = 0;
    while let Some(spot) = walk.next()? {
        records += 1;
        let mut ordinal = 0;
        walk.record(&mut |text| {
            let note = notes(text)?;
            let tells = note.tells;
            if let Some(run) = open.run(note, spot, ordinal, &mut found)? {
                run.found.size += text.len() as u64;
                run.tells = run.tells || tells.is_none_or(|tells| tells(text));
            }
            ordinal += 1;
            Ok(false)
        })?;
    }
    open.close(&mut found);
    Ok(records)
}

/// The runs that may go on.
#[derive(Debug, Default)]
struct OpenRuns {
    runs: Vec<SurveyedRun>,
    /// How many runs were closed.
    closed: usize,
    numbers: RunNumbers,
}

impl OpenRuns {
    /// The run that a piece is of.
    fn run(
        &mut self,
        note: RecordInfo,
        spot: RecordStart,
        ordinal: usize,
        found: &mut impl FnMut(SurveyedRun),
    ) -> Result<Option<&mut SurveyedRun>, SplitError> {
        let Some(number) = self.numbers.number(&note.whose)? else { return Ok(None) };
        if number == self.closed + self.runs.len() {
            // Only a run that is known by its id can go on after another began.
            if !matches!(note.whose, RunKey::Of(_) | RunKey::Numbered(..)) {
                self.close(found);
            }
            let found = Found { spot, ordinal, last: (spot.offset, ordinal), size: 0, records: Vec::new() };
            self.runs.push(SurveyedRun { id: None, found, began: note.began, tells: false });
        }
        let place = number.checked_sub(self.closed);
        let Some(run) = place.and_then(|place| self.runs.get_mut(place)) else { return Ok(None) };
        run.found.last = (spot.offset, ordinal);
        run.began = run.began.min(note.began);
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
        self.closed += self.runs.len();
        self.runs.sort_by_key(|run| run.began);
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
