//! The parser.
//!
//! It takes what RFC 8259 allows and nothing else, and differs from other parsers in three ways. A number keeps its digits.
//! Where an object has a key twice, the tree keeps both, because parsers differ on which one counts. A lone half of a
//! surrogate pair, which is no character, is read as U+FFFD: programs that cut texts at a number of UTF-16 units write them.
//! Readers of traces, which put the pieces of texts together, get halves that can be joined.

use crate::json::error::JsonError;
use crate::json::halves::keep_half;
use crate::json::map::JsonObject;
use crate::json::number::{JsonNumber, scan_number};
use crate::json::text::JsonText;
use crate::json::tree::{Json, JsonNode};

/// The most lists and objects in one another, as in `serde_json`. Deeper texts would overflow the stack of whoever walks the
/// tree.
const MAX_DEPTH: usize = 127;

/// The length from which an outermost list keeps its memory instead of being copied.
const LONG: usize = 1024;

const CONTROL_CHARACTER: &str = "control character (\\u0000-\\u001F) found while parsing a string";

/// Parses a JSON text. A duplicate key is an error that names the key and its place.
pub fn parse(text: &str) -> Result<Json, JsonError> {
    let value = parse_borrowed(text)?;
    refuse_duplicates(text, &value)?;
    Ok(value.into_json())
}

/// Parses the entries of an object that have one of `names`, and only checks that the rest is JSON. Any other value has none.
pub(crate) fn parse_entries<'t>(text: &'t str, names: &[&str]) -> Result<JsonObject<'t>, JsonError> {
    let is_object = text.trim_start().starts_with('{');
    let mut parser = Parser { wanted: is_object.then_some(names), skips: !is_object, ..Parser::new(text) };
    match parser.read_whole()? {
        JsonNode::Object(object) if is_object => Ok(object),
        _ => Ok(JsonObject::new()),
    }
}

/// Finds the first error of a text that holds any number of values.
pub(crate) fn find_error(text: &str) -> Option<JsonError> {
    let mut values = JsonValues(Parser { skips: true, ..Parser::new(text) });
    loop {
        match values.next() {
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(error) => return Some(error),
        }
    }
}

/// Parses a JSON text. Of two equal keys, the last one counts.
pub fn parse_lenient(text: &str) -> Result<Json, JsonError> {
    parse_borrowed(text).map(JsonNode::into_json)
}

/// Checks that a text is JSON in which no object has a key twice.
pub fn check_keys(text: &str) -> Result<(), JsonError> {
    refuse_duplicates(text, &parse_borrowed(text)?)
}

/// Returns an error with the place of a key that comes twice in `value`, which was parsed from `text`.
pub(super) fn refuse_duplicates(text: &str, value: &JsonNode) -> Result<(), JsonError> {
    let Some(key) = value.find_duplicate() else { return Ok(()) };
    let mut parser = Parser { refused_key: Some(key), ..Parser::new(text) };
    parser.parse_value().map(|_| ())
}

/// Parses a JSON text. The tree borrows from the text, and keeps both of two equal keys.
pub fn parse_borrowed(text: &str) -> Result<JsonNode<'_>, JsonError> {
    Parser::new(text).read_whole()
}

/// Parses the JSON value at the beginning of a text, and returns it with the number of bytes that it takes. A duplicate key is
/// an error that names the key and its place.
pub fn parse_first(text: &str) -> Result<(Json, usize), JsonError> {
    let mut parser = Parser::new(text);
    let value = parser.parse_value()?;
    refuse_duplicates(text, &value)?;
    Ok((value.into_json(), parser.at))
}

/// Parses the JSON value at the beginning of a text as [`parse_first`] does. Of two equal keys, the last one counts.
pub fn parse_first_lenient(text: &str) -> Result<(Json, usize), JsonError> {
    let mut parser = Parser::new(text);
    Ok((parser.parse_value()?.into_json(), parser.at))
}

/// The values of a text, parsed one after another: a document, JSON Lines, or any other sequence.
pub struct JsonValues<'t>(Parser<'t, 'static>);

impl<'t> JsonValues<'t> {
    /// Returns the values of `text`.
    pub fn of(text: &'t str) -> Self {
        Self(Parser::new(text))
    }

