//! The pieces of one run, taken out of a file.

use std::io::{BufRead, Seek, SeekFrom};

use super::super::input::At;
use super::Pieces;
use super::scan::Trouble;
use super::survey::{Found, Runs};
use super::walk::{Spot, Walk};

/// A record, as much of it as belongs to the run.
#[derive(Debug)]
pub(in super::super) struct Kept {
    pub(in super::super) at: At,
    pub(in super::super) text: String,
}

/// The records of the run at `found`.
pub(in super::super) fn keep<R: BufRead + Seek>(
    mut input: R,
    lines: bool,
    pieces: Pieces,
    found: Found,
) -> Result<Vec<Kept>, Trouble> {
    input.seek(SeekFrom::Start(found.spot.offset))?;
    let mut walk = Walk::at(input, lines, pieces.path, found.spot);
    // What stands before the run's first piece in its record cannot be of the run: counting may begin here.
    let (mut runs, mut wanted, mut ordinal) = (Runs::default(), None, 0);
    let mut kept = Vec::new();
    while let Some(spot) = walk.next()?
        && spot.offset <= found.last
    {
        let text = walk.record(&mut |text| {
            let note = (pieces.note)(text).map_err(|_| Trouble::Broken)?;
            let number = runs.number(&note.whose)?;
            if ordinal == found.ordinal {
                wanted = number;
            }
            ordinal += 1;
            Ok(number.is_some() && number == wanted)
        })?;
        kept.extend(text.map(|text| Kept { at: at(spot), text }));
    }
    Ok(kept)
}

fn at(spot: Spot) -> At {
    spot.item.map_or(At::Line(spot.line), At::Item)
}
