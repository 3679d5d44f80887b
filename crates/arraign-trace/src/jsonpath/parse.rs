//! The parser of paths: the grammar of RFC 9535, section 2, one function a rule.

use crate::json::{Json, JsonNumber};
use crate::jsonpath::syntax::{Comparison, Condition, Operand, Query, Segment, Selector, Start};

/// Brackets and parentheses in one another: the parser calls itself for each, and a stack that overflows aborts.
const MAX_NESTING: usize = 32;
/// Filters in one another: each looks at every value that the one around it looks at.
pub(super) const MAX_FILTERS: usize = 6;
/// Descents (`..`): each looks below every value that the one before it found.
const MAX_DESCENTS: usize = 4;

/// The largest index: the integers that all implementations of JSON share.
const MAX_INDEX: i64 = (1 << 53) - 1;

/// Why a text is no path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PathError {
    /// The byte at which the text stops being a path.
    pub(super) at: usize,
    /// A reason in a user's words; empty if the place says all.
    pub(super) reason: String,
}

/// Parses a whole path.
pub(super) fn parse_path(text: &str) -> Result<Vec<Segment>, PathError> {
    let mut parser = PathParser { text, at: 0, nesting: 0, filters: 0, descents: 0 };
    parser.expect("$", "a path starts with `$`, like `$.status`")?;
    let segments = parser.parse_segments()?;
    if parser.at < text.len() { Err(parser.fail("")) } else { Ok(segments) }
}

struct PathParser<'t> {
    text: &'t str,
    at: usize,
    nesting: usize,
    filters: usize,
    descents: usize,
}

