//! A place in a file that the user wrote, and what is wrong there.
//!
//! Spans are byte ranges; lines and columns are counted when somebody asks, which is when something failed.

use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, OnceLock};

use crate::JsonSchema;

use serde::{Deserialize, Serialize};

/// A text file, by the name that a user knows it by.
#[derive(Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: OnceLock<Vec<usize>>,
    /// The files behind this one, each with the first offset that is a part of it.
    attached: Vec<(u32, Arc<Source>)>,
}

impl Source {
    /// A source called `name` (a path relative to the package, with `/`) that holds `text`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self {
            name: name.into(),
            text: text.into(),
            line_starts: OnceLock::new(),
            attached: Vec::new(),
        })
    }

    /// The same file with other files behind it: the offsets from `start` on are places of the file beside it. So one tree can
    /// be composed of several files. The offsets ascend, the first behind the text.
    pub fn with_attached(&self, attached: Vec<(u32, Arc<Source>)>) -> Arc<Self> {
        Arc::new(Self {
            name: self.name.clone(),
            text: self.text.clone(),
            line_starts: OnceLock::new(),
            attached,
        })
    }

    /// The name given to [`Source::new`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The byte range of the line that holds `offset`, without its line break, and its number from 1.
    fn line_at(&self, offset: usize) -> (usize, Range<usize>) {
        let starts = self.line_starts.get_or_init(|| line_starts(&self.text));
        let index = starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = starts[index];
        // The next line begins behind the line break, which is one byte.
        let end = starts.get(index + 1).map_or(self.text.len(), |next| next - 1);
        let line = self.text[start..end].trim_end_matches('\r');
        (index + 1, start..start + line.len())
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// A byte range inside a [`Source`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Whether `other` lies within it.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A [`Span`] together with the file it is in.
#[derive(Debug, Clone)]
pub struct Place {
    source: Arc<Source>,
    span: Span,
}

impl Place {
    /// The place of `span` in `source`.
    pub fn new(source: &Arc<Source>, span: Span) -> Self {
        let behind = source.attached.iter().rfind(|(start, _)| *start <= span.start);
        let Some((start, source)) = behind else { return Self { source: Arc::clone(source), span } };
        Self { source: Arc::clone(source), span: Span { start: span.start - start, end: span.end - start } }
    }

    /// A file as a whole, when nothing of its text is known (it could not be read).
    pub fn of_file(name: impl Into<String>) -> Self {
        Self { source: Source::new(name, ""), span: Span::default() }
    }

    /// The file's name.
    pub fn file(&self) -> &str {
        self.source.name()
    }

    /// The file.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.source.line_at(self.span.start as usize).0
    }

    /// The lines from its first to its last byte, from 1.
    pub fn lines(&self) -> RangeInclusive<usize> {
        let last = self.span.end.saturating_sub(1).max(self.span.start) as usize;
        self.line()..=self.source.line_at(last).0
    }

    /// The line and the column of the end, from 1: the column after the last character.
    pub fn end(&self) -> (usize, usize) {
        let end = self.span.end.max(self.span.start) as usize;
        // A span ends where its last character does: a span that ends with a line must not end on the next one.
        let (line, range) = self.source.line_at(end.saturating_sub(1).max(self.span.start as usize));
        let text = &self.source.text()[range.clone()];
        (line, count_chars(text, end.clamp(range.start, range.end) - range.start) + 1)
    }

    /// The bytes of the file.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The text of the place.
    pub fn get_text(&self) -> &str {
        self.source.text().get(self.span.start as usize..self.span.end as usize).unwrap_or_default()
    }

    /// Line, columns and the line's text, as plain data. Of a long line, the text is a part around the place: a dataset can
    /// be one line of megabytes.
    pub fn locate(&self) -> Location {
        let (line, range) = self.source.line_at(self.span.start as usize);
        let text = &self.source.text()[range.clone()];
        let start = (self.span.start as usize).clamp(range.start, range.end) - range.start;
        let end = (self.span.end as usize).clamp(range.start + start, range.end) - range.start;
        let window = if text.len() > MAX_LINE_BYTES { find_window(text, start..end) } else { 0..text.len() };
        Location {
            file: self.file().to_owned(),
            line,
            column: count_chars(text, start) + 1,
            end_column: count_chars(text, end) + 1,
            skipped: count_chars(text, window.start),
            text: text[window].to_owned(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.locate().fmt(f)
    }
}

/// The longest line that a [`Location`] holds as a whole, in bytes.
const MAX_LINE_BYTES: usize = 1000;

/// The number of bytes of a long line on each side of a place, and the most of the place itself.
const WINDOW_BYTES: usize = 200;

/// Returns the part of a long line around `place`. It begins and ends between values, at a quote, or in a text without quotes at a
/// mark: a piece of a value could be a piece of a secret, which nobody would recognize.
fn find_window(line: &str, place: Range<usize>) -> Range<usize> {
    let first = line.floor_char_boundary(place.start.saturating_sub(WINDOW_BYTES));
    let before = &line[first..place.start];
    let start = match before.find(QUOTES) {
        _ if first == 0 => 0,
        Some(quote) => first + quote + 1,
        None => place.start - before.trim_start_matches(is_word_char).len(),
    };
    let kept = line.floor_char_boundary(place.end.min(place.start + WINDOW_BYTES));
    let last = line.floor_char_boundary((kept + WINDOW_BYTES).min(line.len()));
    // The place itself may be cut, too.
    let from = if kept < place.end { place.start } else { kept };
    let after = &line[from..last];
    let end = match after.rfind(QUOTES) {
        _ if last == line.len() => last,
        Some(quote) => from + quote,
        None => from + after.trim_end_matches(is_word_char).len(),
    };
    start..end
}

const QUOTES: [char; 2] = ['"', '\''];

/// Whether a character can be a part of a token.
fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-' | '.' | '~' | '%' | '\\')
}

/// Returns the number of characters before the byte `at` of `line`.
fn count_chars(line: &str, at: usize) -> usize {
    line[..line.floor_char_boundary(at)].chars().count()
}

/// A [`Place`], resolved: what reports need to name it, to link it and to draw it, without the file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Location {
    /// The file's name.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column of the first character, from 1, in characters.
    pub column: usize,
    /// Column after the last character on this line.
    pub end_column: usize,
    /// The number of characters of a long line that come before `text`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: usize,
    /// The text of the line; of a long line, a part around the place.
    pub text: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One mistake in a file of the user's.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadError {
    /// Where.
    pub place: Place,
    /// The problem: a lower-case sentence without a full stop.
    pub problem: String,
    /// Advice.
    pub help: Option<String>,
}

