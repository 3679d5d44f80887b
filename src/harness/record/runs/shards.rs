//! Checks that the shards of a run are complete.
//!
//! A shard that never ran leaves nothing behind, so a report of the others would be green. Each manifest therefore says how
//! many shards there are and how many trials they run together.

use std::collections::{BTreeMap, BTreeSet};

use super::{RunManifest, RunProblem};
use crate::harness::shard::ShardRecord;

/// Returns what is wrong with the shards of each harness.
pub(super) fn check_shards(manifests: &[RunManifest]) -> Result<(), RunProblem> {
    let mut harnesses: BTreeMap<&str, Vec<&RunManifest>> = BTreeMap::new();
    for manifest in manifests {
        harnesses.entry(&manifest.harness).or_default().push(manifest);
    }
    harnesses.values().try_for_each(|manifests| check_harness(manifests))
}

fn divides_alike(one: &ShardRecord, other: &ShardRecord) -> bool {
    (one.count, one.listed) == (other.count, other.listed)
        && (&one.list_hash, &one.times_hash) == (&other.list_hash, &other.times_hash)
}

fn check_harness(manifests: &[&RunManifest]) -> Result<(), RunProblem> {
    let shards: Vec<&ShardRecord> = manifests.iter().filter_map(|manifest| manifest.shard.as_ref()).collect();
    let Some(first) = shards.first() else { return Ok(()) };
    if shards.len() < manifests.len() || !shards.iter().all(|shard| divides_alike(shard, first)) {
        return Err(RunProblem::UnlikeShards);
    }
    let present: BTreeSet<u32> = shards.iter().map(|shard| shard.number).collect();
    let missing: Vec<String> = (1..=first.count)
        .filter(|number| !present.contains(number))
        .map(|number| number.to_string())
        .collect();
    if !missing.is_empty() {
        return Err(RunProblem::MissingShards { missing: missing.join(", "), count: first.count });
    }
    // A shard that ran twice counts once.
    let trials: BTreeMap<u32, usize> = manifests
        .iter()
        .filter_map(|manifest| Some((manifest.shard.as_ref()?.number, manifest.trials.unwrap_or(0))))
        .collect();
    // Each trial of the list belongs to one shard, so their trials add up to the list.
    let (listed, divided) = (first.listed, trials.values().sum::<usize>());
    if divided == listed { Ok(()) } else { Err(RunProblem::LostTrials { listed, divided }) }
}
