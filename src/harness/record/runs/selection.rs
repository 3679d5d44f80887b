//! What the processes of a run were asked for, together: those of one harness were all asked for the same.

use std::collections::BTreeMap;

use super::RunManifest;
use crate::case::Tier;
use crate::verdict::summary::{GoldenSuite, Selection};

/// That of all `beginnings`. A process that was asked for a few trials by their names knows less than the others.
pub(super) fn merge_selections(beginnings: &[RunManifest]) -> Selection {
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    let mut golden: Vec<GoldenSuite> = Vec::new();
    for one in beginnings {
        let most = skipped.entry(&one.harness).or_default();
        *most = one.selection.skipped.max(*most);
        one.selection.golden.iter().for_each(|suite| merge_suite(&mut golden, suite));
    }
    let is_smoke = |one: &RunManifest| one.selection.tier == Tier::Smoke;
    let tier =
        if beginnings.iter().all(is_smoke) && !beginnings.is_empty() { Tier::Smoke } else { Tier::Full };
    Selection { tier, skipped: skipped.into_values().sum(), golden }
}

fn merge_suite(golden: &mut Vec<GoldenSuite>, suite: &GoldenSuite) {
    let is_same = |known: &&mut GoldenSuite| (&known.harness, &known.name) == (&suite.harness, &suite.name);
    match golden.iter_mut().find(is_same) {
        Some(known) => {
            known.skipped = known.skipped.max(suite.skipped);
            known.gate = known.gate.or(suite.gate);
        }
        None => golden.push(suite.clone()),
    }
}
