//! Agents over the Agent Client Protocol: JSON-RPC messages, one on each line, over the standard streams of a process.
//!
//! All messages of a session are kept in a log, and the reader `acp` makes the run of it: a live run and its log give the
//! same trace. What arraign does not know is thus an unread part of the run.

mod files;
mod permissions;

use std::collections::{HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::{Duration, SystemTime};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};

use self::files::{read_text_file, write_text_file};
use self::permissions::KnownCall;
use super::capture::StderrTail;
use super::command::{
    CommandResult, MCP_VARIABLE, NonJsonOutput, StartedProcess, collect_secrets, collect_variables,
    fill_arguments, read_trace, start_process, truncate_front,
};
use super::error::refuse_secrets;
use super::group::{ProcessGroup, wait_for_exit};
use super::leases::RunLeases;
use super::mocks::OwnTools;
use super::workspace::{Room, WorkspaceError};
use super::{AgentEnvironment, AgentInput, AgentProblem, AgentTask, OUTPUT_LIMIT};
use crate::case::AcpAgent;
use crate::json::{self, Json, json};
use crate::secrets::Secrets;
use crate::trace::{Ended, Trace};

/// The version of the protocol that arraign speaks.
const PROTOCOL_VERSION: u64 = 1;

/// The name of the reader of the log.
const FORMAT: &str = "acp";

/// How long an agent has to answer after `session/cancel`.
const CANCEL_GRACE: Duration = Duration::from_secs(5);

/// How long an agent has to end after the last answer, before it is killed.
const EXIT_GRACE: Duration = Duration::from_secs(1);

/// The error of the protocol for an agent that wants a login.
const AUTHENTICATION_REQUIRED: i64 = -32000;

/// The error of JSON-RPC for a method that is not known.
const METHOD_NOT_FOUND: i64 = -32601;

/// The error of JSON-RPC for parameters that cannot be used.
const INVALID_PARAMS: i64 = -32602;

/// Asks an agent, turn by turn if the case has turns. After the limit, the turn is cancelled; an agent that does not answer then is
/// killed.
pub(super) async fn hold_session(
    agent: &AcpAgent,
    task: &AgentTask,
    input: &AgentInput,
    environment: &AgentEnvironment,
    leases: &RunLeases,
) -> CommandResult {
    let mut session = match AcpSession::start(agent, task, input, environment) {
        Ok(session) => session,
        Err(problem) => return (Err(problem), String::new()),
    };
    let answer = session.ask(task, input, leases).await;
    (answer, session.into_stderr().await)
}

/// A process with its session.
struct AcpSession<'a> {
    agent: &'a AcpAgent,
    room: &'a Room,
    own_tools: Option<OwnTools>,
    variable: fn(&str) -> Option<OsString>,
    group: Option<ProcessGroup>,
    child: Child,
    /// Lines for the standard input, which a task writes: an agent that does not read must not keep us from reading.
    outgoing: Option<mpsc::UnboundedSender<Vec<u8>>>,
    stdout: ChildStdout,
    /// What was read of the standard output, and is no whole line yet.
    unread: Vec<u8>,
    /// The messages of a batch that have not been looked at.
    batch: VecDeque<Json>,
    stderr: StderrTail,
    secrets: Secrets,
    /// All messages, as the reader reads them.
    log: Vec<u8>,
    output_limit: usize,
    last_id: u64,
    calls: HashMap<String, KnownCall>,
    /// Whether the turn was cancelled at the limit.
    is_cancelled: bool,
    /// Why a permission could be neither granted nor refused.
    open_permission: Option<String>,
    remarks: Vec<String>,
}