impl<'t> PathParser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn fail(&self, reason: impl Into<String>) -> PathError {
        PathError { at: self.at, reason: reason.into() }
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str, reason: &str) -> Result<(), PathError> {
        if self.take(token) { Ok(()) } else { Err(self.fail(reason)) }
    }

    fn skip_blanks(&mut self) {
        let blanks = self.rest().bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        self.at += blanks.count();
    }

    fn nest(&mut self) -> Result<(), PathError> {
        self.nesting += 1;
        self.check_nesting()
    }

    fn check_nesting(&self) -> Result<(), PathError> {
        if self.nesting > MAX_NESTING || self.filters > MAX_FILTERS {
            let limits = format!("{MAX_NESTING} brackets or {MAX_FILTERS} filters");
            return Err(self.fail(format!("the path has more than {limits} in one another")));
        }
        Ok(())
    }

    /// Parses the segments behind `$` or `@`. Blanks behind the last one stay.
    fn parse_segments(&mut self) -> Result<Vec<Segment>, PathError> {
        let mut segments = Vec::new();
        loop {
            let before = self.at;
            self.skip_blanks();
            let (descends, selectors) = if self.take("..") {
                self.descents += 1;
                if self.descents > MAX_DESCENTS {
                    return Err(self.fail(format!("the path has more than {MAX_DESCENTS} descents (`..`)")));
                }
                let selectors = if self.peek() == Some('[') {
                    self.parse_brackets()?
                } else {
                    vec![self.parse_shorthand()?]
                };
                (true, selectors)
            } else if self.take(".") {
                (false, vec![self.parse_shorthand()?])
            } else if self.peek() == Some('[') {
                (false, self.parse_brackets()?)
            } else {
                self.at = before;
                return Ok(segments);
            };
            segments.push(Segment { descends, selectors, end: self.at });
        }
    }

    /// Parses `*` or `name`, behind a point.
    fn parse_shorthand(&mut self) -> Result<Selector, PathError> {
        if self.take("*") {
            return Ok(Selector::Every);
        }
        let starts_name = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
        let continues_name = |c: char| starts_name(c) || c.is_ascii_digit();
        let rest = self.rest();
        if !rest.starts_with(starts_name) {
            return Err(self.fail("a name starts with a letter or `_`; others are written `['1st']`"));
        }
        let name = &rest[..rest.find(|c| !continues_name(c)).unwrap_or(rest.len())];
        self.at += name.len();
        Ok(Selector::Name(name.to_owned()))
    }

    /// Parses `[selector, ...]`.
    fn parse_brackets(&mut self) -> Result<Vec<Selector>, PathError> {
        self.nest()?;
        self.at += 1;
        let mut selectors = Vec::new();
        loop {
            self.skip_blanks();
            selectors.push(self.parse_selector()?);
            self.skip_blanks();
            if self.take("]") {
                self.nesting -= 1;
                return Ok(selectors);
            }
            self.expect(",", "expected `,` or `]`")?;
        }
    }

    fn parse_selector(&mut self) -> Result<Selector, PathError> {
        match self.peek() {
            Some('\'' | '"') => Ok(Selector::Name(self.parse_text()?)),
            Some('*') => {
                self.at += 1;
                Ok(Selector::Every)
            }
            Some('?') => {
                self.at += 1;
                self.filters += 1;
                self.check_nesting()?;
                self.skip_blanks();
                let condition = self.parse_condition()?;
                self.filters -= 1;
                Ok(Selector::Filter(condition))
            }
            _ => self.parse_index_or_slice(),
        }
    }

    fn parse_index_or_slice(&mut self) -> Result<Selector, PathError> {
        let start = self.parse_index()?;
        let behind_start = self.at;
        self.skip_blanks();
        if !self.take(":") {
            self.at = behind_start;
            let reason = "a selector is a name in quotes, an index, `*`, a slice or a filter";
            return start.map(Selector::Index).ok_or_else(|| self.fail(reason));
        }
        self.skip_blanks();
        let end = self.parse_index()?;
        let behind_end = self.at;
        self.skip_blanks();
        let mut step = None;
        if self.take(":") {
            self.skip_blanks();
            step = self.parse_index()?;
        } else {
            self.at = behind_end;
        }
        Ok(Selector::Slice { start, end, step: step.unwrap_or(1) })
    }

    /// Parses an integer without leading zeros, if there is one.
    fn parse_index(&mut self) -> Result<Option<i64>, PathError> {
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let token = &rest[..rest.len() - digits.len() + length];
        if token.is_empty() {
            return Ok(None);
        }
        let digits = &digits[..length];
        if digits.is_empty() || token == "-0" || digits.len() > 1 && digits.starts_with('0') {
            return Err(self.fail("an index is an integer without leading zeros"));
        }
        match token.parse::<i64>() {
            Ok(index) if index.abs() <= MAX_INDEX => {
                self.at += token.len();
                Ok(Some(index))
            }
            _ => Err(self.fail(format!("an index is not beyond {MAX_INDEX}"))),
        }
    }

    /// Parses conditions that are joined by `||`.
    fn parse_condition(&mut self) -> Result<Condition, PathError> {
        let parts = self.parse_joined("||", |parser| {
            let parts = parser.parse_joined("&&", Self::parse_basic_condition)?;
            Ok(join(parts, Condition::All))
        })?;
        Ok(join(parts, Condition::Any))
    }

    fn parse_joined(
        &mut self,
        operator: &str,
        mut parse: impl FnMut(&mut Self) -> Result<Condition, PathError>,
    ) -> Result<Vec<Condition>, PathError> {
        let mut parts = Vec::new();
        loop {
            parts.push(parse(self)?);
            let before = self.at;
            self.skip_blanks();
            if !self.take(operator) {
                self.at = before;
                return Ok(parts);
            }
            self.skip_blanks();
        }
    }

    /// Parses a condition in parentheses, a comparison or a test, with or without `!`.
    fn parse_basic_condition(&mut self) -> Result<Condition, PathError> {
        if self.take("!") {
            self.skip_blanks();
            let denied = match self.peek() {
                Some('(') => self.parse_parentheses()?,
                // A comparison is denied only in parentheses.
                _ => self.parse_test()?,
            };
            return Ok(Condition::Not(Box::new(denied)));
        }
        if self.peek() == Some('(') {
            return self.parse_parentheses();
        }
        let start = self.at;
        let part = self.parse_part()?;
        let behind = self.at;
        self.skip_blanks();
        let Some(comparison) = self.take_comparison() else {
            self.at = behind;
            return make_test(part, start);
        };
        let one = make_operand(part, start)?;
        self.skip_blanks();
        let start = self.at;
        let part = self.parse_part()?;
        let other = make_operand(part, start)?;
        Ok(Condition::Compare(one, comparison, other))
    }

    fn parse_parentheses(&mut self) -> Result<Condition, PathError> {
        self.nest()?;
        self.at += 1;
        self.skip_blanks();
        let condition = self.parse_condition()?;
        self.skip_blanks();
        self.expect(")", "expected `)`")?;
        self.nesting -= 1;
        Ok(condition)
    }

    fn parse_test(&mut self) -> Result<Condition, PathError> {
        let start = self.at;
        let part = self.parse_part()?;
        make_test(part, start)
    }

    fn take_comparison(&mut self) -> Option<Comparison> {
        let comparisons = [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        comparisons.into_iter().find_map(|(operator, comparison)| self.take(operator).then_some(comparison))
    }

    /// Parses a literal, a query or the call of a function.
    fn parse_part(&mut self) -> Result<Part, PathError> {
        match self.peek() {
            Some('$') => self.parse_query(Start::Root).map(Part::Query),
            Some('@') => self.parse_query(Start::Current).map(Part::Query),
            Some('\'' | '"') => Ok(Part::Value(Operand::Literal(self.parse_text()?.into()))),
            Some('-' | '0'..='9') => self.parse_number(),
            Some('a'..='z') => self.parse_word(),
            _ => Err(self.fail("expected a path, a value or a function")),
        }
    }

    fn parse_query(&mut self, start: Start) -> Result<Query, PathError> {
        self.at += 1;
        Ok(Query { start, segments: self.parse_segments()? })
    }

    fn parse_number(&mut self) -> Result<Part, PathError> {
        let rest = self.rest();
        let length = crate::json::scan_number(rest.as_bytes());
        let number = length.and_then(|length| JsonNumber::parse(&rest[..length]));
        let Some(number) = number else { return Err(self.fail("invalid number")) };
        self.at += length.unwrap_or_default();
        Ok(Part::Value(Operand::Literal(Json::Number(number.into_owned()))))
    }

    /// Parses `true`, `false`, `null` or the call of a function.
    fn parse_word(&mut self) -> Result<Part, PathError> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        if !rest[word.len()..].starts_with('(') {
            let literal = match word {
                "true" => true.into(),
                "false" => false.into(),
                "null" => Json::Null,
                _ => return Err(self.fail("a text is written in quotes")),
            };
            self.at += word.len();
            return Ok(Part::Value(Operand::Literal(literal)));
        }
        let arguments = match word {
            "length" | "count" | "value" => 1,
            "match" | "search" => 2,
            _ => return Err(self.fail(format!("no function is called `{word}`"))),
        };
        self.nest()?;
        let call = self.at;
        self.at += word.len() + 1;
        let mut parts = Vec::new();
        self.skip_blanks();
        if !self.take(")") {
            loop {
                let start = self.at;
                parts.push((start, self.parse_part()?));
                self.skip_blanks();
                if self.take(")") {
                    break;
                }
                self.expect(",", "expected `,` or `)`")?;
                self.skip_blanks();
            }
        }
        self.nesting -= 1;
        if parts.len() != arguments {
            let reason = "this function takes another number of arguments".to_owned();
            return Err(PathError { at: call, reason });
        }
        let mut parts = parts.into_iter();
        let mut operand = |parser: &Self| match parts.next() {
            Some((start, part)) => make_operand(part, start),
            None => Err(parser.fail("")),
        };
        match word {
            "length" => Ok(Part::Value(Operand::Length(Box::new(operand(self)?)))),
            "match" | "search" => {
                let text = operand(self)?;
                let pattern = operand(self)?;
                Ok(Part::Condition(Condition::Matches { text, pattern, is_whole: word == "match" }))
            }
            _ => match parts.next() {
                Some((_, Part::Query(query))) if word == "count" => Ok(Part::Value(Operand::Count(query))),
                Some((_, Part::Query(query))) => Ok(Part::Value(Operand::Value(query))),
                _ => Err(PathError {
                    at: call,
                    reason: "this function takes a path, like `@.items`".to_owned(),
                }),
            },
        }
    }

    /// Parses a text in quotes.
    fn parse_text(&mut self) -> Result<String, PathError> {
        let quote = self.peek().unwrap_or('"');
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err(self.fail("the text has no end")),
                Some(c) if c == quote => {
                    self.at += 1;
                    return Ok(text);
                }
                Some('\\') => text.push(self.parse_escape(quote)?),
                Some('\0'..='\u{1f}') => {
                    return Err(self.fail("a control character is written `\\n` or `\\u000a`"));
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    text.push(c);
                }
            }
        }
    }

    fn parse_escape(&mut self, quote: char) -> Result<char, PathError> {
        let start = self.at;
        self.at += 1;
        let escaped = match self.peek() {
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(c @ ('/' | '\\')) => c,
            Some(c) if c == quote => c,
            Some('u') => {
                self.at += 1;
                let unit = self.parse_unit(start)?;
                let code = match unit {
                    0xd800..0xdc00 if self.take("\\u") => match self.parse_unit(start)? {
                        low @ 0xdc00..0xe000 => 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00),
                        _ => unit,
                    },
                    unit => unit,
                };
                let lone =
                    || PathError { at: start, reason: "half of a surrogate pair is no character".to_owned() };
                return char::from_u32(code).ok_or_else(lone);
            }
            _ => return Err(PathError { at: start, reason: "unknown escape".to_owned() }),
        };
        self.at += 1;
        Ok(escaped)
    }

    fn parse_unit(&mut self, start: usize) -> Result<u32, PathError> {
        let digits =
            self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4 * usize::from(unit.is_some());
        unit.ok_or_else(|| PathError { at: start, reason: "`\\u` takes four hexadecimal digits".to_owned() })
    }
}

