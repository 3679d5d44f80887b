//! Combines the selections of a run's processes.

use std::collections::BTreeMap;

use super::RunManifest;
use crate::case::Tier;
use crate::verdict::summary::{GoldenSuite, Selection};

/// Combines the selections of all `manifests`.
///
/// The processes of one harness have the same tier and tags, but a process that runs a few trials by name sees only some
/// cases. So the largest number of skipped cases counts for a harness, and the numbers of different harnesses add up.
pub(super) fn merge_selections(manifests: &[RunManifest]) -> Selection {
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    let mut golden: Vec<GoldenSuite> = Vec::new();
    for one in manifests {
        let most = skipped.entry(&one.harness).or_default();
        *most = one.selection.skipped.max(*most);
        one.selection.golden.iter().for_each(|suite| merge_suite(&mut golden, suite));
    }
    // One process with all cases makes the run a full one.
    let all_smoke = manifests.iter().all(|one| one.selection.tier == Tier::Smoke);
    let tier = if all_smoke && !manifests.is_empty() { Tier::Smoke } else { Tier::Full };
    Selection { tier, skipped: skipped.into_values().sum(), golden }
}

fn merge_suite(golden: &mut Vec<GoldenSuite>, suite: &GoldenSuite) {
    let same_suite =
        golden.iter_mut().find(|known| known.harness == suite.harness && known.name == suite.name);
    match same_suite {
        Some(known) => {
            known.skipped = known.skipped.max(suite.skipped);
            // A process that ran a few trials by name may not have evaluated the gate.
            known.gate = known.gate.or(suite.gate);
        }
        None => golden.push(suite.clone()),
    }
}