impl LoadError {
    /// A `problem` at `place`.
    pub fn new(place: Place, problem: impl fmt::Display) -> Self {
        Self { place, problem: problem.to_string(), help: None }
    }

    /// Adds what to do, where that is known.
    pub fn help_if(self, help: Option<String>) -> Self {
        Self { help: help.or(self.help), ..self }
    }

    /// Adds what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)?;
        self.help.iter().try_for_each(|help| write!(f, " (help: {help})"))
    }
}

impl std::error::Error for LoadError {}

/// All mistakes found, in the order of the files. Never empty when it is an `Err`.
#[derive(Debug, Clone, Default)]
pub struct LoadErrors(Vec<LoadError>);

impl LoadErrors {
    /// No mistake so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, error: LoadError) {
        self.0.push(error);
    }

    /// Adds all of `errors`.
    pub fn extend(&mut self, errors: LoadErrors) {
        self.0.extend(errors.0);
    }

    /// Keeps the value of `result`, or its mistakes.
    pub fn take<T>(&mut self, result: Result<T, impl Into<LoadErrors>>) -> Option<T> {
        result.map_err(|errors| self.extend(errors.into())).ok()
    }

    /// Orders the mistakes of a file from top to bottom, each once: a default that is wrong is wrong in every case.
    pub fn sort_by_place(&mut self) {
        self.0.sort_by_key(|error| (error.place.file().to_owned(), error.place.span.start));
        self.unite();
    }

    /// Keeps one of each: a policy that is wrong is wrong for every case that names it.
    pub fn unite(&mut self) {
        let mut seen = std::collections::HashSet::new();
        self.0.retain(|error| {
            seen.insert((error.place.file().to_owned(), error.place.span.start, error.problem.clone()))
        });
    }

    /// `value` when nothing is wrong.
    pub fn or<T>(self, value: T) -> Result<T, LoadErrors> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }

    /// `value`, which is there unless something is wrong.
    pub fn or_some<T>(self, value: Option<T>) -> Result<T, LoadErrors> {
        match value {
            Some(value) => self.or(value),
            None => Err(self),
        }
    }

    /// Returns the number of errors.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Takes back the one at `index`.
    pub fn remove(&mut self, index: usize) {
        self.0.remove(index);
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The mistakes, to be changed in place.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, LoadError> {
        self.0.iter_mut()
    }

    /// The mistakes, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, LoadError> {
        self.0.iter()
    }
}

impl<'e> IntoIterator for &'e LoadErrors {
    type Item = &'e LoadError;
    type IntoIter = std::slice::Iter<'e, LoadError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'e> IntoIterator for &'e mut LoadErrors {
    type Item = &'e mut LoadError;
    type IntoIter = std::slice::IterMut<'e, LoadError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl From<LoadError> for LoadErrors {
    fn from(error: LoadError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for LoadErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for LoadErrors {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_stop_at_the_line_end() {
        let source = Source::new("a.yaml", "x: 1\r\nschlüssel: ärger\nz: 2");
        let place = Place::new(&source, Span { start: 18, end: 30 });
        let at = place.locate();
        assert_eq!((at.line, at.column, at.end_column), (2, 12, 17));
        assert_eq!(at.text, "schlüssel: ärger");
        assert_eq!(place.to_string(), "a.yaml:2:12");
    }

    #[test]
    fn an_empty_file_is_line_one_column_one() {
        assert_eq!(Place::of_file("gone.yaml").to_string(), "gone.yaml:1:1");
    }
}
