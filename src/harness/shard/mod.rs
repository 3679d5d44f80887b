//! A part of the trials, so that several machines share a run.
//!
//! `ARRAIGN_SHARD=2/3` runs the second of three shards. By default a trial belongs to the shard that the hash of its name
//! selects, which does not change when other cases come and go. With a file of durations (`ARRAIGN_SHARD_TIMES`), the
//! shards get about the same work.

mod partition;
mod times;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

pub(super) use self::partition::runs_partition;
pub(super) use self::times::TrialTimes;
use super::settings::Shard;
use crate::source::TextHash;

/// The shard in a manifest, by which a report decides whether the shards of a run are complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardRecord {
    /// The number of the shard, from 1.
    pub number: u32,
    /// The number of shards.
    pub count: u32,
    /// The number of trials that all shards run together.
    pub listed: usize,
    /// The hash of the names of these trials.
    pub list_hash: String,
    /// The hash of the file of durations that the trials were divided by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times_hash: Option<String>,
}

/// Returns which of `names` are the trials of this shard. `names` are the trials that all shards run together.
pub(super) fn select_names<'n>(
    shard: Shard,
    names: &'n [String],
    times: Option<&TrialTimes>,
) -> HashSet<&'n str> {
    // Without durations the hash of a name selects its shard, so that a new case moves no other one.
    let shards = match times {
        Some(times) => times.balance(names, shard.count),
        None => names.iter().map(|name| TextHash::of(name) % u64::from(shard.count)).collect(),
    };
    let own = u64::from(shard.number - 1);
    names.iter().zip(shards).filter(|(_, shard)| *shard == own).map(|(name, _)| name.as_str()).collect()
}

impl ShardRecord {
    /// Describes a division of the trials `names`.
    pub(super) fn of_division(shard: Shard, names: &[String], times: Option<&TrialTimes>) -> Self {
        Self {
            number: shard.number,
            count: shard.count,
            listed: names.len(),
            list_hash: hash_names(names),
            times_hash: times.map(|times| times.hash().to_owned()),
        }
    }

    /// Renders the division for the end of a run: `shard 2 of 3, 117 of 350 cases`.
    pub(super) fn describe(&self, own: usize) -> String {
        format!("shard {} of {}, {own} of {} cases", self.number, self.count, self.listed)
    }
}

/// Hashes the names, whatever their order.
fn hash_names(names: &[String]) -> String {
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    // A line break separates names, and no name of a trial contains one.
    format!("{:016x}", TextHash::of(&sorted.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trial_is_in_exactly_one_shard() {
        let names: Vec<String> = (0..1000).map(|n| format!("suite::case_{n}")).collect();
        let lines: Vec<String> =
            (0..500).map(|n| format!("{{\"name\":\"suite::case_{n}\",\"duration_ms\":{n}}}")).collect();
        let times = TrialTimes::parse(&lines.join("\n")).expect("durations");
        for times in [None, Some(&times)] {
            let shards = (1..=3).map(|number| select_names(Shard { number, count: 3 }, &names, times));
            let mut all: Vec<&str> = shards.flatten().collect();
            all.sort_unstable();
            let mut expected: Vec<&str> = names.iter().map(String::as_str).collect();
            expected.sort_unstable();
            assert_eq!(all, expected);
        }
    }
}
