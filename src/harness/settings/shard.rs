//! The shard that the environment sets: `ARRAIGN_SHARD=2/3`, the variables of a CI server for `ARRAIGN_SHARD=auto`, or those
//! of Bazel.

use std::env;
use std::ffi::OsString;
use std::fs::OpenOptions;

use super::{read_path, read_variable};

/// The variable that selects a shard.
const VARIABLE: &str = "ARRAIGN_SHARD";

/// The shard that a process runs: `number` of `count`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::harness) struct Shard {
    pub(in crate::harness) number: u32,
    pub(in crate::harness) count: u32,
}

impl Shard {
    /// Reads the shard from the environment. The error is a message for the user.
    pub(super) fn read_environment() -> Result<Option<Self>, String> {
        let shard = match read_variable(VARIABLE).as_deref() {
            None => bazel_shard()?,
            Some("auto") => Some(find_ci_shard()?),
            Some(text) => Some(Self::parse(text)?),
        };
        // nextest divides the trials itself, and shards of shards would leave trials out.
        if shard.is_some() && read_variable("NEXTEST").is_some() {
            return Err(
                "ARRAIGN_SHARD does not work under nextest: use `cargo nextest run --partition`".to_owned()
            );
        }
        Ok(shard)
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
}

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
///
/// The variables are read only when the user asks for it, because a matrix of jobs sets the same ones, and each of its
/// jobs runs everything.
fn find_ci_shard() -> Result<Shard, String> {
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

/// Returns the shard that Bazel has set, by its protocol of tests (its test encyclopedia): `TEST_TOTAL_SHARDS`,
/// `TEST_SHARD_INDEX` from 0, and a file that the test touches to say that it divides its trials. The error is a message for
/// the user.
fn bazel_shard() -> Result<Option<Shard>, String> {
    let Some(count) = read_variable("TEST_TOTAL_SHARDS") else { return Ok(None) };
    // Bazel takes a test for one without shards if the file is not touched.
    touch_status_file()?;
    let index = read_variable("TEST_SHARD_INDEX").unwrap_or_default();
    let shard = match (index.parse::<u32>(), count.parse()) {
        (Ok(index), Ok(count)) => index.checked_add(1).and_then(|number| Shard::new(number, count)),
        _ => None,
    };
    shard.map(Some).ok_or_else(|| format!("TEST_SHARD_INDEX is `{index}` and TEST_TOTAL_SHARDS is `{count}`"))
}

/// Adds Bazel's filter (`--test_filter`) to a command line without arguments.
pub(in crate::harness) fn add_bazel_filter(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let filter = env::var_os("TESTBRIDGE_TEST_ONLY").filter(|filter| !filter.is_empty());
    if arguments.is_empty() {
        arguments.extend(filter);
    }
    arguments
}

fn touch_status_file() -> Result<(), String> {
    let Some(path) = read_path("TEST_SHARD_STATUS_FILE") else { return Ok(()) };
    let touched = OpenOptions::new().append(true).create(true).open(&path);
    touched
        .map(drop)
        .map_err(|error| format!("TEST_SHARD_STATUS_FILE: cannot write `{}`: {error}", path.display()))
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
}
