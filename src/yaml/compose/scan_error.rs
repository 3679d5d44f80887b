//! Syntax errors of the YAML parser, with advice for the usual mistakes.

use granit_parser::{ErrorKind, ScanError};

use super::YamlComposer;
use crate::place::{LoadError, Place, Span};

impl YamlComposer<'_> {
    pub(super) fn scan_error(&self, error: &ScanError) -> LoadError {
        let span = self.span_between(*error.marker(), *error.marker());
        let problem = match error.kind() {
            ErrorKind::UnknownQuotedScalarEscape => "unknown escape in a double-quoted string".to_owned(),
            ErrorKind::RecursionLimitExceeded => return self.depth_error(span),
            _ => format!("not valid YAML: {}", error.info()),
        };
        if let Some(error) = self.find_indentation_mistake(error.kind(), span.start as usize) {
            return error;
        }
        let load_error = LoadError::new(Place::new(self.source, span), problem);
        if let Some(help) = find_usual_cause(error.kind()) {
            return load_error.help(help);
        }
        // The other errors have no advice: their own words say what is expected.
        if !load_error.problem.starts_with("unknown escape") {
            return load_error;
        }
        load_error.help(match self.find_quoted_around(span.start as usize) {
            Some(inner) => format!("use single quotes, where a backslash has no special meaning: '{inner}'"),
            None => "use single quotes, where a backslash has no special meaning".to_owned(),
        })
    }

    /// Returns the mistake of a line with a tab in front, or with as many spaces as none of the lines that it may belong to.
    fn find_indentation_mistake(&self, kind: &ErrorKind, offset: usize) -> Option<LoadError> {
        let text = self.source.text();
        let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let line = text[start..].lines().next()?;
        let indent = line.len() - line.trim_start_matches(' ').len();
        let place = |at: usize, length: usize| {
            let start = u32::try_from(start + at).unwrap_or(u32::MAX);
            Place::new(self.source, Span { start, end: start + u32::try_from(length).unwrap_or_default() })
        };
        if is_about_tabs(kind) {
            let at = line.find('\t')?;
            let error = LoadError::new(place(at, 1), "not valid YAML: this line is indented with a tab");
            return Some(error.help("indent with spaces, two a level"));
        }
        if !is_about_indentation(kind) {
            return None;
        }
        let levels = list_levels(&text[..start]);
        if levels.is_empty() || levels.iter().any(|level| level.indent == indent) {
            return None;
        }
        // A line of a list most likely belongs to the lines of a list above it.
        let is_entry = line.trim_start().starts_with("- ");
        let likely = levels.iter().filter(|level| level.is_entry == is_entry);
        let likely = likely.chain(&levels).min_by_key(|level| level.indent.abs_diff(indent))?;
        let spaces = |count: usize| format!("{count} space{}", if count == 1 { "" } else { "s" });
        let problem = format!(
            "not valid YAML: this line begins with {}, and no line that it can belong to does",
            spaces(indent)
        );
        let help = format!("if it belongs to line {}, begin it with {}", likely.line, spaces(likely.indent));
        Some(LoadError::new(place(indent, line.trim().len()), problem).help(help))
    }

    /// Returns the double-quoted text on the line around `offset`, rewritten in single quotes.
    fn find_quoted_around(&self, offset: usize) -> Option<String> {
        let text = self.source.text();
        let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].lines().next()?;
        let open = line.get(..=offset - line_start)?.rfind('"')?;
        let inner = &line[open + 1..];
        let close = inner.char_indices().find(|(at, c)| *c == '"' && !inner[..*at].ends_with('\\'))?.0;
        Some(inner[..close].replace('\'', "''"))
    }
}

/// How deep a line is indented.
struct IndentLevel {
    indent: usize,
    /// The number of the line, from 1.
    line: usize,
    /// Whether the line begins an entry of a list.
    is_entry: bool,
}

/// Returns the indentations that the line after `text` may have: of the last line, and of each less indented line above it.
fn list_levels(text: &str) -> Vec<IndentLevel> {
    let mut levels: Vec<IndentLevel> = Vec::new();
    for (index, line) in text.lines().enumerate().collect::<Vec<_>>().into_iter().rev() {
        let content = line.trim_start_matches(' ');
        if content.is_empty() || content.starts_with(['#', '\t']) {
            continue;
        }
        let indent = line.len() - content.len();
        let deepest = levels.last().map_or(usize::MAX, |level| level.indent);
        // What follows `- ` is a level of its own.
        let inner = content.strip_prefix("- ").map(|inner| line.len() - inner.trim_start().len());
        for (indent, is_entry) in
            inner.map(|inner| (inner, false)).into_iter().chain([(indent, inner.is_some())])
        {
            if indent < deepest {
                levels.push(IndentLevel { indent, line: index + 1, is_entry });
            }
        }
        if indent == 0 {
            break;
        }
    }
    levels
}

fn is_about_tabs(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::TabNotAllowed | ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation)
}

fn is_about_indentation(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::InvalidIndentation
            | ErrorKind::ExpectedBlockMappingKey
            | ErrorKind::ExpectedBlockSequenceEntry
    )
}

/// Returns the usual mistake behind a message of the YAML parser.
fn find_usual_cause(kind: &ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::MappingValueNotAllowed | ErrorKind::MappingKeyNotAllowed => {
            Some("quote a text that contains a colon and a space: \"it says: no\"")
        }
        ErrorKind::InvalidColonPlacement
        | ErrorKind::ExpectedFlowSequenceSeparator
        | ErrorKind::ExpectedFlowMappingSeparator
        | ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::InvalidFlowScalarIndent => Some("is a bracket, brace or quote left open above?"),
        kind if is_about_tabs(kind) => Some("indent with spaces, not with tabs"),
        ErrorKind::InvalidQuotedScalarIndent => {
            Some("a quote is left open above: close it, or indent the lines of the text deeper than its key")
        }
        ErrorKind::UnclosedQuotedScalar => Some("close the quote"),
        ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockMappingKey => {
            Some("is this line indented like its neighbours?")
        }
        _ => None,
    }
}
