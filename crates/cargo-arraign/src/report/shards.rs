//! Checks that the shards of a run are complete.
//!
//! A shard that never ran leaves nothing behind, so a report of the others would be green. Each manifest therefore says how
//! many shards there are and how many trials they run together.

use std::collections::{BTreeMap, BTreeSet};

use arraign::__internals::harness::runs::{RunManifest, ShardRecord, StoredRun};

use crate::error::CliError;

/// Checks that a run is complete if its trials were divided into shards: every shard is there, all of them divide the same
/// list, and no trial of the list is left out.
pub(super) fn check_shards(run: &StoredRun) -> Result<(), CliError> {
    let mut harnesses: BTreeMap<&str, Vec<&RunManifest>> = BTreeMap::new();
    for manifest in run.manifests() {
        harnesses.entry(&manifest.harness).or_default().push(manifest);
    }
    let checked = harnesses.values().try_for_each(|manifests| check_harness(manifests));
    checked.map_err(|problem| CliError::new(format!("{}: {problem}", run.run().id)))
}

fn divides_alike(one: &ShardRecord, other: &ShardRecord) -> bool {
    (one.count, one.listed) == (other.count, other.listed)
        && (&one.list_hash, &one.times_hash) == (&other.list_hash, &other.times_hash)
}

/// Says what is wrong with the shards of one harness.
fn check_harness(manifests: &[&RunManifest]) -> Result<(), String> {
    let shards: Vec<&ShardRecord> = manifests.iter().filter_map(|manifest| manifest.shard.as_ref()).collect();
    let Some(first) = shards.first() else { return Ok(()) };
    if shards.len() < manifests.len() || !shards.iter().all(|shard| divides_alike(shard, first)) {
        let why = "they divide different trials, or by different durations";
        return Err(format!("the folders are not shards of one run: {why}"));
    }
    let present: BTreeSet<u32> = shards.iter().map(|shard| shard.number).collect();
    let missing: Vec<String> = (1..=first.count)
        .filter(|number| !present.contains(number))
        .map(|number| number.to_string())
        .collect();
    if !missing.is_empty() {
        let missing = missing.join(", ");
        let count = first.count;
        return Err(format!(
            "incomplete: shard {missing} of {count} is missing; merge the folders of all shards"
        ));
    }
    // A shard that ran twice counts once.
    let trials: BTreeMap<u32, usize> = manifests
        .iter()
        .filter_map(|manifest| Some((manifest.shard.as_ref()?.number, manifest.trials.unwrap_or(0))))
        .collect();
    // Each trial of the list belongs to one shard, so their trials add up to the list.
    let listed = first.listed;
    let divided = trials.values().sum::<usize>();
    if divided != listed {
        return Err(format!("the shards ran {divided} of {listed} trials: the others are in no shard"));
    }
    Ok(())
}