impl<'a> AcpSession<'a> {
    fn start(
        agent: &'a AcpAgent,
        task: &AgentTask,
        input: &AgentInput,
        environment: &'a AgentEnvironment,
    ) -> Result<Self, AgentProblem> {
        let Some(room) = &environment.room else {
            return Err(AgentProblem::NoWorkspace(WorkspaceError::NoScratch));
        };
        let line = &agent.line;
        let variables = collect_variables(line, environment, Some(input));
        let filled = fill_arguments(line, input, environment)?;
        let StartedProcess { child, group, stdin, stdout, stderr } =
            start_process(&filled, variables, environment)?;
        let (outgoing, lines) = mpsc::unbounded_channel();
        tokio::spawn(write_lines(stdin, lines));
        Ok(Self {
            agent,
            room,
            own_tools: super::mocks::find_own_tools(task.mocks.as_ref()),
            variable: environment.variable,
            group,
            child,
            outgoing: Some(outgoing),
            stdout,
            unread: Vec::new(),
            batch: VecDeque::new(),
            stderr: StderrTail::start(stderr),
            secrets: collect_secrets(line, environment),
            log: Vec::new(),
            output_limit: line.output_limit.unwrap_or(OUTPUT_LIMIT),
            last_id: 0,
            calls: HashMap::new(),
            is_cancelled: false,
            open_permission: None,
            remarks: Vec::new(),
        })
    }

    /// Holds the session, and reads its log as a run.
    async fn ask(
        &mut self,
        task: &AgentTask,
        input: &AgentInput,
        leases: &RunLeases,
    ) -> Result<Trace, AgentProblem> {
        let limit = task.find_limit();
        let deadline = Instant::now() + limit;
        let opened = timeout_at(deadline, self.open_session(input)).await;
        let session = opened.unwrap_or(Err(AgentProblem::OutOfTime(limit)))?;
        let script = &input.script;
        let own = [input.query.clone()];
        let texts = if script.texts.is_empty() { &own[..] } else { &script.texts };
        for (number, text) in texts.iter().enumerate() {
            if let Some(stop) = script.stop_when.as_ref().filter(|_| number > 0) {
                let so_far = self.read_log(task).await?;
                if stop.holds(so_far.answer.as_deref().unwrap_or_default()) {
                    break;
                }
            }
            let prompt = json!([{"type": "text", "text": text.as_str()}]);
            let params = json!({"sessionId": session.as_str(), "prompt": prompt});
            let id = self.send_request("session/prompt", &params);
            let answer = match timeout_at(deadline, self.wait_for(id)).await {
                Ok(answer) => answer?,
                Err(_) => self.cancel(&session, id, limit).await?,
            };
            if answer.pointer("/error/code").and_then(Json::as_i64) == Some(AUTHENTICATION_REQUIRED) {
                return Err(self.explain_login(&answer, "session/prompt", &Json::Null));
            }
            // What the agent did without the tools of its case says nothing about it, so further turns are not asked.
            // A turn that failed or was cancelled has a cause of its own.
            let is_answered = answer.get("result").is_some() && !self.is_cancelled;
            if number == 0 && is_answered && leases.has_unlisted_mocks() {
                return Err(AgentProblem::MocksIgnored);
            }
            if self.is_cancelled {
                break;
            }
        }
        self.end().await;
        for remark in std::mem::take(&mut self.remarks) {
            crate::source::lock(&task.remarks).push(format!("{}: {remark}", input.id));
        }
        let mut trace = self.read_log(task).await?;
        if self.is_cancelled {
            trace.ended = Ended::Limit(format!("no answer within {limit:?}, so the turn was cancelled"));
        } else if let Some(why) = self.open_permission.take() {
            trace.ended = Ended::Cut(why);
        }
        Ok(trace)
    }

    /// Agrees on the version, and opens a session. Returns its id.
    async fn open_session(&mut self, input: &AgentInput) -> Result<String, AgentProblem> {
        let capabilities = json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": false});
        let client = json!({"name": "arraign", "version": env!("CARGO_PKG_VERSION")});
        let params = json!({
            "protocolVersion": PROTOCOL_VERSION, "clientCapabilities": capabilities, "clientInfo": client,
        });
        let begun = self.request("initialize", &params).await?;
        let begun = take_result(begun, "initialize")?;
        let version = begun.get("protocolVersion").cloned().unwrap_or_default();
        if version.as_u64() != Some(PROTOCOL_VERSION) {
            let problem = format!(
                "it speaks version {version} of the Agent Client Protocol, and arraign speaks {PROTOCOL_VERSION}"
            );
            return Err(AgentProblem::NotAsked(problem.into()));
        }
        let takes_http = begun.pointer("/agentCapabilities/mcpCapabilities/http").and_then(Json::as_bool);
        let servers = self.list_servers(input, takes_http == Some(true));
        let folder = self.room.workspace.to_string_lossy();
        let params = json!({"cwd": &*folder, "mcpServers": servers});
        let opened = self.request("session/new", &params).await?;
        if opened.pointer("/error/code").and_then(Json::as_i64) == Some(AUTHENTICATION_REQUIRED) {
            return Err(self.explain_login(&opened, "session/new", &begun));
        }
        let session = take_result(opened, "session/new")?;
        let session = session.get("sessionId").and_then(Json::as_str).map(ToOwned::to_owned);
        session.ok_or_else(|| wrong("its answer to `session/new` has no `sessionId`"))
    }

