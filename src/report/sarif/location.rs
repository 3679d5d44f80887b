//! Places as SARIF writes them: URIs and columns in UTF-16 code units.

use std::fmt::Write as _;

use super::model::{Artifact, Physical, Place, Region};
use super::words::message;
use crate::place::Location;
use crate::report::Run;
use crate::report::run::is_absolute;

/// What relative URIs begin at: the root of the repository.
const ROOT: &str = "%SRCROOT%";

/// A place in a file.
pub(super) fn place(run: &Run, at: &Location) -> Place {
    let (start, end) = (utf16_column(at, at.column), utf16_column(at, at.end_column));
    let region = Region { start_line: at.line.max(1), start_column: start, end_column: end.max(start) };
    Place { id: None, physical_location: physical(run, &at.file, Some(region)), message: None }
}

/// A whole file, and what it has to do with the result.
pub(super) fn file(run: &Run, file: &str, says: &str) -> Place {
    Place { id: None, physical_location: physical(run, file, None), message: Some(message(says)) }
}

fn physical(run: &Run, file: &str, region: Option<Region>) -> Physical {
    let path = run.below_repository(file);
    let artifact_location = if is_absolute(&path) {
        let slash = if path.starts_with('/') { "" } else { "/" };
        Artifact { uri: format!("file://{slash}{}", encoded(&path)), uri_base_id: None }
    } else {
        Artifact { uri: encoded(&path), uri_base_id: Some(ROOT) }
    };
    Physical { artifact_location, region }
}

/// The path of a URI: every byte that could mean anything is percent-encoded.
fn encoded(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// A column, counted from 1 in characters, in UTF-16 code units.
fn utf16_column(at: &Location, column: usize) -> usize {
    let before = column.saturating_sub(1);
    let known: usize = at.text.chars().take(before).map(char::len_utf16).sum();
    let beyond = before.saturating_sub(at.text.chars().count());
    known + beyond + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_utf_16() {
        let mut at = Location::default();
        (at.text, at.column, at.end_column) = ("- 😀é: x".to_owned(), 6, 7);
        assert_eq!((utf16_column(&at, 3), utf16_column(&at, 6), utf16_column(&at, 40)), (3, 7, 41));
    }

    #[test]
    fn a_path_is_percent_encoded() {
        assert_eq!(encoded("evals/ä b/50%#1?.yaml"), "evals/%C3%A4%20b/50%25%231%3F.yaml");
        assert_eq!(encoded("javascript:x"), "javascript%3Ax");
    }
}
