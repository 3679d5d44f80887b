//! Which files a command reads.

use std::path::PathBuf;

use arraign::__internals::yaml::parse_bytes;
use arraign::Harness;
use clap::Args;

/// The options of commands that read the files of cases.
#[derive(Debug, Default, Args)]
pub(crate) struct FileOptions {
    /// The largest file that is read, such as `200MB`. Default: `size_limit` of arraign.yaml, or 64 MiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    size_limit: Option<u64>,
    /// Let cases, and `roots` of arraign.yaml, name files below this folder, which may be outside of the repository.
    #[arg(long, value_name = "FOLDER")]
    allow_root: Vec<PathBuf>,
}

impl FileOptions {
    /// Sets the options of a harness.
    pub(crate) fn apply_to(&self, mut harness: Harness) -> Harness {
        for root in &self.allow_root {
            harness = harness.allow_root(root);
        }
        match self.size_limit {
            Some(limit) => harness.size_limit(limit),
            None => harness,
        }
    }
}

/// Parses a size such as `200MB`.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    parse_bytes(text)
        .ok_or_else(|| "expected a size such as `64MiB` or `2GB`, or a number of bytes".to_owned())
}