    /// Lists the servers of the session: the mock tools of the case.
    fn list_servers(&self, input: &AgentInput, takes_http: bool) -> Json {
        let (Some(tools), Some(url)) = (&self.own_tools, &input.mcp_url) else { return json!([]) };
        let name = tools.server.as_str();
        if takes_http {
            return json!([{"type": "http", "name": name, "url": url.as_str(), "headers": []}]);
        }
        let path = (self.variable)("PATH").unwrap_or_default();
        let program = find_program("cargo-arraign", &path).unwrap_or_else(|| "cargo-arraign".to_owned());
        let variables = json!([{"name": MCP_VARIABLE, "value": url.as_str()}]);
        json!([{"name": name, "command": program, "args": ["arraign", "mcp"], "env": variables}])
    }

    /// Describes that the agent has no login.
    fn explain_login(&self, answer: &Json, method: &str, begun: &Json) -> AgentProblem {
        let message = answer.pointer("/error/message").and_then(Json::as_str).unwrap_or_default();
        let methods = begun.get("authMethods").and_then(Json::as_array).unwrap_or_default();
        let text = |method: &Json, key: &str| method.get(key).and_then(Json::as_str).map(ToOwned::to_owned);
        let listed: Vec<String> = methods
            .iter()
            .filter_map(|method| {
                let id = text(method, "id")?;
                let about = text(method, "description").or_else(|| text(method, "name"));
                Some(about.map_or_else(|| format!("`{id}`"), |about| format!("`{id}` ({about})")))
            })
            .collect();
        let offered = match listed.as_slice() {
            [] => String::new(),
            listed => format!("\nits `authMethods` are {}", listed.join(", ")),
        };
        let env = match self.agent.line.env.as_slice() {
            [] => "`env: [NAME_OF_A_KEY]` on the agent passes a variable of yours on".to_owned(),
            names => {
                format!("`env: [{}]` on the agent passes these variables on: are they set?", names.join(", "))
            }
        };
        let problem = format!("it wants a login: `{method}` was answered with \"{message}\"{offered}\n{env}");
        AgentProblem::NotAsked(problem.into())
    }