    /// Parses the next value, and returns the offset at which it begins, and the value; `None` at the end of the text.
    #[expect(clippy::should_implement_trait, reason = "an iterator would yield again after an error")]
    pub fn next(&mut self) -> Result<Option<(usize, JsonNode<'t>)>, JsonError> {
        let Self(parser) = self;
        parser.skip_whitespace();
        let start = parser.at;
        if start == parser.text.len() {
            return Ok(None);
        }
        let value = parser.parse_value()?;
        // A number or a word ends only where something else begins: `1x` and `nulltrue` are no two values.
        let is_word = matches!(value, JsonNode::Null | JsonNode::Bool(_) | JsonNode::Number(_));
        let may_follow = |byte: u8| b" \n\r\t\"[]{},:".contains(&byte);
        match parser.peek() {
            Some(next) if is_word && !may_follow(next) => Err(parser.fail("trailing characters")),
            _ => Ok(Some((start, value))),
        }
    }

    /// Parses the only value of the text.
    pub(crate) fn read_whole(&mut self) -> Result<JsonNode<'t>, JsonError> {
        self.0.read_whole()
    }

    /// Reads a lone half of a character as what [`join_halves`](crate::json::join_halves) joins.
    pub(crate) fn with_halves(text: &'t str) -> Self {
        Self(Parser { keeps_halves: true, ..Parser::new(text) })
    }

    /// The number of lone halves of characters that were read so far.
    pub fn count_halves(&self) -> usize {
        self.0.halves
    }
}

/// The state of the parser.
struct Parser<'t, 'k> {
    text: &'t str,
    /// The next byte.
    at: usize,
    depth: usize,
    /// How many lone halves of characters were read, and whether they are kept to be joined.
    halves: usize,
    keeps_halves: bool,
    /// A key that no object may have twice.
    refused_key: Option<&'k str>,
    /// The keys of the outermost object whose values are built; `None` for all.
    wanted: Option<&'k [&'k str]>,
    /// The values are only checked.
    skips: bool,
    /// The values of the lists and objects that are not read to their end, the innermost last. A list or an object takes its own
    /// values from the end once it is complete. So each is allocated once and at its exact size, and is not moved while it
    /// grows.
    items: Vec<JsonNode<'t>>,
    entries: Vec<(JsonText<'t>, JsonNode<'t>)>,
}

