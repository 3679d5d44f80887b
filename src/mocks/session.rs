//! The mock tools of one run: what is offered, which call gets which answer, and what was called.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::inspect::{Inspected, UnusableCall, inspect_message};
use super::merge::MockCall;
use super::server::{RecordedServer, ServerPlan};
use crate::case::{MockContent, MockTools};
use crate::check::world::{ProgramCall, ScriptRun, ScriptedAnswer, ServedAnswer};
use crate::evidence::{Injection, ProgramAnswer, ProgramRequest};
use crate::json::{Json, JsonMap, json};
use crate::model::PortOutcome;
use crate::source::lock;
use crate::trace::Arguments;

/// The largest number of calls in a run.
const MAX_CALLS: usize = 10_000;

/// Starts a program that answers a call, and reads its answer. The text is the line that it reads; the error is a sentence.
pub type StartProgram = Arc<
    dyn Fn(ProgramRequest, String) -> Pin<Box<dyn Future<Output = Result<ProgramAnswer, String>> + Send>>
        + Send
        + Sync,
>;

/// How the calls of a run are answered.
#[derive(Clone)]
pub struct MockPlan {
    /// The scripted answers.
    pub mocks: Arc<MockTools>,
    /// The recorded server that answers all other calls.
    pub server: Option<ServerPlan>,
    /// Starts the programs that answer calls.
    pub start: StartProgram,
}

/// The mock tools of one run.
pub struct MockSession {
    mocks: Arc<MockTools>,
    server: Option<RecordedServer>,
    script: Mutex<ScriptRun>,
    /// Is held while a call is answered: the state must not change while a program looks at it.
    turn: tokio::sync::Mutex<()>,
    start: StartProgram,
    log: Mutex<CallLog>,
    begun: Instant,
    /// Whether a client has asked what the server offers.
    was_reached: AtomicBool,
}

#[derive(Default)]
struct CallLog {
    calls: Vec<MockCall>,
    problems: Vec<MockProblem>,
}

/// Why a call has no answer. The text is a sentence.
#[derive(Debug, Clone)]
pub enum MockProblem {
    /// The mock tools do not answer it.
    Unmocked(String),
    /// It is not a call by the rules of MCP, so nobody can say which tool would answer it.
    Malformed(String),
    /// The run has made 10,000 calls before.
    TooMany(String),
    /// The program or the recorded server that answers it failed.
    Failed(String),
}

impl MockProblem {
    /// Returns the sentence.
    pub fn text(&self) -> &str {
        match self {
            Self::Unmocked(text) | Self::Malformed(text) | Self::TooMany(text) | Self::Failed(text) => text,
        }
    }
}

/// The outcome of a session.
pub struct MockOutcome {
    /// The calls, in the order of their beginning.
    pub calls: Vec<MockCall>,
    /// The calls that had no answer.
    pub problems: Vec<MockProblem>,
    /// The exchanges with the recorded server.
    pub server: Option<PortOutcome>,
}

impl MockSession {
    /// Begins the session of a run.
    pub fn new(plan: MockPlan) -> Self {
        Self {
            script: Mutex::new(ScriptRun::new(
                Arc::clone(&plan.mocks.script),
                plan.mocks.injection.as_deref(),
            )),
            turn: tokio::sync::Mutex::default(),
            start: plan.start,
            mocks: plan.mocks,
            server: plan.server.map(RecordedServer::new),
            log: Mutex::default(),
            begun: Instant::now(),
            was_reached: AtomicBool::new(false),
        }
    }

    /// Whether a client has asked what the server offers.
    pub(super) fn was_reached(&self) -> bool {
        self.was_reached.load(Ordering::Relaxed)
    }

    /// Returns the name of the server.
    pub(super) fn name(&self) -> &str {
        &self.mocks.name
    }

    /// Returns the instructions of the recorded server.
    pub(super) async fn find_instructions(&self) -> Result<Option<String>, Json> {
        self.was_reached.store(true, Ordering::Relaxed);
        let Some(server) = &self.server else { return Ok(None) };
        let answer = self.read_exchange(server.exchange("initialize", "", json!({})).await)?;
        Ok(answer["instructions"].as_str().map(str::to_owned))
    }

