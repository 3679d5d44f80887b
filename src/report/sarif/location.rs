//! SARIF locations: URIs, and columns in UTF-16 code units.

use std::fmt::Write as _;

use crate::json::{Json, json};
use crate::place::Location;
use crate::report::RunInfo;
use crate::report::run::is_absolute;

/// The base of relative URIs: the root of the repository.
const REPOSITORY_ROOT: &str = "%SRCROOT%";

/// Returns the `physicalLocation` of a place in a file.
pub(super) fn locate_region(run: &RunInfo, at: &Location) -> Json {
    let start = utf16_column(at, at.column);
    let end = utf16_column(at, at.end_column);
    let region = json!({"startLine": at.line.max(1), "startColumn": start, "endColumn": end.max(start)});
    json!({"artifactLocation": locate_artifact(run, &at.file), "region": region})
}

/// Returns the `physicalLocation` of a whole file.
pub(super) fn locate_file(run: &RunInfo, file: &str) -> Json {
    json!({"artifactLocation": locate_artifact(run, file)})
}

fn locate_artifact(run: &RunInfo, file: &str) -> Json {
    let path = run.below_repository(file);
    if is_absolute(&path) {
        // A drive letter of Windows needs a slash before it.
        let slash = if path.starts_with('/') { "" } else { "/" };
        return json!({"uri": format!("file://{slash}{}", percent_encode(&path))});
    }
    json!({"uri": percent_encode(&path), "uriBaseId": REPOSITORY_ROOT})
}

/// Percent-encodes a path, except unreserved characters and slashes.
fn percent_encode(path: &str) -> String {
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

/// Converts a column in characters, from 1, to a column in UTF-16 code units.
fn utf16_column(at: &Location, column: usize) -> usize {
    let before = column.saturating_sub(1 + at.skipped);
    // A location can have columns without the text of its line. Characters outside of the known text count as one unit each.
    let known: usize = at.text.chars().take(before).map(char::len_utf16).sum();
    let beyond = before.saturating_sub(at.text.chars().count());
    at.skipped + known + beyond + 1
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
        assert_eq!(percent_encode("evals/ä b/50%#1?.yaml"), "evals/%C3%A4%20b/50%25%231%3F.yaml");
        assert_eq!(percent_encode("javascript:x"), "javascript%3Ax");
    }
}