impl<'t> Parser<'t, '_> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            halves: 0,
            keeps_halves: false,
            refused_key: None,
            wanted: None,
            skips: false,
            items: Vec::new(),
            entries: Vec::new(),
        }
    }

    fn read_whole(&mut self) -> Result<JsonNode<'t>, JsonError> {
        let value = self.parse_value()?;
        self.skip_whitespace();
        if self.at < self.text.len() { Err(self.fail("trailing characters")) } else { Ok(value) }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fail(&self, message: &str) -> JsonError {
        JsonError::at(self.text, self.at, message)
    }

    /// Returns the error for a byte that must not stand here, or for the end of the text.
    fn fail_or_end(&self, message: &str, what: &str) -> JsonError {
        match self.peek() {
            Some(_) => self.fail(message),
            None => self.fail(&format!("EOF while parsing {what}")),
        }
    }

    fn skip_whitespace(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn parse_value(&mut self) -> Result<JsonNode<'t>, JsonError> {
        self.skip_whitespace();
        match self.peek() {
            Some(b'"') if self.skips => self.skip_string().map(|()| JsonNode::Null),
            Some(b'"') => Ok(JsonNode::String(self.parse_string()?)),
            Some(b'{') => self.parse_object(),
            Some(b'[') => self.parse_array(),
            Some(b'-' | b'0'..=b'9') => self.parse_number(),
            Some(b't') => self.parse_word("true", JsonNode::Bool(true)),
            Some(b'f') => self.parse_word("false", JsonNode::Bool(false)),
            Some(b'n') => self.parse_word("null", JsonNode::Null),
            _ => Err(self.fail_or_end("expected value", "a value")),
        }
    }

    fn parse_word(&mut self, word: &str, value: JsonNode<'t>) -> Result<JsonNode<'t>, JsonError> {
        let rest = &self.text.as_bytes()[self.at..];
        let alike = rest.iter().zip(word.bytes()).take_while(|(found, wanted)| *found == wanted).count();
        self.at += alike;
        if alike == word.len() {
            Ok(value)
        } else {
            Err(self.fail_or_end(&format!("expected `{word}`"), "a value"))
        }
    }

    fn parse_number(&mut self) -> Result<JsonNode<'t>, JsonError> {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        if let Some(length) = scan_number(rest) {
            self.at += length;
            Ok(JsonNode::Number(JsonNumber::of_digits(&self.text[start..self.at])))
        } else {
            // The place is the first byte that cannot belong to a number.
            let valid = (1..=rest.len()).take_while(|end| could_become_number(&rest[..*end])).count();
            self.at += valid;
            Err(self.fail_or_end("invalid number", "a value"))
        }
    }

    fn open(&mut self) -> Result<(), JsonError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fail("recursion limit exceeded"));
        }
        self.at += 1;
        Ok(())
    }

    fn parse_array(&mut self) -> Result<JsonNode<'t>, JsonError> {
        self.open()?;
        let first = self.items.len();
        self.skip_whitespace();
        if self.peek() == Some(b']') {
            self.at += 1;
        } else {
            loop {
                let item = match self.peek() {
                    None => return Err(self.fail("EOF while parsing a list")),
                    Some(_) => self.parse_value()?,
                };
                if !self.skips {
                    self.items.push(item);
                }
                self.skip_whitespace();
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        self.skip_whitespace();
                        if self.peek() == Some(b']') {
                            return Err(self.fail("trailing comma"));
                        }
                        if self.peek().is_none() {
                            return Err(self.fail("EOF while parsing a value"));
                        }
                    }
                    Some(b']') => {
                        self.at += 1;
                        break;
                    }
                    _ => return Err(self.fail_or_end("expected `,` or `]`", "a list")),
                }
            }
        }
        self.depth -= 1;
        Ok(JsonNode::Array(close(&mut self.items, first)))
    }

    fn parse_object(&mut self) -> Result<JsonNode<'t>, JsonError> {
        self.open()?;
        let first = self.entries.len();
        self.skip_whitespace();
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            loop {
                if self.peek() != Some(b'"') {
                    return Err(self.fail_or_end("key must be a string", "an object"));
                }
                let key_at = self.at;
                let key = if self.skips {
                    self.skip_string()?;
                    JsonText::default()
                } else {
                    self.parse_string()?
                };
                if self.refused_key.is_some_and(|refused| key == refused)
                    && self.entries[first..].iter().any(|(known, _)| *known == key)
                {
                    self.at = key_at;
                    return Err(self.fail(&format!("duplicate key `{key}`")));
                }
                self.skip_whitespace();
                if self.peek() != Some(b':') {
                    return Err(self.fail_or_end("expected `:`", "an object"));
                }
                self.at += 1;
                let skipped_so_far = self.skips;
                if let (1, Some(wanted)) = (self.depth, self.wanted) {
                    self.skips = !wanted.contains(&key.as_str());
                }
                let value = self.parse_value()?;
                if !self.skips {
                    self.entries.push((key, value));
                }
                self.skips = skipped_so_far;
                self.skip_whitespace();
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        self.skip_whitespace();
                        if self.peek() == Some(b'}') {
                            return Err(self.fail("trailing comma"));
                        }
                        if self.peek().is_none() {
                            return Err(self.fail("EOF while parsing a value"));
                        }
                    }
                    Some(b'}') => {
                        self.at += 1;
                        break;
                    }
                    _ => return Err(self.fail_or_end("expected `,` or `}`", "an object")),
                }
            }
        }
        self.depth -= 1;
        Ok(JsonNode::Object(JsonObject::of_entries(close(&mut self.entries, first))))
    }

    /// Parses a text, which borrows from the source if it has no escapes.
    fn parse_string(&mut self) -> Result<JsonText<'t>, JsonError> {
        self.at += 1;
        let start = self.at;
        self.skip_plain();
        if self.peek() == Some(b'"') {
            let text = &self.text[start..self.at];
            self.at += 1;
            return Ok(JsonText::Borrowed(text));
        }
        let mut decoded = String::from(&self.text[start..self.at]);
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(decoded.into());
                }
                Some(b'\\') => {
                    self.at += 1;
                    decoded.push(self.parse_escape()?);
                }
                _ => return Err(self.fail_or_end(CONTROL_CHARACTER, "a string")),
            }
            let plain = self.at;
            self.skip_plain();
            decoded.push_str(&self.text[plain..self.at]);
        }
    }

    /// Checks a text without building it.
    fn skip_string(&mut self) -> Result<(), JsonError> {
        self.at += 1;
        loop {
            self.skip_plain();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.parse_escape()?;
                }
                _ => return Err(self.fail_or_end(CONTROL_CHARACTER, "a string")),
            }
        }
    }

    /// Moves to the next quote, backslash or control character, or to the end of the text.
    fn skip_plain(&mut self) {
        const ONES: u64 = u64::from_ne_bytes([1; 8]);
        const HIGH: u64 = ONES << 7;
        let bytes = self.text.as_bytes();
        // Eight bytes at once. A subtraction borrows into the high bit of a byte that is below its subtrahend; borrows from the
        // bytes before it spoil only bytes after the first hit.
        while let Some(chunk) = bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            let word = u64::from_le_bytes(*chunk);
            let equals = |byte: u8| {
                let difference = word ^ (ONES * u64::from(byte));
                difference.wrapping_sub(ONES) & !difference
            };
            let control = word.wrapping_sub(ONES * 0x20) & !word;
            let found = (control | equals(b'"') | equals(b'\\')) & HIGH;
            if found != 0 {
                self.at += found.trailing_zeros() as usize / 8;
                return;
            }
            self.at += 8;
        }
        while let Some(byte) = bytes.get(self.at) {
            if matches!(byte, b'"' | b'\\' | 0..0x20) {
                return;
            }
            self.at += 1;
        }
    }

    fn parse_escape(&mut self) -> Result<char, JsonError> {
        let escaped = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.parse_unicode_escape(),
            _ => return Err(self.fail_or_end("invalid escape", "a string")),
        };
        self.at += 1;
        Ok(escaped)
    }

    /// Parses the escape of a UTF-16 unit, or the two of a surrogate pair.
    fn parse_unicode_escape(&mut self) -> Result<char, JsonError> {
        let unit = self.parse_unit()?;
        if let Some(character) = char::from_u32(unit) {
            return Ok(character);
        }
        if unit < 0xdc00 && self.text.as_bytes()[self.at..].starts_with(b"\\u") {
            let before = self.at;
            self.at += 1;
            let second = self.parse_unit()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x1_0000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            // The second escape is a character of its own.
            self.at = before;
        }
        self.halves += 1;
        Ok(if self.keeps_halves { keep_half(unit) } else { char::REPLACEMENT_CHARACTER })
    }

    /// Parses `uXXXX`.
    fn parse_unit(&mut self) -> Result<u32, JsonError> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else { return Err(self.fail_or_end("invalid escape", "a string")) };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }
}

