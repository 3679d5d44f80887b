//! The loop of the server: messages, diagnostics when no message waits, and the ends of commands.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Notification as NotificationKind, PublishDiagnostics,
};
use lsp_types::request::{CodeLensRefresh, Request as RequestKind};
use lsp_types::{
    Diagnostic, InitializeParams, PublishDiagnosticsParams, TextDocumentContentChangeEvent, Uri,
};
use serde::Serialize;

use super::commands::CommandResult;
use super::diagnostics;
use super::document::{OpenDocument, ReadCases};
use super::last_run::LastRun;
use super::position::{find_offset, path_to_uri, uri_to_path};
use crate::error::CliError;

use arraign::json;

/// How long no message must arrive before changed files are read, and how often the end of a command is looked for.
const PAUSE: Duration = Duration::from_millis(100);

/// How often the cases that a thread reads are looked for.
const READ_PAUSE: Duration = Duration::from_millis(10);

/// How often verdicts of a newer run are looked for. Runs start in terminals and other programs, too.
const RUN_PAUSE: Duration = Duration::from_secs(1);

/// A command that has ended, with the request that asked for it.
type EndedCommand = (RequestId, CommandResult);

/// The state of the server.
pub(super) struct Server<'c> {
    connection: &'c Connection,
    pub(super) documents: HashMap<PathBuf, OpenDocument>,
    pub(super) last_run: LastRun,
    /// The files with published diagnostics.
    marked: HashSet<PathBuf>,
    pub(super) running: usize,
    pub(super) ended: (Sender<EndedCommand>, Receiver<EndedCommand>),
    read: (Sender<ReadCases>, Receiver<ReadCases>),
    requests: i32,
    pub(super) folder: Option<PathBuf>,
    pub(super) shows_documents: bool,
    refreshes_lenses: bool,
}

impl<'c> Server<'c> {
    pub(super) fn new(connection: &'c Connection, parameters: InitializeParams) -> Self {
        let capabilities = &parameters.capabilities;
        let window = capabilities.window.as_ref();
        let shows_documents =
            window.and_then(|window| window.show_document.as_ref()).is_some_and(|show| show.support);
        let workspace = capabilities.workspace.as_ref().and_then(|workspace| workspace.code_lens.as_ref());
        let refreshes_lenses = workspace.and_then(|lens| lens.refresh_support).unwrap_or(false);
        let folders = parameters.workspace_folders.unwrap_or_default();
        Self {
            connection,
            documents: HashMap::new(),
            last_run: LastRun::default(),
            marked: HashSet::new(),
            running: 0,
            ended: channel(),
            read: channel(),
            requests: 0,
            folder: folders.first().and_then(|folder| uri_to_path(&folder.uri)),
            shows_documents,
            refreshes_lenses,
        }
    }

    /// Answers messages until the client ends the session.
    pub(super) fn serve(&mut self) -> Result<(), CliError> {
        loop {
            // While something is unfinished, the server wakes up without a message: to publish when the user pauses,
            // or to take the end of a command.
            let received = match self.find_pause() {
                Some(pause) => {
                    self.connection.receiver.recv_timeout(pause).map_err(|error| error.is_timeout())
                }
                None => self.connection.receiver.recv().map_err(|_| false),
            };
            match received {
                Ok(Message::Request(request)) => {
                    if self.connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    self.answer_request(request)?;
                }
                Ok(Message::Notification(notification)) => self.take_notification(notification)?,
                Ok(Message::Response(_)) => {}
                Err(is_timeout) if is_timeout => self.look_around()?,
                Err(_) => return Ok(()),
            }
            while let Ok((id, result)) = self.ended.1.try_recv() {
                self.end_command(id, &result)?;
            }
            while let Ok(read) = self.read.1.try_recv() {
                self.take_cases(read)?;
            }
        }
    }

    /// Does what can wait until no message comes.
    fn look_around(&mut self) -> Result<(), CliError> {
        for document in self.documents.values_mut().filter(|one| one.is_changed && !one.is_reading) {
            document.start_reading(self.read.0.clone());
        }
        if self.running == 0 && !self.is_reading() && self.read_newer_run() {
            self.publish_all()?;
            self.refresh_lenses()?;
        }
        Ok(())
    }

    /// How long the next message is waited for; `None` for as long as it takes.
    fn find_pause(&self) -> Option<Duration> {
        if self.is_reading() {
            return Some(READ_PAUSE);
        }
        let is_waiting = self.running > 0 || self.documents.values().any(|document| document.is_changed);
        if is_waiting { Some(PAUSE) } else { (!self.documents.is_empty()).then_some(RUN_PAUSE) }
    }

    fn is_reading(&self) -> bool {
        self.documents.values().any(|document| document.is_reading)
    }

    /// Reads the verdicts of a newer run. Returns whether there are any.
    fn read_newer_run(&mut self) -> bool {
        let last_run = &mut self.last_run;
        self.documents.values().any(|document| last_run.refresh(&document.project))
    }

