//! The events of a file that is read again. Composing them costs a fraction of parsing the text.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use granit_parser::{Event, ScalarStyle, StructureStyle};

use crate::place::Span;

/// The parser's events of a file without anchors and tags, in about three bytes each: the kind and the place, and the text
/// of a scalar that is not written as it is read.
#[derive(Debug)]
pub struct EventLog {
    bytes: Vec<u8>,
    last_start: u32,
    text_hash: u64,
}

const LIST: u64 = 0;
const MAP: u64 = 1;
const END: u64 = 2;
/// A plain scalar, which is written as it is read.
const PLAIN: u64 = 3;
/// A scalar between two quotes, which is written as it is read.
const QUOTED: u64 = 4;
/// A plain scalar with its text.
const PLAIN_TEXT: u64 = 5;
/// Any other scalar with its text.
const OTHER_TEXT: u64 = 6;
/// The number of bits of a kind.
const KIND_BITS: u32 = 3;

impl EventLog {
    /// Creates the log of the file `text`, without an event.
    pub(super) fn new(text: &str) -> Self {
        Self { bytes: Vec::new(), last_start: 0, text_hash: hash_text(text) }
    }

    /// Adds an event of the file `text`. Returns `None` for an anchor or a tag.
    pub(super) fn add_event(&mut self, event: &Event<'_>, span: Span, text: &str) -> Option<()> {
        let (kind, own) = match event {
            Event::Scalar(value, style, 0, None) => {
                let written = text.get(span.start as usize..span.end as usize).unwrap_or_default();
                let inner = written.get(1..written.len().saturating_sub(1));
                match style {
                    ScalarStyle::Plain if written == value => (PLAIN, None),
                    ScalarStyle::Plain => (PLAIN_TEXT, Some(value)),
                    _ if inner == Some(value) => (QUOTED, None),
                    _ => (OTHER_TEXT, Some(value)),
                }
            }
            Event::SequenceStart(_, 0, None) => (LIST, None),
            Event::MappingStart(_, 0, None) => (MAP, None),
            Event::SequenceEnd | Event::MappingEnd => (END, None),
            Event::StreamStart | Event::StreamEnd | Event::DocumentStart(..) | Event::DocumentEnd => {
                return Some(());
            }
            _ => return None,
        };
        // A place is the distance from the one before, which may be behind it: the lowest bit is the sign.
        let distance = i64::from(span.start) - i64::from(self.last_start);
        self.last_start = span.start;
        let distance = distance.unsigned_abs() << 1 | u64::from(distance < 0);
        self.add_number(distance << KIND_BITS | kind);
        self.add_number(u64::from(span.end.saturating_sub(span.start)));
        if let Some(own) = own {
            self.add_number(own.len() as u64);
            self.bytes.extend_from_slice(own.as_bytes());
        }
        Some(())
    }

    /// Returns the events with their places in `text`. Returns `None` if the log is about another text.
    pub(super) fn list_events<'l>(&'l self, text: &'l str) -> Option<EventReplay<'l>> {
        let events = EventReplay { bytes: &self.bytes, start: 0, text };
        (self.text_hash == hash_text(text)).then_some(events)
    }

    /// Adds a number, seven bits in each byte. All bytes but the last have the highest bit.
    fn add_number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.bytes.push(number.to_le_bytes()[0]);
    }
}

fn hash_text(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The events of a log.
pub(super) struct EventReplay<'l> {
    bytes: &'l [u8],
    start: u32,
    text: &'l str,
}

impl<'l> EventReplay<'l> {
    fn take_number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }

    fn take_text(&mut self) -> Option<&'l str> {
        let length = usize::try_from(self.take_number()?).ok()?;
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        std::str::from_utf8(text).ok()
    }
}

impl<'l> Iterator for EventReplay<'l> {
    type Item = (Event<'l>, Span);

    fn next(&mut self) -> Option<Self::Item> {
        let (number, length) = (self.take_number()?, self.take_number()?);
        let distance = u32::try_from(number >> (KIND_BITS + 1)).ok()?;
        let is_behind = number >> KIND_BITS & 1 == 1;
        self.start = if is_behind { self.start - distance } else { self.start + distance };
        let span = Span { start: self.start, end: self.start + u32::try_from(length).ok()? };
        let (start, end) = (span.start as usize, span.end as usize);
        let (value, style) = match number & ((1 << KIND_BITS) - 1) {
            LIST => return Some((Event::SequenceStart(StructureStyle::Block, 0, None), span)),
            MAP => return Some((Event::MappingStart(StructureStyle::Block, 0, None), span)),
            END => return Some((Event::SequenceEnd, span)),
            PLAIN => (self.text.get(start..end)?, ScalarStyle::Plain),
            QUOTED => (self.text.get(start + 1..end - 1)?, ScalarStyle::DoubleQuoted),
            PLAIN_TEXT => (self.take_text()?, ScalarStyle::Plain),
            _ => (self.take_text()?, ScalarStyle::DoubleQuoted),
        };
        Some((Event::Scalar(Cow::Borrowed(value), style, 0, None), span))
    }
}

#[cfg(test)]
mod tests {
    use crate::place::Source;
    use crate::yaml::{Document, Tree};

    fn list_roots(documents: Vec<Document>) -> Vec<Tree> {
        documents.into_iter().map(|document| document.root).collect()
    }

    #[test]
    fn a_log_gives_the_same_trees_at_the_same_places() {
        for text in [
            "a: 1\nb: {c: [x, 'it''s', \"q\\n\", \"ä\"], d: , e: ~}\n",
            "# a comment\ntests:\n  - id: ä\n    text: |\n      two\n      lines\n    more: a plain\n      text\n  -\n",
            "a: 1\n---\n---\n[b, \"\", '']\n...\n",
            "<<: {a: 1}\n\"<<\": x\n? k\n: v\n",
            "\u{feff}a: >-\n  folded\n  text\n",
        ] {
            let source = Source::new("t.yaml", text);
            let parsed = Document::parse(&source).expect("it is valid");
            let events = Document::log_events(&source).expect(text);
            let replayed = Document::replay(&source, &events).expect(text);
            assert_eq!(list_roots(replayed), list_roots(parsed), "{text}");
        }
    }

    #[test]
    fn a_text_with_anchors_tags_or_mistakes_has_no_log_and_another_text_has_another() {
        for text in ["a: &x 1\nb: *x", "a: !!str 1", "a: [", "a: *x"] {
            assert!(Document::log_events(&Source::new("t.yaml", text)).is_none(), "{text}");
        }
        let [source, changed] = ["a: 1", "a: 2"].map(|text| Source::new("t.yaml", text));
        let events = Document::log_events(&source).expect("two scalars");
        assert!(Document::replay(&changed, &events).is_none());
    }
}
