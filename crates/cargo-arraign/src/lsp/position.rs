//! Positions of the protocol (lines from 0, columns in UTF-16) and byte offsets; URIs and paths.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use arraign::verdict::Location;
use lsp_types::{Position, Range, Uri};

/// Returns the position of the byte `offset` of `text`.
pub(super) fn find_position(text: &str, offset: usize) -> Position {
    let offset = offset.min(text.len());
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count();
    Position::new(to_u32(line), to_u32(before[line_start..].encode_utf16().count()))
}

/// Returns the byte offset of `position` in `text`. A position behind the end of its line is the end of the line.
pub(super) fn find_offset(text: &str, position: Position) -> usize {
    let line_start = match position.line {
        0 => 0,
        line => text.match_indices('\n').nth(line as usize - 1).map_or(text.len(), |(at, _)| at + 1),
    };
    let line = text[line_start..].split('\n').next().unwrap_or_default();
    // The protocol counts UTF-16 units, and a string here counts bytes.
    let mut units = 0;
    for (at, c) in line.char_indices() {
        if units >= position.character {
            return line_start + at;
        }
        units += to_u32(c.len_utf16());
    }
    line_start + line.len()
}

/// Returns the range of the bytes `start..end` of `text`.
pub(super) fn find_range(text: &str, start: usize, end: usize) -> Range {
    Range::new(find_position(text, start), find_position(text, end.max(start)))
}

/// Returns the range of a place in a file that may not be at hand.
pub(super) fn location_range(location: &Location) -> Range {
    let line = to_u32(location.line.saturating_sub(1));
    let units = |column: usize| {
        // The beginning of a long line may have been cut off; its characters are counted as one unit each.
        let before = location.text.chars().take(column.saturating_sub(1 + location.skipped));
        to_u32(location.skipped + before.map(char::len_utf16).sum::<usize>())
    };
    Range::new(Position::new(line, units(location.column)), Position::new(line, units(location.end_column)))
}

/// Returns the beginning of the line `line`, from 1.
pub(super) fn line_start(line: usize) -> Range {
    let position = Position::new(to_u32(line.saturating_sub(1)), 0);
    Range::new(position, position)
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns the path of a `file:` URI.
pub(super) fn uri_to_path(uri: &Uri) -> Option<PathBuf> {
    if uri.scheme()?.as_str() != "file" {
        return None;
    }
    let path = uri.path().as_estr().decode().into_string().ok()?.into_owned();
    // On Windows, the path of a URI is `/C:/folder`.
    let drive = path.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    Some(PathBuf::from(drive.unwrap_or(&path)))
}

/// Returns the `file:` URI of an absolute path.
pub(super) fn path_to_uri(path: &Path) -> Option<Uri> {
    let text = path.to_str()?.replace('\\', "/");
    // Resolving links on Windows makes `\\?\C:\folder`.
    let text = text.strip_prefix("//?/").unwrap_or(&text);
    let mut uri = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf16_and_lead_back() {
        let text = "a\nx😀é: y\n\nend";
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            assert_eq!(find_offset(text, find_position(text, offset)), offset);
        }
        let after = text.find("é").expect("it is there");
        assert_eq!(find_position(text, after), Position::new(1, 3));
        assert_eq!(find_offset(text, Position::new(1, 99)), text.find("\n\n").expect("it is there"));
    }

    #[test]
    fn paths_become_uris_and_lead_back() {
        let path = Path::new("/a b/\u{e9}/50%x#y?.yaml");
        let uri = path_to_uri(path).expect("it is a URI");
        assert_eq!(uri.as_str(), "file:///a%20b/%C3%A9/50%25x%23y%3F.yaml");
        assert_eq!(uri_to_path(&uri).as_deref(), Some(path));
        let uri = path_to_uri(Path::new(r"\\?\C:\a b")).expect("it is a URI");
        assert_eq!((uri.as_str(), uri_to_path(&uri)), ("file:///C:/a%20b", Some("C:/a b".into())));
    }
}
