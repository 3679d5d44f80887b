//! The shard that the environment sets: `ARRAIGN_SHARD=2/3`, the variables of a server for `ARRAIGN_SHARD=auto`, or those of
//! Bazel.

use std::env;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::num::NonZeroU32;

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
            Some(text) => Some(match text.strip_prefix("auto") {
                Some("") => find_ci_shard(None)?,
                Some(rest) => find_ci_shard(Some(parse_count(rest).ok_or_else(|| explain_form(text))?))?,
                None => Self::parse(text)?,
            }),
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
        shard.ok_or_else(|| explain_form(text))
    }

    /// The number of shards.
    pub(in crate::harness) fn count(self) -> NonZeroU32 {
        NonZeroU32::new(self.count).unwrap_or(NonZeroU32::MIN)
    }

    fn new(number: u32, count: u32) -> Option<Self> {
        (1..=count).contains(&number).then_some(Self { number, count })
    }
}

fn explain_form(text: &str) -> String {
    format!("{VARIABLE} is `{text}`: expected `NUMBER/COUNT`, such as `2/3`, `auto` or `auto/COUNT`")
}

/// Parses the count of `auto/3`, given `/3`.
fn parse_count(rest: &str) -> Option<u32> {
    rest.strip_prefix('/')?.parse().ok().filter(|count| *count > 0)
}

/// The variables of a server that runs one job several times.
struct CiServer {
    index: &'static str,
    /// The number of shards. `None` if the server does not tell a job.
    count: Option<&'static str>,
    /// The index of the first shard.
    first: u32,
}

/// The servers that run one job several times, by their documented variables. A CI server may run its jobs on one of the
/// others, so CI servers come first.
const SERVERS: &[CiServer] = &[
    // GitLab CI/CD, `parallel:`
    CiServer { index: "CI_NODE_INDEX", count: Some("CI_NODE_TOTAL"), first: 1 },
    // Buildkite, `parallelism:`
    CiServer { index: "BUILDKITE_PARALLEL_JOB", count: Some("BUILDKITE_PARALLEL_JOB_COUNT"), first: 0 },
    // CircleCI, `parallelism:`
    CiServer { index: "CIRCLE_NODE_INDEX", count: Some("CIRCLE_NODE_TOTAL"), first: 0 },
    // Azure Pipelines, `strategy: parallel:`
    CiServer { index: "SYSTEM_JOBPOSITIONINPHASE", count: Some("SYSTEM_TOTALJOBSINPHASE"), first: 1 },
    // Bitbucket Pipelines, `parallel:`
    CiServer { index: "BITBUCKET_PARALLEL_STEP", count: Some("BITBUCKET_PARALLEL_STEP_COUNT"), first: 0 },
    // Semaphore, `parallelism:`
    CiServer { index: "SEMAPHORE_JOB_INDEX", count: Some("SEMAPHORE_JOB_COUNT"), first: 1 },
    // AWS Batch, array jobs
    CiServer { index: "AWS_BATCH_JOB_ARRAY_INDEX", count: Some("AWS_BATCH_JOB_ARRAY_SIZE"), first: 0 },
    // Google Cloud Run, jobs with `--tasks`
    CiServer { index: "CLOUD_RUN_TASK_INDEX", count: Some("CLOUD_RUN_TASK_COUNT"), first: 0 },
    // Kubernetes, jobs with `completionMode: Indexed`
    CiServer { index: "JOB_COMPLETION_INDEX", count: None, first: 0 },
];

/// Returns the shard that the server has set. `named` is the number of shards of `auto/3`. The error is a message for the user.
///
/// The variables are read only when the user asks for it, because a matrix of jobs sets the same ones, and each of its
/// jobs runs everything.
fn find_ci_shard(named: Option<u32>) -> Result<Shard, String> {
    let found = SERVERS.iter().find_map(|server| Some((server, read_variable(server.index)?)));
    let Some((server, index)) = found else {
        let known: Vec<&str> = SERVERS.iter().map(|server| server.index).collect();
        return Err(format!(
            "{VARIABLE} is `auto`, but no CI server has set a shard (none of {}): use `NUMBER/COUNT`",
            known.join(", ")
        ));
    };
    let told = server.count.map(|variable| (variable, read_variable(variable).unwrap_or_default()));
    let count = match (&told, named) {
        (Some((variable, told)), Some(named)) if *told != named.to_string() => {
            return Err(format!("{VARIABLE} is `auto/{named}`, but {variable} is `{told}`"));
        }
        (Some((_, told)), _) => told.parse().ok(),
        (None, Some(named)) => Some(named),
        (None, None) => {
            return Err(format!(
                "{VARIABLE} is `auto`, but {} does not say how many shards there are: use `auto/COUNT`",
                server.index
            ));
        }
    };
    // Servers count from 0 or from 1, and a shard's number is from 1.
    let number = index.parse::<u32>().ok().and_then(|index| index.checked_add(1)?.checked_sub(server.first));
    let shard = number.zip(count).and_then(|(number, count)| Shard::new(number, count));
    shard.ok_or_else(|| {
        let total = match (&told, named) {
            (Some((variable, told)), _) => format!("{variable} is `{told}`"),
            (None, named) => format!("there are {} shards", named.unwrap_or_default()),
        };
        format!("{VARIABLE} is `auto`, but {} is `{index}` and {total}", server.index)
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