    /// Cancels a turn at its limit, and waits a little for its answer.
    async fn cancel(&mut self, session: &str, id: u64, limit: Duration) -> Result<Json, AgentProblem> {
        self.is_cancelled = true;
        self.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}));
        match timeout(CANCEL_GRACE, self.wait_for(id)).await {
            Ok(Ok(answer)) => Ok(answer),
            _ => Err(AgentProblem::OutOfTime(limit)),
        }
    }

    async fn request(&mut self, method: &str, params: &Json) -> Result<Json, AgentProblem> {
        let id = self.send_request(method, params);
        self.wait_for(id).await
    }

    /// Sends a request, and returns its id.
    fn send_request(&mut self, method: &str, params: &Json) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    fn send(&mut self, message: &Json) {
        self.log_message("client", message);
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        if let Some(outgoing) = &self.outgoing {
            // An agent that has ended reads nothing any more, which is noticed where its answer is read.
            let _ = outgoing.send(line);
        }
    }

    /// Waits for the answer to the request `id`, and answers what the agent asks meanwhile.
    ///
    /// This may be dropped at any await: a message is taken out of the buffer and handled without one.
    async fn wait_for(&mut self, id: u64) -> Result<Json, AgentProblem> {
        loop {
            let message = self.read_message().await?;
            let own = message.get("id").cloned().unwrap_or_default();
            match message.get("method").and_then(Json::as_str).map(ToOwned::to_owned) {
                Some(method) => {
                    let params = message.get("params").cloned().unwrap_or_default();
                    if own.is_null() {
                        self.take_notification(&method, &params);
                    } else {
                        self.answer_request(&own, &method, &params);
                    }
                }
                None if own.as_u64() == Some(id) => return Ok(message),
                None => {}
            }
        }
    }

    fn take_notification(&mut self, method: &str, params: &Json) {
        if method == "session/update"
            && let Some(update) = params.get("update")
        {
            self.note_call(update);
        }
    }

    /// Notes what is known of a call, for the permission that it may ask for.
    fn note_call(&mut self, update: &Json) -> Option<&KnownCall> {
        let id = update.get("toolCallId")?.as_str()?;
        let call = self.calls.entry(id.to_owned()).or_default();
        call.update(update);
        Some(call)
    }

    /// Answers a request of the agent.
    fn answer_request(&mut self, id: &Json, method: &str, params: &Json) {
        let answered = match method {
            "session/request_permission" => Ok(self.decide_permission(params)),
            "fs/read_text_file" => read_text_file(&self.room.workspace, params),
            "fs/write_text_file" => write_text_file(&self.room.workspace, params),
            "elicitation/create" => {
                self.remarks
                    .push("the agent asked for an input (`elicitation/create`), and was declined".to_owned());
                Ok(json!({"action": "decline"}))
            }
            _ => {
                let error =
                    json!({"code": METHOD_NOT_FOUND, "message": "arraign does not offer this method"});
                self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
                return;
            }
        };
        let answer = match answered {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(refusal) => {
                let error = json!({"code": INVALID_PARAMS, "message": refusal.to_string()});
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            }
        };
        self.send(&answer);
    }

    /// Grants or refuses a permission by an option that the agent offers.
    fn decide_permission(&mut self, params: &Json) -> Json {
        let cancelled = json!({"outcome": {"outcome": "cancelled"}});
        // The protocol asks for this answer after `session/cancel`.
        if self.is_cancelled {
            return cancelled;
        }
        let call = params.get("toolCall").and_then(|call| self.note_call(call)).cloned().unwrap_or_default();
        let is_own = self.own_tools.as_ref().is_some_and(|tools| call.is_one_of(tools));
        let is_allowed = is_own || call.is_allowed_by(&self.agent.permissions);
        let wanted =
            if is_allowed { ["allow_once", "allow_always"] } else { ["reject_once", "reject_always"] };
        let options = params.get("options").and_then(Json::as_array).unwrap_or_default();
        let offered = wanted.iter().find_map(|kind| {
            let option =
                options.iter().find(|option| option.get("kind").and_then(Json::as_str) == Some(kind));
            option?.get("optionId")?.as_str()
        });
        if let Some(option) = offered {
            return json!({"outcome": {"outcome": "selected", "optionId": option}});
        }
        let verb = if is_allowed { "grant" } else { "refuse" };
        self.open_permission.get_or_insert(format!(
            "the agent asked for a permission and offered no option to {verb} it, so it was cancelled"
        ));
        cancelled
    }

    /// Reads the next message. Its output may hold nothing else.
    async fn read_message(&mut self) -> Result<Json, AgentProblem> {
        loop {
            if let Some(message) = self.batch.pop_front() {
                self.log_message("agent", &message);
                if message.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
                    return Err(
                        wrong("not a message of JSON-RPC 2.0").quoting("it printed", &message.to_string())
                    );
                }
                return Ok(message);
            }
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                self.take_line(&line)?;
                continue;
            }
            if self.unread.len() > self.output_limit {
                return Err(AgentProblem::Flooded(self.output_limit));
            }
            let read = self.stdout.read_buf(&mut self.unread).await.map_err(AgentProblem::Lost)?;
            if read == 0 {
                return Err(self.explain_end().await);
            }
        }
    }

    fn take_line(&mut self, line: &[u8]) -> Result<(), AgentProblem> {
        // The limit is for the whole session.
        if self.log.len() + line.len() > self.output_limit {
            return Err(AgentProblem::Flooded(self.output_limit));
        }
        let text = std::str::from_utf8(line).map_err(|_| wrong("invalid UTF-8"))?;
        if text.trim().is_empty() {
            return Ok(());
        }
        refuse_secrets(text, &self.secrets)?;
        match json::from_str::<Json>(text) {
            Ok(Json::Array(messages)) => self.batch.extend(messages),
            Ok(message) => self.batch.push_back(message),
            Err(error) => {
                let problem = format!("standard output is for the messages of the protocol alone: {error}");
                return Err(wrong(problem).quoting("it printed", text));
            }
        }
        Ok(())
    }

    /// Adds a message to the log, as one of `from`.
    fn log_message(&mut self, from: &str, message: &Json) {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let time = u64::try_from(now.as_millis()).unwrap_or_default();
        let entry = match from {
            // The files that the agent reads here are its own, and nothing reads them in the log.
            "client" if message.pointer("/result/content").is_some() => {
                let id = message.get("id").cloned().unwrap_or_default();
                json!({"jsonrpc": "2.0", "id": id, "result": {}})
            }
            _ => message.clone(),
        };
        let line = json!({"timestamp": time, "from": from, "message": entry});
        self.log.extend(line.to_string().into_bytes());
        self.log.push(b'\n');
    }

    /// Reads the log so far.
    async fn read_log(&self, task: &AgentTask) -> Result<Trace, AgentProblem> {
        read_trace(
            self.log.clone(),
            Some(FORMAT.to_owned()),
            NonJsonOutput::Mistake,
            self.secrets.clone(),
            task.readers.clone(),
        )
        .await
    }

    /// Closes the input, and waits a little for the end of the process.
    async fn end(&mut self) {
        self.outgoing = None;
        let _ = timeout(EXIT_GRACE, wait_for_exit(&mut self.child, &mut self.group)).await;
    }

    /// Returns why there is no answer: the process has closed its output.
    async fn explain_end(&mut self) -> AgentProblem {
        self.outgoing = None;
        match timeout(EXIT_GRACE, wait_for_exit(&mut self.child, &mut self.group)).await {
            Ok(Ok(status)) if !status.success() => AgentProblem::Exited(status),
            _ => wrong("its output ended before it had answered"),
        }
    }

    /// Kills the process, and returns the masked end of its standard error.
    async fn into_stderr(self) -> String {
        let Self { child, group, secrets, stderr, room, .. } = self;
        drop((group, child));
        room.rewrite(&truncate_front(&secrets.mask_text(stderr.into_text().await)))
    }
}

