//! Bazel's protocol of tests (its test encyclopedia): `TEST_TOTAL_SHARDS`, `TEST_SHARD_INDEX` from 0, a file that the test
//! touches to say that it divides its trials, a filter, and the file of the report.

use std::env;
use std::ffi::OsString;
use std::fs::OpenOptions;

use super::Shard;
use crate::harness::settings::{read_path, read_variable};

/// Returns the shard that Bazel has set. The error is a message for the user.
pub(super) fn bazel_shard() -> Result<Option<Shard>, String> {
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
pub(crate) fn add_bazel_filter(mut arguments: Vec<OsString>) -> Vec<OsString> {
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
