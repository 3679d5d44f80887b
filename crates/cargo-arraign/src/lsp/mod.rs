//! `cargo arraign lsp`: a language server for case files.
//!
//! One thread reads messages and answers them. When no message waits, another one reads changed cases, so that a completion
//! never waits for the diagnostics of the letter before it. Trials run in processes of their own.

mod actions;
mod commands;
mod completion;
mod definition;
mod diagnostics;
mod document;
mod evidence;
mod hover;
mod key_path;
mod last_run;
mod lenses;
mod outline;
mod policies;
mod position;
mod project;
mod rename;
mod requests;
mod server;
mod survivors;
mod transport;

use std::process::ExitCode;

use clap::Args;
use lsp_server::Connection;
use lsp_types::{
    CodeActionProviderCapability, CodeLensOptions, CompletionOptions, ExecuteCommandOptions,
    HoverProviderCapability, OneOf, RenameOptions, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, WorkDoneProgressOptions,
};

use self::server::Server;
use self::transport::Transport;
use crate::error::{CliError, CliResult};

use arraign::json;

/// Run a language server for case files, on standard input and output.
///
/// Editors start it: see docs/editors.md.
#[derive(Debug, Args)]
pub(crate) struct Lsp {
    /// Accepted because many editors pass it: the server uses standard input and output anyway.
    #[arg(long)]
    stdio: bool,
}

impl Lsp {
    #[expect(clippy::unused_self, reason = "each command has this method, and the flag changes nothing")]
    pub(crate) fn run(self) -> CliResult {
        let (connection, transport) = Transport::start();
        let served = serve(&connection);
        // The writer ends when there is nobody left who could send a message.
        drop(connection);
        if let Err(error) = served {
            // A message that could not be read has ended the session, and says more than that it has ended.
            transport.check_read()?;
            return Err(error);
        }
        transport.join()?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Serves a session until the client ends it.
fn serve(connection: &Connection) -> Result<(), CliError> {
    let parameters = connection.initialize(json::to_json(&list_capabilities())?.into())?;
    Server::new(connection, json::from_json(parameters)?).serve()
}

fn list_capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::INCREMENTAL)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([" ", "[", "\"", ".", "/"].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::ALL.map(str::to_owned).to_vec(),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        ..ServerCapabilities::default()
    }
}
