//! The runs that a comparison names: a run that was divided is named by the folders of all its shards.

use std::path::{Path, PathBuf};

use arraign::__internals::harness::earlier_shards;
use arraign::__internals::harness::runs::{StoredRun, is_run};
use arraign::__internals::report::EarlierRun;
use arraign::__internals::verdict::quoted;

use super::read_named;
use crate::error::CliError;

/// A run as the user names it.
struct NamedPart {
    which: String,
    /// Its shard, if it is the folder of one.
    shard: Option<NamedShard>,
}

/// The folder of a shard.
struct NamedShard {
    folder: PathBuf,
    number: u32,
    count: u32,
    /// What the shards of one run have in common: the harness, the variants and the list of trials.
    division: Vec<String>,
}

/// Reads the runs that the user names. Folders of shards that follow each other are one run, which must be whole.
pub(super) fn read_sides(names: &[String], out: &Path) -> Result<Vec<EarlierRun>, CliError> {
    let mut sides: Vec<Vec<NamedPart>> = Vec::new();
    for which in names {
        let part = NamedPart { which: which.clone(), shard: find_shard(which, out)? };
        match sides.last_mut().filter(|side| continues(side, &part)) {
            Some(side) => side.push(part),
            None => sides.push(vec![part]),
        }
    }
    sides.iter().map(|side| read_side(side, out)).collect()
}

/// Whether the folder of a run is that of a part of it.
pub(super) fn is_part(folder: &Path) -> bool {
    find_shard(&folder.to_string_lossy(), folder)
        .is_ok_and(|shard| shard.is_some_and(|shard| shard.count > 1))
}

/// Returns the shard whose folder is named. `None` for a whole run, and for a report.
fn find_shard(which: &str, out: &Path) -> Result<Option<NamedShard>, CliError> {
    let folder = [PathBuf::from(which), out.join(which)].into_iter().find(|folder| is_run(folder));
    let Some(folder) = folder else { return Ok(None) };
    let run = StoredRun::open(std::slice::from_ref(&folder))?;
    let mut division = Vec::new();
    let mut shard = None;
    for manifest in run.manifests() {
        let Some(own) = &manifest.shard else { continue };
        let variants = manifest.variants.as_deref().unwrap_or_default();
        let times = own.times_hash.as_deref().unwrap_or_default();
        division.push(format!(
            "{} {variants} {} {} {} {times}",
            manifest.harness, own.count, own.listed, own.list_hash
        ));
        shard = Some((own.number, own.count));
    }
    division.sort_unstable();
    Ok(shard.map(|(number, count)| NamedShard { folder, number, count, division }))
}

/// Whether a part is another shard of the same run.
fn continues(side: &[NamedPart], part: &NamedPart) -> bool {
    let Some(shard) = &part.shard else { return false };
    side.iter().all(|known| {
        known.shard.as_ref().is_some_and(|known| {
            known.division == shard.division && known.count == shard.count && known.number != shard.number
        })
    })
}

fn read_side(side: &[NamedPart], out: &Path) -> Result<EarlierRun, CliError> {
    let shards: Vec<&NamedShard> = side.iter().filter_map(|part| part.shard.as_ref()).collect();
    let (Some(first), Some(part)) = (shards.first(), side.first()) else {
        return side
            .first()
            .map_or_else(|| Err(CliError::new("no run")), |part| read_named(&part.which, out));
    };
    let missing: Vec<String> = (1..=first.count)
        .filter(|number| !shards.iter().any(|shard| shard.number == *number))
        .map(|number| number.to_string())
        .collect();
    if !missing.is_empty() {
        let names: Vec<String> = side.iter().map(|part| quoted(&part.which)).collect();
        return Err(CliError::new(format!(
            "`{}` is shard {} of {}, and {} {} not named beside it: a part of a run is no side of a comparison\n\
             name the folders of all shards of one run after each other, then those of the other, or merge each run: \
             cargo arraign report --merge {} ... --format json --out merged",
            part.which,
            first.number,
            first.count,
            missing.join(", "),
            if missing.len() == 1 { "is" } else { "are" },
            names.join(" ")
        )));
    }
    let folders: Vec<PathBuf> = shards.iter().map(|shard| shard.folder.clone()).collect();
    earlier_shards(&folders).map_err(CliError::new)
}