/// A part of a condition, before it is known whether it is compared.
enum Part {
    Query(Query),
    Value(Operand),
    Condition(Condition),
}

fn join(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match parts.len() {
        1 => parts.swap_remove(0),
        _ => join(parts),
    }
}

/// Returns what stands beside a comparison, or as the argument of a function that takes a value.
fn make_operand(part: Part, at: usize) -> Result<Operand, PathError> {
    match part {
        Part::Value(operand) => Ok(operand),
        Part::Query(query) if query.is_singular() => Ok(Operand::Node(query)),
        Part::Query(_) => {
            let reason =
                "a path that can select several values is not compared; `value(...)` takes the only one";
            Err(PathError { at, reason: reason.to_owned() })
        }
        Part::Condition(_) => {
            Err(PathError { at, reason: "the result of this function cannot be compared".to_owned() })
        }
    }
}

fn make_test(part: Part, at: usize) -> Result<Condition, PathError> {
    match part {
        Part::Query(query) => Ok(Condition::Exists(query)),
        Part::Condition(condition) => Ok(condition),
        Part::Value(Operand::Literal(_)) => {
            Err(PathError { at, reason: "a value alone is no condition: compare it".to_owned() })
        }
        Part::Value(_) => {
            Err(PathError { at, reason: "the result of this function must be compared".to_owned() })
        }
    }
}
