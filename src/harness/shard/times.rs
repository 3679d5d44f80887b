//! The durations of an earlier run, by which trials are divided into shards of about the same work.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::json;
use crate::source::TextHash;

/// The file of durations: JSON Lines, such as `report.jsonl` or a verdict log.
#[derive(Debug)]
pub(crate) struct TrialTimes {
    durations: HashMap<String, f64>,
    hash: String,
}

#[derive(Deserialize)]
struct TimedTrial {
    name: String,
    duration_ms: f64,
}

impl TrialTimes {
    /// Reads the file. The error is a message for the user.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| format!("ARRAIGN_SHARD_TIMES: cannot read `{shown}`: {error}"))?;
        Self::parse(&text).map_err(|problem| format!("ARRAIGN_SHARD_TIMES: {shown}{problem}"))
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut durations = HashMap::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let trial: TimedTrial = json::from_str(line)
                .map_err(|error| format!(":{number}: expected a line of `report.jsonl`: {error}"))?;
            let duration = trial.duration_ms.max(0.0);
            durations.insert(trial.name, duration);
        }
        Ok(Self { durations, hash: format!("{:016x}", TextHash::of(text)) })
    }

    /// The hash of the file.
    pub(super) fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns the index of the shard of each of `names`.
    ///
    /// The longest trial first, each trial goes to the shard with the least work so far. This greedy rule ends at most a
    /// third above the best division, and depends only on the names and the file, so all machines divide alike.
    pub(super) fn balance(&self, names: &[String], count: u32) -> Vec<u64> {
        let known: Vec<f64> = names.iter().filter_map(|name| self.durations.get(name).copied()).collect();
        // A new trial probably takes as long as the others.
        let mean =
            known.iter().sum::<f64>() / f64::from(u32::try_from(known.len().max(1)).unwrap_or(u32::MAX));
        let durations = names.iter().map(|name| self.durations.get(name).copied().unwrap_or(mean));
        let mut order: Vec<(f64, &String, usize)> = durations
            .zip(names)
            .enumerate()
            .map(|(index, (duration, name))| (duration, name, index))
            .collect();
        // Names break ties, so that the order does not depend on the order of the list.
        order.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        let mut work: Vec<(f64, usize)> = (0..count as usize).map(|_| (0.0, 0)).collect();
        let mut shards = vec![0; names.len()];
        for (duration, _, index) in order {
            // Among shards with equal work, the one with fewer trials: durations can be zero.
            let least = (0..work.len()).min_by(|one, other| {
                work[*one].0.total_cmp(&work[*other].0).then(work[*one].1.cmp(&work[*other].1))
            });
            let Some(least) = least else { break };
            work[least].0 += duration;
            work[least].1 += 1;
            shards[index] = least as u64;
        }
        shards
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_get_about_the_same_work() {
        let names: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).into();
        let lines = [("a", 9), ("b", 4), ("c", 3), ("d", 2)];
        let lines = lines.map(|(name, ms)| format!("{{\"name\":\"{name}\",\"duration_ms\":{ms}}}"));
        let times = TrialTimes::parse(&lines.join("\n")).expect("durations");
        // `e` is new and counts as the mean of the others, 4.5.
        assert_eq!(times.balance(&names, 2), [0, 1, 1, 0, 1]);
    }

    #[test]
    fn a_line_that_is_no_trial_is_an_error_with_its_number() {
        let error = TrialTimes::parse("\n{\"name\": 1}").expect_err("no trial");
        assert!(error.starts_with(":2: expected a line of `report.jsonl`: "), "{error}");
    }
}
