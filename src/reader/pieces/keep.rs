//! The pieces of some runs, taken out of a file.

use std::collections::HashSet;
use std::io::{BufRead, Seek, SeekFrom};

use super::super::input::At;
use super::Pieces;
use super::scan::Trouble;
use super::survey::{Found, Runs};
use super::walk::{Spot, Walk};

/// A record, as much of it as belongs to the runs.
#[derive(Debug)]
pub(in super::super) struct Kept {
    pub(in super::super) at: At,
    pub(in super::super) text: String,
}

/// The records of the runs in `batch`.
pub(in super::super) fn keep<R: BufRead + Seek>(
    mut input: R,
    lines: bool,
    pieces: Pieces,
    batch: &[Found],
) -> Result<Vec<Kept>, Trouble> {
    let Some(first) = batch.iter().min_by_key(|found| found.begins()) else { return Ok(Vec::new()) };
    let last = batch.iter().map(|found| found.last).max().unwrap_or_default();
    input.seek(SeekFrom::Start(first.spot.offset))?;
    let mut walk = Walk::at(input, lines, pieces.path, first.spot);
    let mut wanted = Wanted::of(batch);
    let mut kept = Vec::new();
    while let Some(spot) = walk.next()?
        && spot.offset <= last
    {
        let mut ordinal = 0;
        let text = walk.record(&mut |text| {
            let is_wanted = wanted.wants(pieces, text, (spot.offset, ordinal));
            ordinal += 1;
            is_wanted
        })?;
        kept.extend(text.map(|text| Kept { at: at(spot), text }));
    }
    Ok(kept)
}

/// Which pieces are wanted.
struct Wanted {
    /// What stands before a run's first piece in its record cannot be of the run: counting may begin at the first of
    /// them.
    numbers: Runs,
    begin: HashSet<(u64, usize)>,
    runs: HashSet<usize>,
}

impl Wanted {
    fn of(batch: &[Found]) -> Self {
        let begin = batch.iter().map(Found::begins).collect();
        Self { numbers: Runs::default(), begin, runs: HashSet::new() }
    }

    /// Whether the piece at `place` is of one of the runs.
    fn wants(&mut self, pieces: Pieces, text: &str, place: (u64, usize)) -> Result<bool, Trouble> {
        let note = (pieces.note)(text).map_err(|_| Trouble::Broken)?;
        let Some(number) = self.numbers.number(&note.whose)? else { return Ok(false) };
        if self.begin.contains(&place) {
            self.runs.insert(number);
        }
        Ok(self.runs.contains(&number))
    }
}

fn at(spot: Spot) -> At {
    spot.item.map_or(At::Line(spot.line), At::Item)
}