    /// Returns the answer to `tools/list`: the tools of the recorded server, and behind its last page the scripted ones.
    pub(super) async fn list_tools(&self, cursor: Option<String>) -> Result<Json, Json> {
        self.was_reached.store(true, Ordering::Relaxed);
        let body = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
        let mut listed = if let Some(server) = &self.server {
            self.read_exchange(server.exchange("tools/list", "", body).await)?
        } else {
            json!({"tools": []})
        };
        let is_last = listed["nextCursor"].is_null();
        let Some(tools) = listed["tools"].as_array_mut() else { return Ok(listed) };
        // A scripted tool replaces the server's tool of the same name.
        tools.retain(|tool| self.mocks.script.list_tools().all(|own| tool["name"] != *own.name));
        if is_last {
            tools.extend(self.mocks.script.list_tools().map(|tool| Json::Object(tool.listed.clone())));
        }
        Ok(listed)
    }

    /// Answers a call: the result of `tools/call`, or the error of the protocol.
    pub(super) async fn call_tool(&self, name: &str, arguments: JsonMap) -> Result<Json, Json> {
        let arguments = Arguments::Json(Json::Object(arguments));
        let Some(number) = self.begin_call(name, arguments.clone()) else {
            return Err(self.note_too_many());
        };
        // The script is asked first; only what it does not answer goes to the recorded server.
        let answer = match self.take_answer(name, &arguments).await {
            Ok(Some(answer)) => answer,
            Ok(None) => {
                let arguments = arguments.json().cloned().unwrap_or_default();
                return self.ask_server(number, name, arguments).await;
            }
            Err(problem) => return Err(self.keep_problem(problem)),
        };
        self.note_served(number, answer.number);
        tokio::time::sleep(answer.delay).await;
        self.end_call(number, answer.content.to_result(), answer.failed);
        Ok(render_result(&answer.content, answer.failed))
    }

    /// Notes a message that calls a tool, if the protocol refuses it.
    pub(super) fn note_message(&self, text: &str) {
        match inspect_message(text) {
            Inspected::Readable => {}
            Inspected::Fault(problem) => self.note_fault(problem),
            Inspected::Unusable(call) => drop(self.refuse_call(call)),
        }
    }

    /// Notes a message that calls a tool and that the protocol refuses. It fails the run.
    pub(super) fn note_fault(&self, problem: String) {
        // The answer is that of the protocol.
        let _ = self.keep_problem(MockProblem::Malformed(problem));
    }

    /// Notes a call whose arguments no tool takes: it was tried, and failed. Returns the error of the protocol.
    pub(super) fn refuse_call(&self, call: UnusableCall) -> Json {
        let UnusableCall { name, raw, problem, .. } = call;
        let is_known = self.server.is_some()
            || self.mocks.script.otherwise.is_some()
            || self.mocks.script.list_tools().any(|tool| tool.name == name);
        if !is_known {
            return self.note_unmocked(self.describe_unknown(&name));
        }
        let arguments = Arguments::Broken { raw, error: problem.clone() };
        let Some(number) = self.begin_call(&name, arguments) else {
            return self.note_too_many();
        };
        let message = format!("`{name}` was not called: {problem}");
        self.end_call(number, message.clone().into(), true);
        json!({"code": -32602, "message": message})
    }

    fn describe_unknown(&self, name: &str) -> String {
        let known: Vec<&str> = self.mocks.script.list_tools().map(|tool| tool.name.as_str()).collect();
        format!("`{name}` is not one of the mock tools: {}", known.join(", "))
    }

    /// Takes the scripted answer. `None` for a call that the recorded server answers.
    async fn take_answer(
        &self,
        name: &str,
        arguments: &Arguments,
    ) -> Result<Option<ServedAnswer>, MockProblem> {
        // The lock makes the answers one after the other: the state changes in the order of their numbers.
        let _turn = self.turn.lock().await;
        let answer = lock(&self.script).take_answer(name, arguments);
        match answer {
            ScriptedAnswer::Given(answer) => Ok(Some(answer)),
            ScriptedAnswer::Asks(call) => {
                self.ask_program(&call).await.map(Some).map_err(MockProblem::Failed)
            }
            ScriptedAnswer::UnknownTool if self.server.is_some() => Ok(None),
            ScriptedAnswer::UnknownTool => Err(MockProblem::Unmocked(self.describe_unknown(name))),
            ScriptedAnswer::Refused(problem) => Err(MockProblem::Unmocked(problem)),
        }
    }

    async fn ask_program(&self, call: &ProgramCall) -> Result<ServedAnswer, String> {
        let input = lock(&self.script).render_input(call);
        let answer = (self.start)(call.program.clone(), input).await?;
        lock(&self.script).serve_program_answer(call, answer)
    }

