//! Readers that users declare: a format is described by the paths at which its files keep the parts of a run.
//!
//! A declaration ([`ReaderDeclaration`]) names paths for texts, calls, results and figures. The interpreter
//! ([`run`]) selects what the paths mean and builds a trace as any reader does. Whatever no path selected and could
//! be a call is an unread part of the trace ([`left`]), so that a declaration which misses the calls of a newer version
//! leaves verdicts undecided.

mod asked;
mod condition;
mod declaration;
mod document;
mod figures;
mod known;
mod moment;
mod nested_runs;
mod pointer;
mod prepare;
mod read;
mod rules;
mod run;
mod selections;
mod selector;
mod step;
mod survey;
mod text;
mod unread_parts;

use std::fmt;

pub use declaration::ReaderDeclaration;
pub use survey::{DeclarationSurvey, SurveyedPath};

use crate::reader::error::DecodeError;
use crate::trace::Trace;
pub(crate) use document::DeclaredDocument;
use read::read_document;
use selections::Selections;

/// A reader that a user declared.
#[derive(Clone)]
pub(crate) struct DeclaredReader {
    pub(crate) name: &'static str,
    declaration: ReaderDeclaration,
}

impl fmt::Debug for DeclaredReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeclaredReader({})", self.name)
    }
}

impl DeclaredReader {
    pub(crate) fn new(name: &'static str, declaration: ReaderDeclaration) -> Self {
        Self { name, declaration }
    }

    /// The glob of the files below a folder that are one run.
    pub(crate) fn folder(&self) -> Option<&str> {
        self.declaration.0.folder.as_deref()
    }

    /// Returns why the document is not of this format, or `None` if it is.
    pub(crate) fn object_to(&self, document: &DeclaredDocument<'_>) -> Option<String> {
        let conditions = &self.declaration.0.when;
        if conditions.is_empty() {
            return Some("its declaration has no `when`: only `format` selects it".to_owned());
        }
        let failed = conditions.iter().find(|condition| !condition.is_met_by(&document.value))?;
        Some(failed.describe_failure(&document.value))
    }

    /// Reads the runs of a document.
    pub(crate) fn read(&self, document: DeclaredDocument<'_>) -> Result<Vec<Trace>, DecodeError> {
        read_document(&self.declaration.0, document, &mut Selections::default())
    }

    /// Reads the runs of a document, and counts what each path selects.
    pub(crate) fn survey(
        &self,
        document: DeclaredDocument<'_>,
    ) -> (Result<Vec<Trace>, DecodeError>, DeclarationSurvey) {
        survey::survey_document(&self.declaration.0, document)
    }
}
