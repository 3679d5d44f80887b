//! The requests of the client, and the ends of the commands that they start.

use std::thread;

use lsp_server::{ErrorCode, Request, RequestId};
use lsp_types::notification::ShowMessage;
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, Completion, ExecuteCommand, GotoDefinition, HoverRequest,
    PrepareRenameRequest, Rename, Request as RequestKind, ShowDocument,
};
use lsp_types::{MessageType, ShowDocumentParams, ShowMessageParams, TextDocumentPositionParams, Uri};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::commands::{self, CaseCommand, CommandResult};
use super::document::OpenDocument;
use super::evidence::read_runs_at;
use super::outline::outline_cases;
use super::position::path_to_uri;
use super::project::EvalProject;
use super::server::{Server, find_path};
use super::{actions, completion, definition, hover, lenses, rename};
use crate::error::CliError;

use arraign::json::{self, Json};

impl Server<'_> {
    /// Answers a request, or starts its command.
    pub(super) fn answer_request(&mut self, request: Request) -> Result<(), CliError> {
        let Request { id, method, params } = request;
        match method.as_str() {
            ExecuteCommand::METHOD => self.start_command(id, params.into()),
            Rename::METHOD => self.rename_case(id, params.into()),
            _ => match self.find_answer(&method, params.into()) {
                Some(answer) => self.respond(id, answer),
                None => self.refuse(id, ErrorCode::MethodNotFound, format!("unknown method {method}")),
            },
        }
    }

    /// Answers a request about an open file; `null` if the file contains no cases.
    fn find_answer(&mut self, method: &str, parameters: Json) -> Option<Json> {
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

    fn rename_case(&self, id: RequestId, parameters: Json) -> Result<(), CliError> {
        let parameters: lsp_types::RenameParams = json::from_json(parameters)?;
        let at = parameters.text_document_position;
        let document = find_path(&at.text_document.uri).and_then(|path| self.documents.get(&path));
        let Some(document) = document else { return self.respond(id, Json::Null) };
        match rename::rename_case(document, at.position, &parameters.new_name) {
            Ok(edit) => self.respond(id, edit),
            Err(problem) => self.refuse(id, ErrorCode::RequestFailed, problem),
        }
    }

    /// Starts the command of a lens. The request is answered when the command has ended.
    fn start_command(&mut self, id: RequestId, parameters: Json) -> Result<(), CliError> {
        let parameters: lsp_types::ExecuteCommandParams = json::from_json(parameters)?;
        if !commands::ALL.contains(&parameters.command.as_str()) {
            return self.refuse(
                id,
                ErrorCode::InvalidParams,
                format!("unknown command {}", parameters.command),
            );
        }
        let argument = parameters.arguments.first().map(Json::from);
        let Some(command) = self.prepare_command(&parameters.command, argument.as_ref()) else {
            return self.refuse(id, ErrorCode::InvalidParams, "no open file of cases is named".to_owned());
        };
        self.running += 1;
        let sender = self.ended.0.clone();
        // A command runs cargo, and takes minutes. Meanwhile the server goes on answering.
        thread::spawn(move || {
            // The receiver is gone if the client has ended the session.
            let _ = sender.send((id, command.execute()));
        });
        Ok(())
    }

    fn prepare_command(&self, command: &str, argument: Option<&Json>) -> Option<CaseCommand> {
        let path = argument
            .and_then(|argument| parse::<Uri>(argument["uri"].clone()))
            .and_then(|uri| find_path(&uri));
        let name = argument.and_then(|argument| argument["name"].as_str()).unwrap_or_default();
        let Some(path) = path else {
            // Without a file, the command is about the project of the editor's folder. The last part of the path is a
            // stand-in, because a project is found by one of its files.
            let folder = self.folder.as_ref()?.join("evals");
            return Some(CaseCommand::new(command, name, &EvalProject::find(&folder.join("x")), Vec::new()));
        };
        let Some(document) = self.documents.get(&path) else {
            return Some(CaseCommand::new(command, name, &EvalProject::find(&path), Vec::new()));
        };
        let cases = outline_cases(document);
        let case = cases.iter().find(|case| case.name == name);
        let mut traces = Vec::new();
        if command == commands::DEBUG {
            let offset = case.map_or(0, |case| case.head.0);
            traces = read_runs_at(document, offset).into_iter().filter_map(|(file, _)| file).collect();
            traces.dedup();
        }
        let mut prepared = CaseCommand::new(command, name, &document.project, traces);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if let Some(case) = case {
            // `shop.a.snap` is the case's, `shop.ab.snap` is not.
            prepared.snapshots = format!("/{}.", rename::name_snapshot(&stem, case.id.as_deref()));
        }
        Some(prepared)
    }

    /// Answers the request of a command that has ended, and shows what it has changed.
    pub(super) fn end_command(&mut self, id: RequestId, result: &CommandResult) -> Result<(), CliError> {
        self.running -= 1;
        // The command may have written traces, verdicts or snapshots, which change what every file shows.
        self.documents.values_mut().for_each(OpenDocument::read_cases);
        self.publish_all()?;
        self.respond(id, result.to_json())?;
        self.refresh_lenses()?;
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
fn find_uri(parameters: &Json) -> Option<Uri> {
    parse(parameters["textDocument"]["uri"].clone())
}

fn answer_at<T: Serialize>(
    document: Option<&OpenDocument>,
    parameters: Json,
    find: impl FnOnce(&OpenDocument, lsp_types::Position) -> Option<T>,
) -> Option<Json> {
    let at: TextDocumentPositionParams = parse(parameters)?;
    find(document?, at.position).map(to_json)
}

fn parse<T: DeserializeOwned>(value: Json) -> Option<T> {
    json::from_json(value).ok()
}

fn to_json(value: impl Serialize) -> Json {
    json::to_json(&value).unwrap_or(Json::Null)
}