/// Writes lines until the session ends. A failure is noticed where the answers are read.
async fn write_lines(mut stdin: ChildStdin, mut lines: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if stdin.write_all(&line).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

fn wrong(problem: impl Into<String>) -> AgentProblem {
    AgentProblem::Nonsense(problem.into())
}

/// Returns the result of an answer. An error of the protocol is a failure of the agent.
fn take_result(mut answer: Json, method: &str) -> Result<Json, AgentProblem> {
    if let Some(error) = answer.get("error") {
        let message = error.get("message").and_then(Json::as_str).unwrap_or("no message");
        let problem = format!("`{method}` was answered with an error: {message}");
        return Err(AgentProblem::NotAsked(problem.into()));
    }
    Ok(answer.get_mut("result").map(Json::take).unwrap_or_default())
}

/// Finds a program on the path: the protocol wants the whole path of a server.
fn find_program(name: &str, path: &OsStr) -> Option<String> {
    let (separator, suffix) = if cfg!(windows) { (';', ".exe") } else { (':', "") };
    let path = path.to_string_lossy();
    let mut folders = path.split(separator).filter(|folder| !folder.is_empty());
    let found = folders.find_map(|folder| {
        Some(Path::new(folder).join(format!("{name}{suffix}"))).filter(|path| path.is_file())
    });
    found.map(|path| path.to_string_lossy().into_owned())
}
