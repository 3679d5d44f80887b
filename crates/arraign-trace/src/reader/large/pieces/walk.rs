//! A walk through a file, record by record and piece by piece, that leaves out unwanted pieces.
//!
//! If a record contains the pieces of several runs in lists, an unwanted piece is replaced by null, so that the other
//! entries keep their indices. An entry of a list without any wanted piece is replaced as a whole.

use std::io::BufRead;

use crate::json::check_keys;
use crate::reader::build::missed_calls::may_tell;
use crate::reader::large::pieces::Step;
use crate::reader::large::pieces::scan::{Scan, SplitError};

/// The place where a record begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordStart {
    pub(crate) offset: u64,
    /// From 1.
    pub(crate) line: usize,
    /// The index in the list of the file, from 0, if the file is one list.
    pub(crate) item: Option<usize>,
}

/// Decides from the text of a piece whether it is wanted.
pub(crate) type Judge<'j> = dyn FnMut(&str) -> Result<bool, SplitError> + 'j;

/// A walk through a file, which never builds a tree. `out` receives the text of the current record byte for byte, except
/// that unwanted pieces are replaced. `piece` holds the text of one piece while its judge decides. The memory is bounded
/// by the largest record.
#[derive(Debug)]
pub(crate) struct Walk<R> {
    scan: Scan<R>,
    path: &'static [Step],
    stands: WalkPosition,
    out: Vec<u8>,
    piece: Vec<u8>,
    /// Whether something that is no piece, and was left out, may tell of a call or a message.
    pub(crate) leaves_out_words: bool,
}

#[derive(Debug, Clone, Copy)]
enum WalkPosition {
    AtTheStart,
    AtRecord(RecordStart),
    AfterRecord,
    AfterItem(usize),
}

impl<R: BufRead> Walk<R> {
    /// Begins at byte `offset` of a file, the first byte of `input`. `path` leads from a record to its pieces.
    pub(crate) fn begin(input: R, lines: bool, path: &'static [Step], offset: u64) -> Self {
        let spot = RecordStart { offset, line: 1, item: None };
        Self { stands: WalkPosition::AtTheStart, ..Self::at(input, lines, path, spot) }
    }

    /// Continues at a record that was found before. `input` must be there.
    pub(crate) fn at(input: R, lines: bool, path: &'static [Step], spot: RecordStart) -> Self {
        let scan = Scan::new(input, lines, spot.offset, spot.line);
        Self {
            scan,
            path,
            stands: WalkPosition::AtRecord(spot),
            out: Vec::new(),
            piece: Vec::new(),
            leaves_out_words: false,
        }
    }

    /// Returns the place of the next record, if there is one.
    pub(crate) fn next(&mut self) -> Result<Option<RecordStart>, SplitError> {
        match self.stands {
            WalkPosition::AtTheStart => self.first(),
            WalkPosition::AtRecord(spot) => Ok(Some(self.stand_at(spot))),
            WalkPosition::AfterRecord => self.document(),
            WalkPosition::AfterItem(index) => self.item_after(index),
        }
    }

    fn stand_at(&mut self, spot: RecordStart) -> RecordStart {
        self.stands = spot.item.map_or(WalkPosition::AfterRecord, WalkPosition::AfterItem);
        spot
    }

    fn first(&mut self) -> Result<Option<RecordStart>, SplitError> {
        if self.scan.peek()? != Some(b'[') {
            return self.document();
        }
        self.scan.take();
        if self.scan.peek()? == Some(b']') { self.end_of_list() } else { self.item(0) }
    }

    fn document(&mut self) -> Result<Option<RecordStart>, SplitError> {
        let next = self.scan.peek()?;
        let Scan { offset, line, .. } = self.scan;
        Ok(next.map(|_| self.stand_at(RecordStart { offset, line, item: None })))
    }

    fn item(&mut self, index: usize) -> Result<Option<RecordStart>, SplitError> {
        self.scan.peek()?;
        let Scan { offset, line, .. } = self.scan;
        Ok(Some(self.stand_at(RecordStart { offset, line, item: Some(index) })))
    }

    fn item_after(&mut self, index: usize) -> Result<Option<RecordStart>, SplitError> {
        if self.comma_or(b']')? { self.item(index + 1) } else { self.end_of_list() }
    }

    /// Ends the list of the file. A list with something after it is one record among others. Such files are rare, and are
    /// not split.
    fn end_of_list(&mut self) -> Result<Option<RecordStart>, SplitError> {
        self.scan.take();
        if self.scan.peek()?.is_some() { Err(SplitError::Unsuited) } else { Ok(None) }
    }

    /// Takes a comma. Returns false at `end`.
    fn comma_or(&mut self, end: u8) -> Result<bool, SplitError> {
        match self.scan.peek()? {
            Some(b',') => {
                self.scan.take();
                Ok(true)
            }
            Some(byte) if byte == end => Ok(false),
            _ => Err(SplitError::Broken),
        }
    }

