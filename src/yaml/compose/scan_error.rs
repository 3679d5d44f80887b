//! Syntax errors of the YAML parser, with advice for the usual mistakes.

use granit_parser::{ErrorKind, ScanError};

use super::YamlComposer;
use crate::place::{LoadError, Place};

impl YamlComposer<'_> {
    pub(super) fn scan_error(&self, error: &ScanError) -> LoadError {
        let span = self.span_between(*error.marker(), *error.marker());
        let problem = match error.kind() {
            ErrorKind::UnknownQuotedScalarEscape => "unknown escape in a double-quoted string".to_owned(),
            ErrorKind::RecursionLimitExceeded => return self.depth_error(span),
            _ => format!("not valid YAML: {}", error.info()),
        };
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
        ErrorKind::TabNotAllowed | ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation => {
            Some("indent with spaces, not with tabs")
        }
        ErrorKind::UnclosedQuotedScalar => Some("close the quote"),
        ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockMappingKey => {
            Some("is this line indented like its neighbours?")
        }
        _ => None,
    }
}
