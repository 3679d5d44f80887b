//! An open file.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use arraign::LoadErrors;
use arraign::Suite;
use lsp_types::{TextEdit, Uri, WorkspaceEdit};

use super::project::EvalProject;

/// An open file of cases, or an open pack of attacks.
pub(super) struct OpenDocument {
    /// The URI, as the editor writes it.
    pub(super) uri: Uri,
    /// The path of the file.
    pub(super) path: PathBuf,
    /// The text in the editor.
    pub(super) text: String,
    /// The folder of cases that contains the file.
    pub(super) project: Arc<EvalProject>,
    /// The cases of the last text without mistakes; `None` in a pack of attacks.
    pub(super) suite: Option<Suite>,
    /// The mistakes of the present text.
    pub(super) mistakes: LoadErrors,
    /// The mistakes of `quarantine.yaml`, in its entries for cases of the file or in any.
    pub(super) quarantine_mistakes: LoadErrors,
    /// Whether the text has changed since it was read.
    pub(super) is_changed: bool,
    /// Whether a thread reads an earlier text.
    pub(super) is_reading: bool,
}

/// The cases of a text, or its mistakes. A pack of attacks has no cases.
pub(super) struct ReadCases {
    pub(super) path: PathBuf,
    result: Result<Option<Suite>, LoadErrors>,
}

impl OpenDocument {
    pub(super) fn new(uri: Uri, path: PathBuf, text: String) -> Self {
        let project = Arc::new(EvalProject::find(&path));
        Self {
            uri,
            path,
            text,
            project,
            suite: None,
            mistakes: LoadErrors::new(),
            quarantine_mistakes: LoadErrors::new(),
            is_changed: true,
            is_reading: false,
        }
    }

    /// Reads the cases of the text on a thread of its own: thousands of cases take longer than a completion may wait.
    pub(super) fn start_reading(&mut self, sender: Sender<ReadCases>) {
        (self.is_changed, self.is_reading) = (false, true);
        let project = Arc::clone(&self.project);
        let path = self.path.clone();
        let text = self.text.clone();
        thread::spawn(move || {
            let result = project.parse(&path, &text);
            // The receiver is gone if the client has ended the session.
            let _ = sender.send(ReadCases { path, result });
        });
    }

    /// Reads the cases of the text at once: files that they name may have changed.
    pub(super) fn read_cases(&mut self) {
        if self.is_reading {
            self.is_changed = true;
            return;
        }
        self.is_changed = false;
        let result = self.project.parse(&self.path, &self.text);
        self.take_result(result);
    }

    /// Takes the cases that a thread has read. Returns false if the text has changed since.
    pub(super) fn take_cases(&mut self, read: ReadCases) -> bool {
        self.is_reading = false;
        if self.is_changed {
            return false;
        }
        self.take_result(read.result);
        true
    }

    fn take_result(&mut self, result: Result<Option<Suite>, LoadErrors>) {
        self.mistakes = match result {
            Ok(suite) => {
                self.suite = suite;
                LoadErrors::new()
            }
            Err(errors) => errors,
        };
        // The cases of the last text without mistakes: an entry is no mistake while its case is being typed.
        self.quarantine_mistakes = self.project.check_quarantine(&self.path, self.suite.as_ref());
    }
}

/// Returns the change that one edit makes to a document.
#[expect(clippy::mutable_key_type, reason = "lsp-types prescribes this map, and no URI is changed")]
pub(super) fn edit_text(uri: Uri, edit: TextEdit) -> WorkspaceEdit {
    let changes = HashMap::from([(uri, vec![edit])]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}