    async fn ask_server(&self, number: usize, name: &str, arguments: Json) -> Result<Json, Json> {
        let Some(server) = &self.server else { return Err(Json::Null) };
        let mut answer = self.read_exchange(server.exchange("tools/call", name, arguments).await);
        if let (Ok(result), Some(injection)) = (&mut answer, &self.mocks.injection) {
            inject_result(injection, name, result);
        }
        match &answer {
            Ok(result) => self.end_call(number, read_result(result), result["isError"] == true),
            Err(error) => self.end_call(number, error["message"].clone(), true),
        }
        answer
    }

    /// Converts the answer of the recorded server. One that does not answer fails the run.
    fn read_exchange(&self, answer: Result<Json, Result<Json, String>>) -> Result<Json, Json> {
        answer
            .map_err(|error| error.unwrap_or_else(|problem| self.keep_problem(MockProblem::Failed(problem))))
    }

    /// Notes that the mock tools do not answer a call. It fails the run. Returns the error of the protocol.
    fn note_unmocked(&self, problem: String) -> Json {
        self.keep_problem(MockProblem::Unmocked(problem))
    }

    /// Notes a call after the last one that a run may make. It fails the run. Returns the error of the protocol.
    fn note_too_many(&self) -> Json {
        self.keep_problem(MockProblem::TooMany(format!("the agent made more than {MAX_CALLS} calls")))
    }

    /// Keeps a problem, which fails the run. Returns the error of the protocol.
    fn keep_problem(&self, problem: MockProblem) -> Json {
        let error = json!({"code": -32602, "message": format!("arraign: {}", problem.text())});
        let problems = &mut lock(&self.log).problems;
        // An agent in a loop must not fill the memory with the same problem.
        if problems.len() < MAX_CALLS {
            problems.push(problem);
        }
        error
    }

    /// Notes the beginning of a call. `None` if there are too many.
    fn begin_call(&self, name: &str, arguments: Arguments) -> Option<usize> {
        let started_ms = self.measure_ms();
        let mut log = lock(&self.log);
        // Each call is kept until the end of the run, so their number is limited.
        if log.calls.len() >= MAX_CALLS {
            return None;
        }
        log.calls.push(MockCall {
            name: name.to_owned(),
            arguments,
            result: None,
            failed: false,
            served: None,
            started_ms,
            ended_ms: None,
        });
        Some(log.calls.len() - 1)
    }

    /// Notes which number among the answered calls a call has.
    fn note_served(&self, number: usize, served: u32) {
        if let Some(call) = lock(&self.log).calls.get_mut(number) {
            call.served = Some(served);
        }
    }

    fn end_call(&self, number: usize, result: Json, failed: bool) {
        let ended_ms = Some(self.measure_ms());
        // The session may have ended meanwhile.
        if let Some(call) = lock(&self.log).calls.get_mut(number) {
            *call = MockCall { result: Some(result), failed, ended_ms, ..call.clone() };
        }
    }

    /// Ends the session. Later calls are part of no trace.
    pub fn finish(&self) -> MockOutcome {
        let CallLog { calls, problems } = std::mem::take(&mut *lock(&self.log));
        MockOutcome { calls, problems, server: self.server.as_ref().map(RecordedServer::finish) }
    }

    fn measure_ms(&self) -> f64 {
        (self.begun.elapsed().as_secs_f64() * 1e6).round() / 1e3
    }
}

/// Renders the result of `tools/call`. Structured content is a mapping, and clients without it read the text.
fn render_result(content: &MockContent, failed: bool) -> Json {
    let text = |text: String| json!([{"type": "text", "text": text}]);
    let mut result = match content {
        MockContent::Blocks(blocks) => json!({"content": blocks}),
        MockContent::Value(Json::String(words)) => json!({"content": text(words.to_string())}),
        MockContent::Value(value @ Json::Object(_)) => {
            json!({"content": text(value.to_string()), "structuredContent": value})
        }
        MockContent::Value(value) => json!({"content": text(value.to_string())}),
    };
    if failed {
        result["isError"] = Json::Bool(true);
    }
    result
}

/// Adds a text to the result of `tools/call` that a recorded server sent: to its structured content, and to the texts of it.
fn inject_result(injection: &Injection, tool: &str, result: &mut Json) {
    if !result["structuredContent"].is_null() {
        injection.apply(tool, &mut result["structuredContent"]);
    }
    let Some(blocks) = result["content"].as_array_mut() else { return };
    // What the trace has for blocks of other kinds is the list of blocks, whose places begin with a number.
    if blocks.iter().any(|block| block["text"].as_str().is_none()) {
        let mut content = Json::Array(std::mem::take(blocks));
        injection.apply(tool, &mut content);
        result["content"] = content;
        return;
    }
    // Of several texts, which the trace joins, the first that has the place gets the addition.
    for block in blocks {
        if injection.apply(tool, &mut block["text"]) {
            break;
        }
    }
}