    /// Reads a record, and returns its text with the pieces that `judge` wants; `None` if it wants none.
    pub(crate) fn record(&mut self, judge: &mut Judge<'_>) -> Result<Option<String>, SplitError> {
        self.out.clear();
        if !self.value(self.path, judge)? {
            self.note_left_out(0)?;
            return Ok(None);
        }
        let text = String::from_utf8(std::mem::take(&mut self.out));
        text.map(Some).map_err(|_| SplitError::Broken)
    }

    /// Reads a value; `path` leads from it to its pieces. Returns whether one of them is wanted.
    fn value(&mut self, path: &'static [Step], judge: &mut Judge<'_>) -> Result<bool, SplitError> {
        // A record whose shape differs from the path is copied as it is: it holds no pieces, and the reader reports
        // what it is.
        match (path, self.scan.peek()?) {
            ([], _) => self.piece(judge),
            ([Step::Under(names), rest @ ..], Some(b'{')) => self.object(names, rest, judge),
            ([Step::Each, rest @ ..], Some(b'[')) => self.list(rest, judge),
            _ => self.scan.value(&mut self.out).map(|()| false),
        }
    }

    fn piece(&mut self, judge: &mut Judge<'_>) -> Result<bool, SplitError> {
        self.piece.clear();
        self.scan.value(&mut self.piece)?;
        let wanted = judge(std::str::from_utf8(&self.piece).map_err(|_| SplitError::Broken)?)?;
        if wanted {
            self.out.extend_from_slice(&self.piece);
        }
        Ok(wanted)
    }

    fn object(
        &mut self,
        names: &[&str],
        rest: &'static [Step],
        judge: &mut Judge<'_>,
    ) -> Result<bool, SplitError> {
        self.copy(b'{');
        let mut kept = false;
        if self.closes(b'}')? {
            return Ok(kept);
        }
        loop {
            let is_named = self.key(names)?;
            if is_named {
                kept |= self.value(rest, judge)?;
            } else {
                // A value under another key is copied without a look into it: it belongs to every run of the record.
                self.scan.value(&mut self.out)?;
            }
            if !self.comma_or(b'}')? {
                self.copy(b'}');
                return Ok(kept);
            }
            self.out.push(b',');
        }
    }

    /// Reads a key and its colon. Returns whether the key is one of `names`.
    fn key(&mut self, names: &[&str]) -> Result<bool, SplitError> {
        if self.scan.peek()? != Some(b'"') {
            return Err(SplitError::Broken);
        }
        // The key is copied to the output in any case, and compared there without its quotes.
        let from = self.out.len();
        self.scan.value(&mut self.out)?;
        let key = &self.out[from + 1..self.out.len() - 1];
        let is_named = names.iter().any(|name| name.as_bytes() == key);
        if self.scan.peek()? != Some(b':') {
            return Err(SplitError::Broken);
        }
        self.copy(b':');
        // Whitespace before the value is skipped, so that the value begins at the next byte.
        self.scan.peek()?;
        Ok(is_named)
    }

    fn list(&mut self, rest: &'static [Step], judge: &mut Judge<'_>) -> Result<bool, SplitError> {
        self.copy(b'[');
        let mut kept = false;
        if self.closes(b']')? {
            return Ok(kept);
        }
        loop {
            // The entry is written first and taken back if no piece in it is wanted. Its text is not known before it
            // was scanned.
            let from = self.out.len();
            if self.value(rest, judge)? {
                kept = true;
            } else {
                self.note_left_out(from)?;
                self.out.truncate(from);
                // `null` keeps the places of the entries behind this one.
                self.out.extend_from_slice(b"null");
            }
            if !self.comma_or(b']')? {
                self.copy(b']');
                return Ok(kept);
            }
            self.out.push(b',');
        }
    }

    /// Looks through the output from a byte on, before it is dropped. A file with a duplicate key there is not split: its
    /// reader opens the objects around the pieces, and reports the key.
    fn note_left_out(&mut self, from: usize) -> Result<(), SplitError> {
        let Ok(text) = std::str::from_utf8(&self.out[from..]) else { return Ok(()) };
        self.leaves_out_words = self.leaves_out_words || may_tell(text);
        if text.is_empty() { Ok(()) } else { check_keys(text).map_err(|_| SplitError::Unsuited) }
    }

    fn copy(&mut self, byte: u8) {
        self.scan.take();
        self.out.push(byte);
    }

    fn closes(&mut self, byte: u8) -> Result<bool, SplitError> {
        let closes = self.scan.peek()? == Some(byte);
        if closes {
            self.copy(byte);
        }
        Ok(closes)
    }
}
