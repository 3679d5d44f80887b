//! Sizes on the command line.

use arraign::__internals::yaml::parse_bytes;

/// Parses a size such as `200MB`.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    parse_bytes(text)
        .ok_or_else(|| "expected a size such as `64MiB` or `2GB`, or a number of bytes".to_owned())
}
