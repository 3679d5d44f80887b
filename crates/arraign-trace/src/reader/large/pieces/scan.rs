//! A scanner that finds where JSON values begin and end without parsing them, so that a file of any size goes through one
//! buffer.

use std::io::{self, BufRead};

/// The reason why a file cannot be read in pieces.
#[derive(Debug)]
pub(crate) enum SplitError {
    /// The file cannot be read at all.
    Io(io::Error),
    /// The file is not JSON, or not text. [`crate::reader::large::pieces::mistake`] finds the place.
    Broken,
    /// The file is JSON that cannot be split into pieces.
    Unsuited,
}

impl From<io::Error> for SplitError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A file that is read forwards, with the place of the next byte.
#[derive(Debug)]
pub(crate) struct Scan<R> {
    input: R,
    /// From 0.
    pub(crate) offset: u64,
    /// From 1.
    pub(crate) line: usize,
    /// Whether a value must end on its line: a broken line in JSON Lines must not swallow the lines after it.
    lines: bool,
}

impl<R: BufRead> Scan<R> {
    /// Begins at byte `offset`, which is on `line`. `input` must be there.
    pub(crate) fn new(input: R, lines: bool, offset: u64, line: usize) -> Self {
        Self { input, offset, line, lines }
    }

    /// Skips whitespace, and returns the next byte without taking it.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, SplitError> {
        // Whitespace may fill whole buffers, so each buffer is consumed up to its first other byte before the next is
        // asked for.
        loop {
            let chunk = self.input.fill_buf()?;
            let found = chunk.iter().position(|byte| !byte.is_ascii_whitespace());
            let blank = found.unwrap_or(chunk.len());
            let next = found.map(|at| chunk[at]);
            if next.is_none() && blank == 0 {
                return Ok(None);
            }
            let breaks = line_breaks(&chunk[..blank]);
            self.advance(blank, breaks);
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    /// Takes the byte that [`Scan::peek`] returned.
    pub(crate) fn take(&mut self) {
        self.advance(1, 0);
    }

    /// Appends the value that begins at the next byte to `out`, byte for byte.
    pub(crate) fn value(&mut self, out: &mut Vec<u8>) -> Result<(), SplitError> {
        let mut shape = ValueShape::default();
        let from = self.offset;
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                // A scalar may end with the file. Whether it is complete is left to the parser.
                return if shape.is_scalar() { Ok(()) } else { Err(SplitError::Broken) };
            }
            // The bytes are copied before it is known whether the value is valid JSON. The scanner only finds where it
            // ends; the parser that reads the copy checks the rest.
            let (length, ended) = shape.part_of(chunk);
            let part = &chunk[..length];
            let breaks = line_breaks(part);
            // In JSON Lines, a value that goes on behind the line break is a mistake, which the parser reports with
            // its line.
            if self.lines && breaks > 0 {
                return Err(SplitError::Broken);
            }
            out.extend_from_slice(part);
            self.advance(length, breaks);
            if ended {
                // A comma or a closing bracket without a value before it.
                return if self.offset > from { Ok(()) } else { Err(SplitError::Broken) };
            }
        }
    }

    fn advance(&mut self, bytes: usize, breaks: usize) {
        self.input.consume(bytes);
        self.offset += bytes as u64;
        self.line += breaks;
    }
}

#[expect(clippy::naive_bytecount, reason = "the compiler makes wide instructions of it; no crate is needed")]
fn line_breaks(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// The state of the scanner within one value.
#[derive(Debug, Default)]
struct ValueShape {
    /// The number of open lists and objects.
    open: usize,
    in_text: bool,
    escaped: bool,
    begun: bool,
}

impl ValueShape {
    /// Whether the value is a number or a word, which only the byte after it ends.
    fn is_scalar(&self) -> bool {
        self.begun && self.open == 0 && !self.in_text
    }

    /// Returns the number of bytes of `chunk` that belong to the value, and whether the value ends there.
    fn part_of(&mut self, chunk: &[u8]) -> (usize, bool) {
        // The value may end in a later chunk: what is open is kept in `self`, and the scan goes on from there. Inside a
        // text only quotes and backslashes count; outside, brackets do. A scalar has no end of its own: the byte after it
        // ends it, and belongs to the file.
        let mut at = 0;
        while let Some(byte) = chunk.get(at) {
            if self.in_text {
                at += self.text(&chunk[at..]);
                if !self.in_text && self.open == 0 {
                    return (at, true);
                }
                continue;
            }
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.open += 1,
                b'}' | b']' if self.open == 1 => return (at + 1, true),
                b'}' | b']' | b',' | b' ' | b'\n' | b'\r' | b'\t' if self.open == 0 => return (at, true),
                b'}' | b']' => self.open -= 1,
                _ => {}
            }
            self.begun = true;
            at += 1;
        }
        (at, false)
    }

    /// Returns the number of bytes of `chunk` that belong to the open text.
    fn text(&mut self, chunk: &[u8]) -> usize {
        // A backslash at the end of the previous chunk escapes the first byte of this one.
        let mut at = usize::from(std::mem::take(&mut self.escaped));
        while let Some(found) = chunk[at..].iter().position(|byte| matches!(byte, b'"' | b'\\')) {
            at += found + 1;
            if chunk[at - 1] == b'"' {
                self.in_text = false;
                return at;
            }
            if at == chunk.len() {
                self.escaped = true;
                return at;
            }
            at += 1;
        }
        chunk.len()
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// The values of a text that comes in pieces of `size` bytes, each with its line.
    fn values(text: &str, size: usize) -> Vec<(usize, String)> {
        let mut scan = Scan::new(BufReader::with_capacity(size, text.as_bytes()), false, 0, 1);
        let mut values = Vec::new();
        while scan.peek().expect("it can be read").is_some() {
            let line = scan.line;
            let mut out = Vec::new();
            scan.value(&mut out).expect("a value");
            values.push((line, String::from_utf8(out).expect("UTF-8")));
        }
        assert_eq!(scan.offset, text.len() as u64);
        values
    }

    #[test]
    fn values_are_found_wherever_the_buffer_ends() {
        let text = "{\"a\\\\\": \"}\\\"\", \"b\": [1, {}]}\n \"x\\\\\" \n\n12.5 [\"]\",\n[[]]]{}null\n";
        let expected = [
            (1, "{\"a\\\\\": \"}\\\"\", \"b\": [1, {}]}"),
            (2, "\"x\\\\\""),
            (4, "12.5"),
            (4, "[\"]\",\n[[]]]"),
            (5, "{}"),
            (5, "null"),
        ];
        for size in 1..40 {
            let found = values(text, size);
            let found: Vec<(usize, &str)> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
            assert_eq!(found, expected, "{size}");
        }
    }

    #[test]
    fn a_value_that_does_not_end_is_broken_and_ends_with_its_line_in_json_lines() {
        for (text, lines) in
            [("{\"a\": 1", false), ("\"a\\\"", false), ("[1,\n2]", true), ("{\"a\n\"}", true)]
        {
            let mut scan = Scan::new(text.as_bytes(), lines, 0, 1);
            let read = scan.value(&mut Vec::new());
            assert!(matches!(read, Err(SplitError::Broken)), "{text}");
        }
    }
}
