//! A session with the language server, as an editor has it.

use std::fs;
use std::io::{BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lsp_server::{Message, Notification, Request, Response};
use serde_json::{Value, json};

use crate::folder::resolve_links;

pub(super) const TRACE: &str = r#"{"steps": [
  {"call": "get_order", "id": "call_17", "args": {"order": {"id": 1042}, "fast": true}},
  {"call": "refund", "args": {"order": 7}},
  {"say": "Done."}
]}"#;

/// A project without a crate, and a server for it.
pub(super) struct Session {
    pub(super) folder: tempfile::TempDir,
    pub(super) server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: i32,
    pub(super) notifications: Vec<Notification>,
}

impl Session {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("evals/traces/shop.json", TRACE)].iter().chain(files) {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-arraign"));
        command
            .arg("lsp")
            .current_dir(folder.path())
            .env_remove("ARRAIGN_OUT")
            // Somebody edits, and snapshots stay pending until they are accepted.
            .env_remove("CI")
            .env("INSTA_UPDATE", "new")
            .env_remove("CARGO_TARGET_DIR");
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server");
        let input = server.stdin.take().expect("its input");
        let output = BufReader::new(server.stdout.take().expect("its output"));
        let mut session = Self { folder, server, input, output, last: 0, notifications: Vec::new() };
        let folders = json!([{"uri": session.uri(""), "name": "test"}]);
        session
            .ask("initialize", json!({"capabilities": {}, "workspaceFolders": folders}))
            .expect("capabilities");
        session.notify("initialized", json!({}));
        session
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        resolve_links(self.folder.path()).join(name)
    }

    pub(super) fn uri(&self, name: &str) -> String {
        let path = self.path(name).display().to_string().replace('\\', "/");
        format!("file://{}{path}", if path.starts_with('/') { "" } else { "/" })
    }

    fn send(&mut self, message: impl Into<Message>) {
        message.into().write(&mut self.input).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    pub(super) fn notify(&mut self, method: &str, parameters: Value) {
        self.send(Notification::new(method.to_owned(), parameters));
    }

    fn receive(&mut self) -> Message {
        Message::read(&mut self.output).expect("a message").expect("the server runs")
    }

    /// Sends a request and returns its result, or the message of its error.
    pub(super) fn ask(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.last += 1;
        self.send(Request::new(self.last.into(), method.to_owned(), parameters));
        loop {
            match self.receive() {
                Message::Response(Response { response_result, .. }) => {
                    return response_result.map_err(|error| error.message);
                }
                Message::Notification(notification) => self.notifications.push(notification),
                Message::Request(_) => {}
            }
        }
    }

    /// Opens a file with `text` and returns its diagnostics.
    pub(super) fn open(&mut self, name: &str, text: &str) -> Vec<Value> {
        let document = json!({"uri": self.uri(name), "languageId": "yaml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
        self.wait_for_diagnostics(name)
    }

    pub(super) fn change(&mut self, name: &str, text: &str) {
        let document = json!({"uri": self.uri(name), "version": 2});
        let changes = json!([{"text": text}]);
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    /// Types `text` at a place of the file.
    pub(super) fn insert(&mut self, name: &str, line: u32, character: u32, text: &str) {
        let document = json!({"uri": self.uri(name), "version": 2});
        let at = json!({"line": line, "character": character});
        let changes = json!([{"range": {"start": at, "end": at}, "text": text}]);
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    pub(super) fn wait_for_diagnostics(&mut self, name: &str) -> Vec<Value> {
        let uri = self.uri(name);
        loop {
            let Message::Notification(notification) = self.receive() else { continue };
            if notification.method == "textDocument/publishDiagnostics" && notification.params["uri"] == uri {
                return notification.params["diagnostics"].as_array().cloned().unwrap_or_default();
            }
        }
    }

    /// Asks about the place of `|` in `text`, which becomes the text of the file.
    pub(super) fn ask_at(&mut self, method: &str, name: &str, text: &str) -> Value {
        let position = position(text);
        self.change(name, &text.replace('|', ""));
        let document = json!({"uri": self.uri(name)});
        self.ask(method, json!({"textDocument": document, "position": position})).expect("an answer")
    }

    pub(super) fn complete(&mut self, name: &str, text: &str) -> Vec<String> {
        let items = self.ask_at("textDocument/completion", name, text);
        let items = items.as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["label"].as_str().expect("a label").to_owned()).collect()
    }

    pub(super) fn run_command(&mut self, command: &str, name: &str, case: &str) -> Value {
        let argument = json!({"uri": self.uri(name), "name": case});
        let parameters = json!({"command": command, "arguments": [argument]});
        self.ask("workspace/executeCommand", parameters).expect("a result")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The position of the cursor `|`.
pub(super) fn position(text: &str) -> Value {
    let before = &text[..text.find('|').expect("a cursor")];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
    json!({"line": line, "character": column})
}

/// The text in the lines of `text` that a range marks.
pub(super) fn marked<'t>(text: &'t str, range: &Value) -> &'t str {
    let number = |end: &str, part: &str| {
        usize::try_from(range[end][part].as_u64().expect("a number")).expect("a small number")
    };
    let line = text.lines().nth(number("start", "line")).expect("a line");
    &line[number("start", "character")..number("end", "character")]
}
