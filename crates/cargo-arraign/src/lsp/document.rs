//! An open file.

use std::path::PathBuf;
use std::sync::Arc;

use arraign::LoadErrors;
use arraign::Suite;
use lsp_types::Uri;

use super::project::EvalProject;

/// An open file of cases.
pub(super) struct OpenDocument {
    /// The URI, as the editor writes it.
    pub(super) uri: Uri,
    /// The path of the file.
    pub(super) path: PathBuf,
    /// The text in the editor.
    pub(super) text: String,
    /// The folder of cases that contains the file.
    pub(super) project: Arc<EvalProject>,
    /// The cases of the last text without mistakes.
    pub(super) suite: Option<Suite>,
    /// The mistakes of the present text.
    pub(super) mistakes: LoadErrors,
    /// Whether the text has changed since it was read.
    pub(super) is_changed: bool,
}

impl OpenDocument {
    pub(super) fn new(uri: Uri, path: PathBuf, text: String) -> Self {
        let project = Arc::new(EvalProject::find(&path));
        Self { uri, path, text, project, suite: None, mistakes: LoadErrors::new(), is_changed: true }
    }

    /// Reads the cases of the text.
    pub(super) fn read_cases(&mut self) {
        self.is_changed = false;
        match self.project.parse(&self.path, &self.text) {
            Ok(suite) => {
                self.suite = Some(suite);
                self.mistakes = LoadErrors::new();
            }
            Err(errors) => self.mistakes = errors,
        }
    }
}