/// Reads the result of `tools/call` as the result of a call in a trace: its structured content, its texts, or all of it.
fn read_result(result: &Json) -> Json {
    if let Some(structured) = result.get("structuredContent").filter(|value| !value.is_null()) {
        return structured.clone();
    }
    let blocks = result["content"].as_array().unwrap_or_default();
    // One block without a text makes the result more than text.
    let texts: Option<Vec<&str>> = blocks.iter().map(|block| block["text"].as_str()).collect();
    texts.map_or_else(|| result["content"].clone(), |texts| texts.join("\n").into())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::check::{Registry, Tables};
    use crate::source::Files;
    use crate::suite::{Library, Suite};

    /// A session with one mock tool.
    fn session() -> MockSession {
        let case = "{id: a, mocks: {tools: {get: {return: x}}}, expect: [tool_called: get]}";
        let kinds = Registry::default();
        let library = Library { kinds: &kinds, files: &Files::new("", ""), tables: &Tables::default() };
        let suite = Suite::parse(Path::new("s.yaml"), case, library).expect("a case");
        let mocks = suite.cases[0].mocks.clone().expect("mock tools");
        let start: StartProgram = Arc::new(|_, _| Box::pin(async { Err("no program".to_owned()) }));
        MockSession::new(MockPlan { mocks, server: None, start })
    }

    fn unusable(name: &str) -> UnusableCall {
        let problem = "the arguments are no object".to_owned();
        UnusableCall { id: json!(1), name: name.to_owned(), raw: "7".to_owned(), problem }
    }

    #[test]
    fn a_call_that_is_refused_is_a_call_of_a_known_tool_and_a_problem_otherwise() {
        let session = session();
        let refused = session.refuse_call(unusable("get"));
        assert_eq!(refused["message"], "`get` was not called: the arguments are no object");
        let unknown = session.refuse_call(unusable("rm"));
        assert_eq!(unknown["message"], "arraign: `rm` is not one of the mock tools: get");
        session.note_fault("the agent sent a `tools/call` in a batch".to_owned());
        let MockOutcome { calls, problems, .. } = session.finish();
        assert_eq!((calls.len(), calls[0].failed), (1, true));
        assert!(
            matches!(problems.as_slice(), [MockProblem::Unmocked(_), MockProblem::Malformed(_)]),
            "{problems:?}"
        );
    }

    /// Calls that were answered and calls that were refused count together.
    #[test]
    fn an_agent_in_a_loop_is_told_that_it_makes_too_many_calls() {
        let session = session();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let call = || runtime.block_on(session.call_tool("get", JsonMap::new()));
        for _ in 0..MAX_CALLS / 2 {
            call().expect("an answer");
            session.refuse_call(unusable("get"));
        }
        let message = "arraign: the agent made more than 10000 calls";
        assert_eq!(call().expect_err("too many")["message"], message);
        assert_eq!(session.refuse_call(unusable("get"))["message"], message);
        let MockOutcome { calls, problems, .. } = session.finish();
        assert_eq!(calls.len(), MAX_CALLS);
        assert!(
            matches!(problems.as_slice(), [MockProblem::TooMany(_), MockProblem::TooMany(_)]),
            "{problems:?}"
        );
    }

    fn inject(at: &str, result: Json) -> Json {
        let injection = Injection { tool: "get".to_owned(), at: at.to_owned(), text: "do x".to_owned() };
        let mut injected = result;
        inject_result(&injection, "get", &mut injected);
        injected
    }

    #[test]
    fn a_text_is_added_to_each_form_of_a_servers_result() {
        let text = r#"{"note":"a"}"#;
        let both = json!({"content": [{"type": "text", "text": text}], "structuredContent": {"note": "a"}});
        let injected = inject("/note", both);
        assert_eq!(injected["structuredContent"]["note"], "a\ndo x");
        assert_eq!(injected["content"][0]["text"], r#"{"note":"a\ndo x"}"#);
        let plain =
            inject("", json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}));
        assert_eq!(read_result(&plain), "a\ndo x\nb");
        let image = json!({"content": [{"type": "image", "data": "x"}, {"type": "text", "text": "a"}]});
        assert_eq!(inject("/1/text", image)["content"][1]["text"], "a\ndo x");
    }
}
