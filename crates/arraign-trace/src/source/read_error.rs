//! Why a file could not be read.

use std::io;

/// What to do about a file that is larger than may be read.
pub(crate) const RAISE_LIMIT: &str =
    "`size_limit` in arraign.yaml raises it, as do `--size-limit` and `Harness::size_limit`";

/// Why a file could not be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{name}: {problem}")]
#[non_exhaustive]
pub struct ReadError {
    /// The file, as the user knows it.
    pub name: String,
    /// The problem with the file.
    pub problem: ReadProblem,
}

/// A problem with a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadProblem {
    /// The file does not exist.
    #[error("no such file")]
    Missing,
    /// The path leads to a folder.
    #[error("this is a folder, not a file")]
    Folder,
    /// The path leads to a pipe, a device or a socket.
    #[error("this is not a regular file")]
    Irregular,
    /// The file lies outside the eval root.
    #[error(
        "the path leaves the eval root `{0}`; `roots` in arraign.yaml and `Harness::allow_root` admit other folders"
    )]
    Outside(String),
    /// The file is larger than the limit.
    #[error("{size} bytes are over the limit of {limit}; {RAISE_LIMIT}")]
    TooLarge {
        /// The size of the file in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is not UTF-8 text.
    #[error("not UTF-8: byte {0} begins no character")]
    NotUtf8(usize),
    /// The file is UTF-16 with a half of a character in it.
    #[error("this is UTF-16, and the unit {0:#06x} in it is half a character")]
    BrokenUtf16(u16),
    /// The file is UTF-16 that ends within a character.
    #[error("this is UTF-16 with an odd number of bytes: the file was cut")]
    CutUtf16,
    /// The file is compressed, and the crate is built without the feature `gzip`.
    #[error("this is compressed with gzip: enable the feature `gzip`, or unpack it with `gunzip -k FILE`")]
    Gzipped,
    /// The file is compressed, and damaged.
    #[error("this is compressed with gzip, and cannot be unpacked: {0}")]
    BrokenGzip(String),
    /// The file is compressed, and holds more than may be read.
    #[error("this is compressed, and holds more than the limit of {limit} bytes; {RAISE_LIMIT}")]
    UnpackedTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is a zip archive.
    #[error("this is a zip archive, not text; `inspect log dump` writes the JSON of an Inspect log")]
    Zipped,
    /// The operating system refuses.
    #[error("{0}")]
    Refused(String),
}

/// Returns the problem that an error of the operating system means.
pub(super) fn problem_of(error: &io::Error) -> ReadProblem {
    match error.kind() {
        io::ErrorKind::NotFound => ReadProblem::Missing,
        io::ErrorKind::IsADirectory => ReadProblem::Folder,
        _ => ReadProblem::Refused(error.to_string()),
    }
}
