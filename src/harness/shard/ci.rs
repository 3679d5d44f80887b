//! `ARRAIGN_SHARD=auto`: the shard that the CI server has set.
//!
//! The variables are read only when the user asks for it, because a matrix of jobs sets the same ones, and each of its
//! jobs runs everything.

use super::{Shard, VARIABLE};
use crate::harness::settings::read_variable;

/// The variables of a CI server.
struct CiServer {
    index: &'static str,
    count: &'static str,
    /// The index of the first shard.
    first: u32,
}

/// The servers that run one job several times, by their documented variables.
const SERVERS: &[CiServer] = &[
    // GitLab CI/CD, `parallel:`
    CiServer { index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: 1 },
    // Buildkite, `parallelism:`
    CiServer { index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT", first: 0 },
    // CircleCI, `parallelism:`
    CiServer { index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL", first: 0 },
    // Azure Pipelines, `strategy: parallel:`
    CiServer { index: "SYSTEM_JOBPOSITIONINPHASE", count: "SYSTEM_TOTALJOBSINPHASE", first: 1 },
];

/// Returns the shard that the CI server has set. The error is a message for the user.
pub(super) fn find_ci_shard() -> Result<Shard, String> {
    let found = SERVERS.iter().find_map(|server| Some((server, read_variable(server.index)?)));
    let Some((server, index)) = found else {
        let known: Vec<&str> = SERVERS.iter().map(|server| server.index).collect();
        return Err(format!(
            "{VARIABLE} is `auto`, but no CI server has set a shard (none of {}): use `NUMBER/COUNT`",
            known.join(", ")
        ));
    };
    let count = read_variable(server.count).unwrap_or_default();
    // Servers count from 0 or from 1, and a shard's number is from 1.
    let number = index.parse::<u32>().ok().and_then(|index| (index + 1).checked_sub(server.first));
    let shard = number.zip(count.parse().ok()).and_then(|(number, count)| Shard::new(number, count));
    shard.ok_or_else(|| {
        format!("{VARIABLE} is `auto`, but {} is `{index}` and {} is `{count}`", server.index, server.count)
    })
}