/// Whether further bytes can make these bytes a number.
fn could_become_number(bytes: &[u8]) -> bool {
    scan_number(bytes) == Some(bytes.len())
        || [&b"0"[..], b"00"].iter().any(|more| {
            let longer = [bytes, more].concat();
            scan_number(&longer) == Some(longer.len())
        })
}

/// Takes the values from `first` on, which are complete.
fn close<T>(open: &mut Vec<T>, first: usize) -> Vec<T> {
    if first == 0 && open.len() >= LONG { std::mem::take(open) } else { open.split_off(first) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    #[test]
    fn a_document_is_read_as_it_is_written() {
        let text = r#" {"a": [1, -2.50, true, false, null, "x\n\u00e9\ud83d\ude00\/"], "b": {}, "c": []} "#;
        let document = parse(text).expect("JSON");
        assert_eq!(
            document,
            json!({"a": [1, -2.5, true, false, null, "x\n\u{e9}\u{1f600}/"], "b": {}, "c": []})
        );
        assert_eq!(document.to_string(), r#"{"a":[1,-2.50,true,false,null,"x\né😀/"],"b":{},"c":[]}"#);
    }

    #[test]
    fn a_lone_surrogate_is_a_replacement_character() {
        for (text, read) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\ud83d\u0041""#, "\u{fffd}A"),
            (r#""\ude00x""#, "\u{fffd}x"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\ud83dx""#, "\u{fffd}x"),
        ] {
            let mut values = JsonValues::of(text);
            let (_, value) = values.next().expect("JSON").expect("a value");
            assert_eq!((value.as_str(), values.count_halves()), (Some(read), 1), "{text}");
        }
    }

    #[test]
    fn errors_have_the_place_of_the_first_wrong_byte() {
        for (text, error) in [
            ("", "EOF while parsing a value at line 1 column 0"),
            ("{\"b\": ", "EOF while parsing a value at line 1 column 6"),
            ("{\n \"a\": 1,\n}", "trailing comma at line 3 column 1"),
            ("[1,]", "trailing comma at line 1 column 4"),
            ("nul", "EOF while parsing a value at line 1 column 3"),
            ("[nxll]", "expected `null` at line 1 column 3"),
            ("[1 2]", "expected `,` or `]` at line 1 column 4"),
            ("[", "EOF while parsing a list at line 1 column 1"),
            ("{1: 2}", "key must be a string at line 1 column 2"),
            ("{\"a\" 2}", "expected `:` at line 1 column 6"),
            ("\"a", "EOF while parsing a string at line 1 column 2"),
            ("\"\\x\"", "invalid escape at line 1 column 3"),
            ("\"\\u12g4\"", "invalid escape at line 1 column 6"),
            (
                "\"a\nb\"",
                "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 3",
            ),
            ("01", "invalid number at line 1 column 2"),
            ("[1.x]", "invalid number at line 1 column 4"),
            ("-", "EOF while parsing a value at line 1 column 1"),
            ("{} x", "trailing characters at line 1 column 4"),
            ("\u{c}{}", "expected value at line 1 column 1"),
            ("{\"a\": 1, \"a\": 2}", "duplicate key `a` at line 1 column 10"),
            ("[{\"a\": 1},\n {\"a\": 1, \"b\": 2, \"\\u0061\": 2}]", "duplicate key `a` at line 2 column 19"),
        ] {
            assert_eq!(parse(text).expect_err(text).to_string(), error, "{text}");
        }
    }

    #[test]
    fn lists_in_one_another_have_a_bound() {
        let nest = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(&nest(127)).is_ok());
        assert!(parse(&nest(128)).is_err() && parse(&nest(100_000)).is_err());
        assert!(serde_json::from_str::<serde_json::Value>(&nest(127)).is_ok());
        assert!(serde_json::from_str::<serde_json::Value>(&nest(128)).is_err());
    }

    #[test]
    fn values_of_a_sequence_stand_apart() {
        let read = |text| {
            let mut values = JsonValues::of(text);
            let mut starts = Vec::new();
            while let Some((start, _)) = values.next()? {
                starts.push(start);
            }
            Ok::<_, JsonError>(starts)
        };
        assert_eq!(read("{\"a\": 1}{\"b\": 2}\n[3]\n4 5\n\"é\"null"), Ok(vec![0, 8, 17, 21, 23, 25, 29]));
        for (text, column) in [("{}\nnulltrue", 5), ("{}\n 1x", 3), ("{}\n[é", 2)] {
            assert_eq!(read(text).expect_err(text).column(), column, "{text}");
        }
    }

    #[test]
    fn only_named_entries_are_built_and_all_must_be_json() {
        let mut found = parse_entries(r#"{"a": {"id": 1}, "id": "x", "b": [1e5, "\u00e9"]}"#, &["id", "run"])
            .expect("JSON");
        assert_eq!(found.text(&["run", "id"]).expect("a text").as_deref(), Some("x"));
        assert!(found.get("a").is_none());
        assert!(parse_entries("[1]", &["id"]).expect("JSON").get("id").is_none());
        for broken in [r#"{"a": tru, "id": "x"}"#, r#"{"id": "x"} 1"#, r#"{"id": "x""#, "nul"] {
            assert!(parse_entries(broken, &["id"]).is_err(), "{broken}");
        }
    }
}
