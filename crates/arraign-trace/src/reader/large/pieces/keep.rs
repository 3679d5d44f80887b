//! The second walk: reads the pieces of the wanted runs.

use std::collections::HashSet;
use std::io::{BufRead, Seek, SeekFrom};

use crate::reader::json::input::At;
use crate::reader::large::pieces::scan::SplitError;
use crate::reader::large::pieces::survey::{Found, RunNumbers};
use crate::reader::large::pieces::walk::{RecordStart, Walk};
use crate::reader::large::pieces::{Pieces, RecordInfo};

/// Reads the records of the runs in `batch`, each without the pieces of other runs.
pub(crate) fn keep<R: BufRead + Seek>(
    input: R,
    lines: bool,
    pieces: Pieces,
    batch: &[Found],
) -> Result<Vec<(At, String)>, SplitError> {
    if pieces.are_in_order() {
        keep_records(input, lines, batch)
    } else {
        keep_pieces(input, lines, pieces, batch)
    }
}

/// Reads the records that the survey listed for each run.
fn keep_records<R: BufRead + Seek>(
    mut input: R,
    lines: bool,
    batch: &[Found],
) -> Result<Vec<(At, String)>, SplitError> {
    let mut spots: Vec<RecordStart> = batch.iter().flat_map(|found| found.records.iter().copied()).collect();
    // The records of several runs may alternate. Sorted, they are read in one pass forwards.
    spots.sort_unstable_by_key(|spot| spot.offset);
    let mut kept = Vec::with_capacity(spots.len());
    let mut stands = input.seek(SeekFrom::Start(0))?;
    for spot in spots {
        // A relative seek keeps the buffer, and the next record is nearly always in it.
        input.seek_relative((spot.offset - stands).cast_signed())?;
        let mut walk = Walk::at(&mut input, lines, &[], spot);
        walk.next()?;
        let text = walk.record(&mut |_| Ok(true))?;
        stands = spot.offset + text.as_ref().map_or(0, String::len) as u64;
        kept.extend(text.map(|text| (at(spot), text)));
    }
    Ok(kept)
}

fn keep_pieces<R: BufRead + Seek>(
    mut input: R,
    lines: bool,
    pieces: Pieces,
    batch: &[Found],
) -> Result<Vec<(At, String)>, SplitError> {
    // The walk begins at the first record of the batch instead of the beginning of the file, and ends at the last one.
    // In a file whose runs follow one another it therefore reads hardly more than the batch.
    let Some(first) = batch.iter().min_by_key(|found| found.begins()) else { return Ok(Vec::new()) };
    let last = batch.iter().map(|found| found.last).max().unwrap_or_default();
    input.seek(SeekFrom::Start(first.spot.offset))?;
    let mut walk = Walk::at(input, lines, pieces.path, first.spot);
    let mut notes = pieces.notes();
    let mut wanted = WantedRecords::of(batch);
    let mut kept = Vec::new();
    // Runs of a file may be mixed: the walk numbers the runs again, from the first wanted one on, and keeps a piece when
    // its number is that of a wanted run. A run is wanted from the place on where the survey saw it begin.
    while let Some(spot) = walk.next()?
        && spot.offset <= last.0
    {
        let mut ordinal = 0;
        let text = walk.record(&mut |text| {
            let place = (spot.offset, ordinal);
            ordinal += 1;
            // A piece before the first of the runs or after the last one belongs to none of them, and needs no look.
            if place < first.begins() || place > last {
                return Ok(false);
            }
            wanted.wants(&notes(text)?, place)
        })?;
        kept.extend(text.map(|text| (at(spot), text)));
    }
    Ok(kept)
}

/// The records that are wanted, by the runs that they belong to.
struct WantedRecords {
    numbers: RunNumbers,
    begin: HashSet<(u64, usize)>,
    runs: HashSet<usize>,
}

impl WantedRecords {
    fn of(batch: &[Found]) -> Self {
        let begin = batch.iter().map(Found::begins).collect();
        Self { numbers: RunNumbers::default(), begin, runs: HashSet::new() }
    }

    /// Whether the piece at `place` belongs to one of the wanted runs.
    fn wants(&mut self, note: &RecordInfo, place: (u64, usize)) -> Result<bool, SplitError> {
        let Some(number) = self.numbers.number(&note.whose)? else { return Ok(false) };
        if self.begin.contains(&place) {
            self.runs.insert(number);
        }
        Ok(self.runs.contains(&number))
    }
}

fn at(spot: RecordStart) -> At {
    spot.item.map_or(At::Line(spot.line), At::Item)
}
