//! Finds the syntax error in a file that is too large for the memory.

use std::io::{self, BufRead, Read as _, Seek, SeekFrom};

use serde::de::IgnoredAny;

use crate::json::{JsonError, find_error};
use crate::reader::error::{TraceError, TraceProblem};
use crate::reader::foreign::recognize_text;

/// The number of bytes that are read at once.
const PIECE: u64 = 64 << 10;

/// Finds the first error of a file that begins at byte `offset`; `None` if it is valid JSON.
pub(crate) fn mistake(
    file: &mut (impl BufRead + Seek),
    lines: bool,
    offset: u64,
) -> io::Result<Option<TraceError>> {
    file.rewind()?;
    if let Some(byte) = first_strange_byte(file)? {
        return Ok(Some(TraceProblem::NotUtf8(byte).into()));
    }
    file.seek(SeekFrom::Start(offset))?;
    // A value may span lines if the file as a whole is JSON, so documents are tried before lines.
    let Some(error) = in_documents(&mut *file) else { return Ok(None) };
    if let Some(named) = name_head(file)? {
        return Ok(Some(named));
    }
    file.seek(SeekFrom::Start(offset))?;
    let in_a_line = if lines { in_lines(file)? } else { None };
    Ok(in_a_line.or(Some(error)))
}

/// Names a file that is not JSON by its beginning; `None` if it is not known.
fn name_head(file: &mut (impl BufRead + Seek)) -> io::Result<Option<TraceError>> {
    file.rewind()?;
    let mut head = Vec::new();
    file.take(PIECE).read_to_end(&mut head)?;
    let head = String::from_utf8_lossy(&head);
    // The last line is cut, perhaps.
    let whole = head.rfind('\n').map_or(&*head, |end| &head[..end]);
    Ok(recognize_text(whole))
}

/// Finds the first byte that begins no character. A character may be split between two reads: its bytes are kept for the
/// next one.
fn first_strange_byte(file: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut held = Vec::new();
    let mut offset = 0;
    loop {
        let read = file.take(PIECE).read_to_end(&mut held)?;
        let Err(error) = std::str::from_utf8(&held) else {
            offset += held.len() as u64;
            held.clear();
            if read == 0 {
                return Ok(None);
            }
            continue;
        };
        // Without a length, the error is a character that is cut at the end of the buffer.
        if error.error_len().is_some() || read == 0 {
            return Ok(Some(offset + error.valid_up_to() as u64));
        }
        offset += error.valid_up_to() as u64;
        // The bytes of the cut character stay for the next read.
        held.drain(..error.valid_up_to());
    }
}

fn in_lines(source: &mut impl BufRead) -> io::Result<Option<TraceError>> {
    let mut bytes = Vec::new();
    // A line may hold several values. A value that spans lines is an error here, which `mistake` reports only if the
    // file as a whole is not JSON either.
    for line in 1.. {
        bytes.clear();
        if source.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        if let Some(error) = find_error(&String::from_utf8_lossy(bytes.trim_ascii_end())) {
            return Ok(Some(not_json(line, &error)));
        }
    }
    Ok(None)
}

fn in_documents(source: impl BufRead) -> Option<TraceError> {
    let mut values = serde_json::Deserializer::from_reader(source).into_iter::<IgnoredAny>();
    // The file need not fit into the memory, so it is read as a stream.
    values.find_map(Result::err).map(|error| {
        let reason = error.to_string().split(" at line ").next().unwrap_or_default().to_owned();
        TraceProblem::NotJson { line: error.line(), column: error.column(), reason }.into()
    })
}

fn not_json(line: usize, error: &JsonError) -> TraceError {
    TraceProblem::NotJson { line, column: error.column(), reason: error.message().to_owned() }.into()
}