    fn take_cases(&mut self, read: ReadCases) -> Result<(), CliError> {
        let document = self.documents.get_mut(&read.path);
        if document.is_some_and(|document| document.take_cases(read)) { self.publish_all() } else { Ok(()) }
    }

    fn take_notification(&mut self, notification: Notification) -> Result<(), CliError> {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let opened: lsp_types::DidOpenTextDocumentParams = json::from_json(notification.params)?;
                self.set_text(&opened.text_document.uri, opened.text_document.text);
            }
            DidChangeTextDocument::METHOD => {
                let changed: lsp_types::DidChangeTextDocumentParams = json::from_json(notification.params)?;
                for change in changed.content_changes {
                    self.change_text(&changed.text_document.uri, change);
                }
            }
            // A saved file may be read by the cases of every other open document.
            DidSaveTextDocument::METHOD => {
                self.documents.values_mut().for_each(|document| document.is_changed = true);
            }
            DidCloseTextDocument::METHOD => {
                let closed: lsp_types::DidCloseTextDocumentParams = json::from_json(notification.params)?;
                if let Some(document) =
                    find_path(&closed.text_document.uri).and_then(|path| self.documents.remove(&path))
                {
                    // The client keeps the last diagnostics of a file until an empty list replaces them.
                    self.publish(&document.path, Vec::new())?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Keeps the text of an open file, if it contains cases or a pack of attacks.
    fn set_text(&mut self, uri: &Uri, text: String) {
        let Some(path) = find_path(uri) else { return };
        if let Some(known) = self.documents.get_mut(&path) {
            // The text is checked later, when the editor pauses.
            (known.text, known.is_changed) = (text, true);
            return;
        }
        let document = OpenDocument::new(uri.clone(), path.clone(), text);
        if document.project.reads(&path, &document.text) {
            self.documents.insert(path, document);
        }
    }

    /// Changes a part of an open file, or all of it.
    fn change_text(&mut self, uri: &Uri, change: TextDocumentContentChangeEvent) {
        let Some(range) = change.range else { return self.set_text(uri, change.text) };
        let document = find_path(uri).and_then(|path| self.documents.get_mut(&path));
        let Some(document) = document else { return };
        let start = find_offset(&document.text, range.start);
        let end = find_offset(&document.text, range.end);
        document.text.replace_range(start..end.max(start), &change.text);
        document.is_changed = true;
    }

    /// Publishes the diagnostics of all open files.
    pub(super) fn publish_all(&mut self) -> Result<(), CliError> {
        let mut published: HashMap<PathBuf, Vec<Diagnostic>> = HashMap::new();
        for document in self.documents.values() {
            self.last_run.refresh(&document.project);
            for (path, found) in diagnostics::list_diagnostics(document, &self.last_run) {
                published.entry(path).or_default().extend(found);
            }
        }
        // A file that has no mistake any more must lose its marks.
        for path in self.marked.clone().into_iter().filter(|path| !published.contains_key(path)) {
            self.publish(&path, Vec::new())?;
        }
        published.into_iter().try_for_each(|(path, found)| self.publish(&path, found))
    }

    fn publish(&mut self, path: &Path, found: Vec<Diagnostic>) -> Result<(), CliError> {
        let known = self.documents.get(path).map(|document| document.uri.clone());
        let Some(uri) = known.or_else(|| path_to_uri(path)) else { return Ok(()) };
        if found.is_empty() {
            self.marked.remove(path);
        } else {
            self.marked.insert(path.to_owned());
        }
        self.notify::<PublishDiagnostics>(PublishDiagnosticsParams::new(uri, found, None))
    }

    pub(super) fn notify<N: NotificationKind>(&self, parameters: N::Params) -> Result<(), CliError> {
        let notification = Notification::new(N::METHOD.to_owned(), parameters);
        Ok(self.connection.sender.send(notification.into())?)
    }

    /// Sends a request. Nobody waits for the answer.
    pub(super) fn request<R: RequestKind>(&mut self, parameters: R::Params) -> Result<(), CliError> {
        self.requests += 1;
        let request = Request::new(self.requests.into(), R::METHOD.to_owned(), parameters);
        Ok(self.connection.sender.send(request.into())?)
    }

    /// Asks the client for the lenses again, if it can.
    pub(super) fn refresh_lenses(&mut self) -> Result<(), CliError> {
        if self.refreshes_lenses { self.request::<CodeLensRefresh>(()) } else { Ok(()) }
    }

    pub(super) fn respond(&self, id: RequestId, result: impl Serialize) -> Result<(), CliError> {
        Ok(self.connection.sender.send(Response::new_ok(id, result).into())?)
    }

    pub(super) fn refuse(&self, id: RequestId, code: ErrorCode, message: String) -> Result<(), CliError> {
        Ok(self.connection.sender.send(Response::new_err(id, code as i32, message).into())?)
    }
}

pub(super) fn find_path(uri: &Uri) -> Option<PathBuf> {
    let path = uri_to_path(uri)?;
    // An editor may name a file by a link, and a verdict names it by its place.
    Some(path.canonicalize().unwrap_or(path))
}
