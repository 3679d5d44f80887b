//! A part of the trials, so that several machines share a run.
//!
//! `ARRAIGN_SHARD=2/3` runs the second of three shards. By default a trial belongs to the shard that the hash of its name
//! selects, which does not change when other cases come and go. With a file of durations (`ARRAIGN_SHARD_TIMES`), the
//! shards get about the same work.

mod bazel;
mod ci;
mod partition;
mod times;

use std::collections::HashSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub(super) use self::bazel::add_bazel_filter;
use self::bazel::bazel_shard;
use self::ci::find_ci_shard;
use self::partition::runs_partition;
use self::times::TrialTimes;
use super::cli::HarnessCommand;
use super::plan::{Plan, TrialWork};
use super::settings::{EnvSettings, read_variable};

/// The variable that selects a shard.
const VARIABLE: &str = "ARRAIGN_SHARD";

/// The shard that a process runs: `number` of `count`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shard {
    number: u32,
    count: u32,
}

/// Removes the trials of other shards from `plan`, if the trials are divided. A trial that is named by `--exact` runs in any
/// shard. The error is a message for the user.
pub(super) fn divide_plan(plan: &mut Plan, command: &HarnessCommand, base: &Path) -> Result<(), String> {
    let settings = &command.settings;
    let Some(shard) = settings.shard.filter(|_| command.exact_names().is_none()) else { return Ok(()) };
    let times = settings.shard_times.as_ref().map(|path| TrialTimes::read(&base.join(path))).transpose()?;
    // Only trials that will run are divided, or a shard might get nothing but ignored ones.
    let names: Vec<String> = plan.trials_to_run(command).map(|trial| trial.name.clone()).collect();
    plan.shard = Some(shard.divide(plan, &names, times.as_ref()));
    Ok(())
}

/// Whether this process, or the run of nextest that it belongs to, has a part of the trials only.
pub(super) fn is_part(plan: &Plan, settings: &EnvSettings) -> bool {
    // Only gates need to know, and looking at another process takes time.
    let has_gate = plan.trials.iter().any(|trial| matches!(trial.work, TrialWork::Gate(_)));
    plan.shard.is_some() || has_gate && settings.nextest.is_some() && runs_partition()
}

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

impl Shard {
    /// Reads the shard from the environment: `ARRAIGN_SHARD`, or the variables of Bazel. The error is a message for the
    /// user.
    pub(super) fn read_environment() -> Result<Option<Self>, String> {
        match read_variable(VARIABLE).as_deref() {
            None => bazel_shard(),
            Some("auto") => find_ci_shard().map(Some),
            Some(text) => Self::parse(text).map(Some),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').map(|(number, count)| (number.parse(), count.parse()));
        let shard = match parts {
            Some((Ok(number), Ok(count))) => Self::new(number, count),
            _ => None,
        };
        shard.ok_or_else(|| {
            format!("{VARIABLE} is `{text}`: expected `NUMBER/COUNT`, such as `2/3`, or `auto`")
        })
    }

    fn new(number: u32, count: u32) -> Option<Self> {
        (1..=count).contains(&number).then_some(Self { number, count })
    }

    /// Removes the trials of other shards from `plan`, and describes the division for the manifest. `names` are the trials
    /// that all shards run together.
    fn divide(self, plan: &mut Plan, names: &[String], times: Option<&TrialTimes>) -> ShardRecord {
        let own = self.select_names(names, times);
        let listed: HashSet<&str> = names.iter().map(String::as_str).collect();
        // An ignored trial runs nowhere; the first shard alone reports it.
        plan.trials.retain(|trial| {
            own.contains(trial.name.as_str()) || (self.number == 1 && !listed.contains(trial.name.as_str()))
        });
        ShardRecord {
            number: self.number,
            count: self.count,
            listed: names.len(),
            list_hash: hash_names(names),
            times_hash: times.map(|times| times.hash().to_owned()),
        }
    }

    /// Returns the names of the trials of this shard.
    fn select_names<'n>(self, names: &'n [String], times: Option<&TrialTimes>) -> HashSet<&'n str> {
        // Without durations the hash of a name selects its shard, so that a new case moves no other one.
        let shards = match times {
            Some(times) => times.balance(names, self.count),
            None => names.iter().map(|name| hash_text(name) % u64::from(self.count)).collect(),
        };
        let own = u64::from(self.number - 1);
        names.iter().zip(shards).filter(|(_, shard)| *shard == own).map(|(name, _)| name.as_str()).collect()
    }
}

impl ShardRecord {
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
    format!("{:016x}", hash_text(&sorted.join("\n")))
}

/// Hashes `text` with FNV-1a, which gives the same value on every machine and in every version.
pub(super) fn hash_text(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_a_number_of_a_count() {
        assert_eq!(Shard::parse("2/3"), Ok(Shard { number: 2, count: 3 }));
        for wrong in ["", "0/3", "4/3", "1", "a/b", "1/0", "-1/2", "1/2/3"] {
            let error = Shard::parse(wrong).expect_err(wrong);
            assert!(error.contains("expected `NUMBER/COUNT`"), "{error}");
        }
    }

    #[test]
    fn every_trial_is_in_exactly_one_shard() {
        let names: Vec<String> = (0..1000).map(|n| format!("suite::case_{n}")).collect();
        let lines: Vec<String> =
            (0..500).map(|n| format!("{{\"name\":\"suite::case_{n}\",\"duration_ms\":{n}}}")).collect();
        let times = TrialTimes::parse(&lines.join("\n")).expect("durations");
        for times in [None, Some(&times)] {
            let shards = (1..=3).map(|number| Shard { number, count: 3 }.select_names(&names, times));
            let mut all: Vec<&str> = shards.flatten().collect();
            all.sort_unstable();
            let mut expected: Vec<&str> = names.iter().map(String::as_str).collect();
            expected.sort_unstable();
            assert_eq!(all, expected);
        }
    }
}
