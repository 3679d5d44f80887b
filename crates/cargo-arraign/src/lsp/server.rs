//! The loop of the server: messages, diagnostics when no message waits, and the ends of commands.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Notification as NotificationKind, PublishDiagnostics, ShowMessage,
};
use lsp_types::request::{
    CodeActionRequest, CodeLensRefresh, CodeLensRequest, Completion, ExecuteCommand, GotoDefinition,
    HoverRequest, PrepareRenameRequest, Rename, Request as RequestKind, ShowDocument,
};
use lsp_types::{
    Diagnostic, InitializeParams, MessageType, PublishDiagnosticsParams, ShowDocumentParams,
    ShowMessageParams, TextDocumentPositionParams, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::commands::{self, CaseCommand, CommandResult};
use super::document::OpenDocument;
use super::evidence::read_runs_at;
use super::last_run::LastRun;
use super::outline::outline_cases;
use super::position::{path_to_uri, uri_to_path};
use super::project::EvalProject;
use super::{actions, completion, definition, diagnostics, hover, lenses, rename};
use crate::error::CliError;

/// How long no message must arrive before changed files are read, and how often the end of a command is looked for.
const PAUSE: Duration = Duration::from_millis(100);

/// A command that has ended, with the request that asked for it.
type EndedCommand = (RequestId, CommandResult);

/// The state of the server.
pub(super) struct Server<'c> {
    connection: &'c Connection,
    documents: HashMap<PathBuf, OpenDocument>,
    last_run: LastRun,
    /// The files with published diagnostics.
    marked: HashSet<PathBuf>,
    running: usize,
    ended: (Sender<EndedCommand>, Receiver<EndedCommand>),
    requests: i32,
    folder: Option<PathBuf>,
    shows_documents: bool,
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
            requests: 0,
            folder: folders.first().and_then(|folder| uri_to_path(&folder.uri)),
            shows_documents,
            refreshes_lenses,
        }
    }

    /// Answers messages until the client ends the session.
    pub(super) fn serve(&mut self) -> Result<(), CliError> {
        loop {
            let is_busy = self.running > 0 || self.documents.values().any(|document| document.is_changed);
            let received = if is_busy {
                self.connection.receiver.recv_timeout(PAUSE).map_err(|error| error.is_timeout())
            } else {
                self.connection.receiver.recv().map_err(|_| false)
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
                Err(is_timeout) if is_timeout => self.publish_changed()?,
                Err(_) => return Ok(()),
            }
            while let Ok((id, result)) = self.ended.1.try_recv() {
                self.end_command(id, &result)?;
            }
        }
    }

    fn take_notification(&mut self, notification: Notification) -> Result<(), CliError> {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let opened: lsp_types::DidOpenTextDocumentParams =
                    serde_json::from_value(notification.params)?;
                self.set_text(&opened.text_document.uri, opened.text_document.text);
            }
            DidChangeTextDocument::METHOD => {
                let changed: lsp_types::DidChangeTextDocumentParams =
                    serde_json::from_value(notification.params)?;
                // Each change is the whole text: the server announces full synchronization.
                let text = changed.content_changes.into_iter().next_back().map(|change| change.text);
                self.set_text(&changed.text_document.uri, text.unwrap_or_default());
            }
            DidSaveTextDocument::METHOD => {
                self.documents.values_mut().for_each(|document| document.is_changed = true);
            }
            DidCloseTextDocument::METHOD => {
                let closed: lsp_types::DidCloseTextDocumentParams =
                    serde_json::from_value(notification.params)?;
                if let Some(document) =
                    find_path(&closed.text_document.uri).and_then(|path| self.documents.remove(&path))
                {
                    self.publish(&document.path, Vec::new())?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Keeps the text of an open file, if it contains cases.
    fn set_text(&mut self, uri: &Uri, text: String) {
        let Some(path) = find_path(uri) else { return };
        if let Some(known) = self.documents.get_mut(&path) {
            (known.text, known.is_changed) = (text, true);
            return;
        }
        let document = OpenDocument::new(uri.clone(), path.clone(), text);
        if document.project.has_cases_in(&path) {
            self.documents.insert(path, document);
        }
    }

    /// Reads the changed files and publishes their diagnostics.
    fn publish_changed(&mut self) -> Result<(), CliError> {
        let mut published: HashMap<PathBuf, Vec<Diagnostic>> = HashMap::new();
        if !self.documents.values().any(|document| document.is_changed) {
            return Ok(());
        }
        for document in self.documents.values_mut() {
            if document.is_changed {
                document.read_cases();
            }
            self.last_run.refresh(&document.project);
            for (path, found) in diagnostics::list_diagnostics(document, &self.last_run) {
                published.entry(path).or_default().extend(found);
            }
        }
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

    fn notify<N: NotificationKind>(&self, parameters: N::Params) -> Result<(), CliError> {
        let notification = Notification::new(N::METHOD.to_owned(), parameters);
        Ok(self.connection.sender.send(notification.into())?)
    }

    /// Sends a request whose answer does not matter.
    fn request<R: RequestKind>(&mut self, parameters: R::Params) -> Result<(), CliError> {
        self.requests += 1;
        let request = Request::new(self.requests.into(), R::METHOD.to_owned(), parameters);
        Ok(self.connection.sender.send(request.into())?)
    }

    fn respond(&self, id: RequestId, result: impl Serialize) -> Result<(), CliError> {
        Ok(self.connection.sender.send(Response::new_ok(id, result).into())?)
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, message: String) -> Result<(), CliError> {
        Ok(self.connection.sender.send(Response::new_err(id, code as i32, message).into())?)
    }
}

fn find_path(uri: &Uri) -> Option<PathBuf> {
    let path = uri_to_path(uri)?;
    // An editor may name a file by a link, and a verdict names it by its place.
    Some(path.canonicalize().unwrap_or(path))
}

/// The requests.
impl Server<'_> {
    fn answer_request(&mut self, request: Request) -> Result<(), CliError> {
        let Request { id, method, params } = request;
        match method.as_str() {
            ExecuteCommand::METHOD => self.start_command(id, params),
            Rename::METHOD => self.rename_case(id, params),
            _ => match self.find_answer(&method, params) {
                Some(answer) => self.respond(id, answer),
                None => self.refuse(id, ErrorCode::MethodNotFound, format!("unknown method {method}")),
            },
        }
    }

    /// Answers a request about an open file; `null` if the file contains no cases.
    fn find_answer(&mut self, method: &str, parameters: Value) -> Option<Value> {
        let document =
            find_uri(&parameters).and_then(|uri| find_path(&uri)).and_then(|path| self.documents.get(&path));
        let run = &self.last_run;
        let answer = match method {
            CodeLensRequest::METHOD => document.map(|one| to_json(lenses::list_lenses(one, run))),
            Completion::METHOD => {
                answer_at(document, parameters, |one, at| Some(completion::complete(one, at)))
            }
            HoverRequest::METHOD => {
                answer_at(document, parameters, |one, at| hover::describe_at(one, run, at))
            }
            GotoDefinition::METHOD => answer_at(document, parameters, definition::find_definition),
            PrepareRenameRequest::METHOD => answer_at(document, parameters, rename::prepare_rename),
            CodeActionRequest::METHOD => document.and_then(|one| {
                let range = parse::<lsp_types::CodeActionParams>(parameters)?.range;
                Some(to_json(actions::list_actions(one, run, range)))
            }),
            _ => return None,
        };
        Some(answer.unwrap_or_default())
    }

    fn rename_case(&self, id: RequestId, parameters: Value) -> Result<(), CliError> {
        let parameters: lsp_types::RenameParams = serde_json::from_value(parameters)?;
        let at = parameters.text_document_position;
        let document = find_path(&at.text_document.uri).and_then(|path| self.documents.get(&path));
        let Some(document) = document else { return self.respond(id, Value::Null) };
        match rename::rename_case(document, at.position, &parameters.new_name) {
            Ok(edit) => self.respond(id, edit),
            Err(problem) => self.refuse(id, ErrorCode::RequestFailed, problem),
        }
    }

    /// Starts the command of a lens. The request is answered when the command has ended.
    fn start_command(&mut self, id: RequestId, parameters: Value) -> Result<(), CliError> {
        let parameters: lsp_types::ExecuteCommandParams = serde_json::from_value(parameters)?;
        if !commands::ALL.contains(&parameters.command.as_str()) {
            return self.refuse(
                id,
                ErrorCode::InvalidParams,
                format!("unknown command {}", parameters.command),
            );
        }
        let Some(command) = self.prepare_command(&parameters.command, parameters.arguments.first()) else {
            return self.refuse(id, ErrorCode::InvalidParams, "no open file of cases is named".to_owned());
        };
        self.running += 1;
        let sender = self.ended.0.clone();
        thread::spawn(move || {
            // The receiver is gone if the client has ended the session.
            let _ = sender.send((id, command.execute()));
        });
        Ok(())
    }

    fn prepare_command(&self, command: &str, argument: Option<&Value>) -> Option<CaseCommand> {
        let path = argument
            .and_then(|argument| parse::<Uri>(argument["uri"].clone()))
            .and_then(|uri| find_path(&uri));
        let name = argument.and_then(|argument| argument["name"].as_str()).unwrap_or_default();
        let Some(path) = path else {
            let folder = self.folder.as_ref()?.join("evals");
            return Some(CaseCommand::new(command, name, &EvalProject::find(&folder.join("x")), Vec::new()));
        };
        let Some(document) = self.documents.get(&path) else {
            return Some(CaseCommand::new(command, name, &EvalProject::find(&path), Vec::new()));
        };
        let mut traces = Vec::new();
        if command == commands::DEBUG {
            let cases = outline_cases(document);
            let offset = cases.iter().find(|case| case.name == name).map_or(0, |case| case.head.0);
            traces = read_runs_at(document, offset).into_iter().filter_map(|(file, _)| file).collect();
            traces.dedup();
        }
        Some(CaseCommand::new(command, name, &document.project, traces))
    }

    /// Answers the request of a command that has ended, and shows what it has changed.
    fn end_command(&mut self, id: RequestId, result: &CommandResult) -> Result<(), CliError> {
        self.running -= 1;
        self.documents.values_mut().for_each(|document| document.is_changed = true);
        self.publish_changed()?;
        self.respond(id, result.to_json())?;
        if self.refreshes_lenses {
            self.request::<CodeLensRefresh>(())?;
        }
        match result.file.as_deref().and_then(path_to_uri).filter(|_| self.shows_documents) {
            Some(uri) => {
                let show =
                    ShowDocumentParams { uri, external: None, take_focus: Some(true), selection: None };
                self.request::<ShowDocument>(show)
            }
            None => self.notify::<ShowMessage>(describe_end(result)),
        }
    }
}

/// Describes the end of a command in one line.
fn describe_end(result: &CommandResult) -> ShowMessageParams {
    let (typ, verb) =
        if result.success { (MessageType::INFO, "succeeded") } else { (MessageType::WARNING, "failed") };
    let file = result.file.as_ref().map(|file| format!(": see {}", file.display())).unwrap_or_default();
    ShowMessageParams { typ, message: format!("{} {verb}{file}", result.name) }
}

/// The URI of the file that a request is about.
fn find_uri(parameters: &Value) -> Option<Uri> {
    parse(parameters["textDocument"]["uri"].clone())
}

fn answer_at<T: Serialize>(
    document: Option<&OpenDocument>,
    parameters: Value,
    find: impl FnOnce(&OpenDocument, lsp_types::Position) -> Option<T>,
) -> Option<Value> {
    let at: TextDocumentPositionParams = parse(parameters)?;
    find(document?, at.position).map(to_json)
}

fn parse<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

fn to_json(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_else(|_| json!(null))
}
