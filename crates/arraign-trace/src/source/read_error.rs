//! Why a file could not be read.

use std::io;

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
    #[error("{size} bytes are over the limit of {limit}; `Harness::size_limit` raises it")]
    TooLarge {
        /// The size of the file in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is not UTF-8 text.
    #[error("not UTF-8: byte {0} begins no character")]
    NotUtf8(usize),
    /// The file is in another encoding of Unicode.
    #[error(
        "this is UTF-16, not UTF-8: convert it, as with `iconv -f UTF-16 -t UTF-8 FILE`; PowerShell writes UTF-8 with `| Out-File -Encoding utf8`"
    )]
    Utf16,
    /// The file is compressed.
    #[error("this is compressed with gzip: unpack it, as with `gunzip -k FILE`")]
    Gzipped,
    /// The file is a zip archive.
    #[error("this is a zip archive, not text; `inspect log dump` writes the JSON of an Inspect log")]
    Zipped,
    /// The operating system refuses.
    #[error("{0}")]
    Refused(String),
}

/// Returns the problem with a file that is no UTF-8 from this byte on.
pub(crate) fn problem_of_bytes(bytes: &[u8], invalid_from: usize) -> ReadProblem {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => ReadProblem::Utf16,
        [0x1F, 0x8B, ..] => ReadProblem::Gzipped,
        _ => ReadProblem::NotUtf8(invalid_from),
    }
}

/// Returns the problem that an error of the operating system means.
pub(super) fn problem_of(error: &io::Error) -> ReadProblem {
    match error.kind() {
        io::ErrorKind::NotFound => ReadProblem::Missing,
        io::ErrorKind::IsADirectory => ReadProblem::Folder,
        _ => ReadProblem::Refused(error.to_string()),
    }
}
