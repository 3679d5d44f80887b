//! Checks that the shards of a run are complete.
//!
//! A shard that never ran leaves nothing behind, so a report of the others would be green. Each manifest therefore says how
//! many shards there are and how many trials they run together.

use std::collections::BTreeMap;

use arraign::__internals::harness::runs::{LostPart, RunManifest, ShardRecord, StoredRun};
use arraign::__internals::report::plain::count_noun;

use crate::error::CliError;

/// Checks that a run is complete if its trials were divided into shards: every shard is there, all of them divide the same
/// list, and no trial of the list is left out.
///
/// With `is_partial`, returns the shards that are missing or broke off. Otherwise, a missing shard is an error.
pub(super) fn check_shards(run: &StoredRun, is_partial: bool) -> Result<Vec<LostPart>, CliError> {
    // The jobs of a matrix over variants divide a list each.
    let mut lists: BTreeMap<(&str, Option<&str>), Vec<&RunManifest>> = BTreeMap::new();
    for manifest in run.manifests() {
        let key = (manifest.harness.as_str(), manifest.variants.as_deref());
        lists.entry(key).or_default().push(manifest);
    }
    let mut lost = Vec::new();
    for ((harness, variants), parts) in lists {
        let of_variants = variants.map_or_else(String::new, |names| format!(" of {names}"));
        let checked = check_list(&parts, &of_variants, is_partial)
            .map_err(|problem| CliError::new(format!("{}: {problem}", run.run().id)))?;
        // A manifest of an older version names no command.
        let command = parts.iter().map(|part| part.command.as_str()).find(|command| !command.is_empty());
        lost.extend(checked.into_iter().map(|LostShard { number, count, problem }| {
            let name = format!("shard {number} of {count}{of_variants}");
            LostPart {
                harness: harness.to_owned(),
                problem: format!("{name} {problem}"),
                name,
                rerun: format!(
                    "ARRAIGN_SHARD={number}/{count} {}",
                    command.unwrap_or("cargo test --test evals")
                ),
            }
        }));
    }
    Ok(lost)
}

fn divides_alike(one: &ShardRecord, other: &ShardRecord) -> bool {
    (one.count, one.listed) == (other.count, other.listed)
        && (&one.list_hash, &one.times_hash) == (&other.list_hash, &other.times_hash)
}

/// A shard that left no verdicts, or not all of them.
struct LostShard {
    number: u32,
    count: u32,
    /// The verdicts that it left.
    problem: String,
}

/// Checks the shards of one list of trials, those ` of <variants>`. Returns the shards without all of their verdicts.
fn check_list(
    manifests: &[&RunManifest],
    of_variants: &str,
    is_partial: bool,
) -> Result<Vec<LostShard>, String> {
    let shards: Vec<&ShardRecord> = manifests.iter().filter_map(|manifest| manifest.shard.as_ref()).collect();
    let Some(first) = shards.first() else { return Ok(Vec::new()) };
    if shards.len() < manifests.len() || !shards.iter().all(|shard| divides_alike(shard, first)) {
        let why = "they divide different trials, or by different durations";
        return Err(format!("the folders are not shards of one run: {why}"));
    }
    // A shard that ran twice counts once: its trials, and the most verdicts that one of its folders has.
    let mut trials: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for manifest in manifests {
        let Some(shard) = &manifest.shard else { continue };
        let (_, left) = trials.get(&shard.number).copied().unwrap_or_default();
        trials.insert(shard.number, (manifest.trials.unwrap_or(0), manifest.verdicts.max(left)));
    }
    let count = first.count;
    let listed = first.listed;
    let missing: Vec<u32> = (1..=count).filter(|number| !trials.contains_key(number)).collect();
    let divided: usize = trials.values().map(|(trials, _)| trials).sum();
    if !missing.is_empty() && !is_partial {
        let missing: Vec<String> = missing.iter().map(u32::to_string).collect();
        return Err(format!(
            "incomplete: shard {} of {count}{of_variants} is missing; merge the folders of all shards, or see what is there with \
             `--partial`",
            missing.join(", ")
        ));
    }
    // Each trial of the list belongs to one shard, so their trials add up to the list.
    if missing.is_empty() && divided != listed || divided > listed {
        return Err(format!(
            "the shards{of_variants} ran {divided} of {}: the others are in no shard",
            count_noun(listed, "trial")
        ));
    }
    let broken = trials.iter().find(|(_, (trials, left))| left < trials);
    if let (false, Some((number, (trials, left)))) = (is_partial, broken) {
        return Err(format!(
            "incomplete: shard {number} of {count}{of_variants} left {left} of {}; run it again, or see what \
             is there with `--partial`",
            count_noun(*trials, "verdict")
        ));
    }
    if !is_partial {
        return Ok(Vec::new());
    }
    let others = listed - divided;
    let mut lost: Vec<LostShard> = missing
        .iter()
        .map(|number| {
            let problem = match missing.len() {
                1 => format!("left no verdicts: {others} of {}", count_noun(listed, "trial")),
                several => format!("left no verdicts: {several} shards have {others} of {listed} trials"),
            };
            LostShard { number: *number, count, problem }
        })
        .collect();
    lost.extend(trials.iter().filter(|(_, (trials, left))| left < trials).map(|(number, (trials, left))| {
        LostShard {
            number: *number,
            count,
            problem: format!("left {left} of {}", count_noun(*trials, "verdict")),
        }
    }));
    Ok(lost)
}
