//! Zipped traces: of all formats, Inspect's alone.

use std::io::{Read, Seek};

use super::error::TraceError;
use super::one_run::Choice;
use super::{Recording, inspect};

/// Reads a zipped log, of which at most `limit` bytes are unpacked: all its runs, or the one called `wanted`, as
/// [`super::read_run`] does.
pub fn read_zipped(
    file: &mut (impl Read + Seek),
    wanted: Option<&str>,
    limit: u64,
) -> Result<Recording, TraceError> {
    let mut archive = inspect::Archive::open(file, limit)?;
    let ids = archive.ids();
    let places: Vec<usize> = match wanted {
        None => (0..ids.len()).collect(),
        Some(wanted) => {
            let mut choice = Choice::of(wanted);
            ids.iter().enumerate().for_each(|(place, id)| choice.offer(Some(id), place));
            vec![choice.made()?]
        }
    };
    let runs = places.into_iter().map(|place| archive.run(place)).collect::<Result<_, TraceError>>()?;
    Ok(Recording { format: inspect::READER.name, runs })
}
