//! The script of mock tools: which call gets which answer, and what the answer does to the state.
//!
//! The server answers the calls of an agent by it, and the check `state` the calls of a trace. It is pure: equal calls in
//! equal order make an equal state, whoever asks.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::template::{CallValues, PointerTemplate, ValueTemplate, find_argument, render_scalar};
use super::tree::{StatePath, WorldTree, describe_absence};
use crate::check::arguments::{ArgumentsMatcher, CallContext};
use crate::check::json_schema::Schema;
use crate::evidence::{Injection, ProgramAnswer, ProgramReply, ProgramRequest, StateEdit};
use crate::json::{Json, JsonMap, json};
use crate::outcome::{CannotDecide, Violation};
use crate::place::Place;
use crate::source::fingerprint_bytes;
use crate::trace::{Arguments, Call};

/// The tools of a script, and the state behind them.
#[derive(Debug, Default)]
pub struct ToolScript {
    /// The tools with scripted answers.
    pub tools: Vec<MockTool>,
    /// The tools that are offered and must not be called.
    pub decoys: Vec<MockTool>,
    /// The answer to all other calls. `None` if another call is an error.
    pub otherwise: Option<MockAnswer>,
    /// The state in which each run begins.
    pub state: Option<InitialState>,
    /// Whether a program answers some of the calls.
    pub has_programs: bool,
}

/// A tool with scripted answers.
#[derive(Debug)]
pub struct MockTool {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub place: Place,
    /// The tool as `tools/list` shows it.
    pub listed: JsonMap,
    /// What the arguments of its calls satisfy. `None`: anything.
    pub(crate) schema: Option<Schema>,
    /// The answers. The first that applies is given.
    pub answers: Vec<MockAnswer>,
}

/// An answer to calls of a tool.
#[derive(Debug)]
pub struct MockAnswer {
    /// The arguments to which the answer applies. `None` for all.
    pub(crate) when: Option<ArgumentsMatcher>,
    /// The arguments that name something in the state.
    pub(crate) exists: Vec<ExistsIn>,
    /// How often the answer is given. `None` for always.
    pub times: Option<u32>,
    /// The changes of the state, in their order.
    pub(crate) operations: Vec<StateOperation>,
    /// The result.
    pub(crate) content: AnswerContent,
    /// Whether the tool says that it failed.
    pub failed: bool,
    /// How long the answer takes.
    pub delay: Option<Duration>,
}

/// The condition that an argument is a member of a part of the state.
#[derive(Debug)]
pub(crate) struct ExistsIn {
    /// The argument, or a part of it.
    pub(crate) argument: String,
    /// The mapping or list of the state.
    pub(crate) within: PointerTemplate,
}

/// A change of the state.
#[derive(Debug)]
pub(crate) enum StateOperation {
    Set(PointerTemplate, ValueTemplate),
    Append(PointerTemplate, ValueTemplate),
    Remove(PointerTemplate),
}

impl StateOperation {
    /// Returns the path that the operation changes.
    pub(crate) fn pointer(&self) -> &PointerTemplate {
        match self {
            Self::Set(pointer, _) | Self::Append(pointer, _) | Self::Remove(pointer) => pointer,
        }
    }
}

/// Where the result of an answer comes from.
#[derive(Debug)]
pub(crate) enum AnswerContent {
    /// The case.
    Fixed(MockContent),
    /// The case, with the arguments of the call.
    Filled(ValueTemplate),
    /// The state.
    Read(PointerTemplate),
    /// A program, which also says what the state is then.
    Program(ProgramRequest),
}

/// The answer of a mock tool.
#[derive(Debug, Clone, PartialEq)]
pub enum MockContent {
    /// A text, or a value that is sent as JSON.
    Value(Json),
    /// Blocks of content in the form of MCP.
    Blocks(Vec<Json>),
}

impl MockContent {
    /// Returns the result of the call in a trace.
    pub fn to_result(&self) -> Json {
        match self {
            Self::Value(value) => value.clone(),
            Self::Blocks(blocks) => Json::Array(blocks.clone()),
        }
    }

    /// Adds a text to a result of `tool`.
    fn inject(&mut self, injection: &Injection, tool: &str) {
        let mut result = self.to_result();
        if injection.apply(tool, &mut result) {
            *self = match (&*self, result) {
                (Self::Blocks(_), Json::Array(blocks)) => Self::Blocks(blocks),
                (_, value) => Self::Value(value),
            };
        }
    }
}

impl MockAnswer {
    /// An answer to all calls.
    pub fn fixed(content: MockContent) -> Self {
        Self {
            when: None,
            exists: Vec::new(),
            times: None,
            operations: Vec::new(),
            content: AnswerContent::Fixed(content),
            failed: false,
            delay: None,
        }
    }

    /// Whether the state decides if the answer is given.
    pub(crate) fn depends_on_state(&self) -> bool {
        !self.exists.is_empty()
            || !self.operations.is_empty()
            || !matches!(self.content, AnswerContent::Fixed(_))
    }

    /// Whether the answer may change the state.
    pub(crate) fn may_write(&self) -> bool {
        !self.operations.is_empty() || self.program().is_some()
    }

    /// Returns the program that answers.
    pub(crate) fn program(&self) -> Option<&ProgramRequest> {
        match &self.content {
            AnswerContent::Program(program) => Some(program),
            AnswerContent::Fixed(_) | AnswerContent::Filled(_) | AnswerContent::Read(_) => None,
        }
    }
}

impl ToolScript {
    /// Lists the tools that the script offers. A decoy may have a script, too.
    pub fn list_tools(&self) -> impl Iterator<Item = &MockTool> {
        let decoys = self.decoys.iter();
        let decoys = decoys.filter(|decoy| self.tools.iter().all(|tool| tool.name != decoy.name));
        self.tools.iter().chain(decoys)
    }

    /// Lists the tools that may change the state.
    pub(crate) fn list_writing_tools(&self) -> impl Iterator<Item = &MockTool> {
        self.tools.iter().filter(|tool| tool.answers.iter().any(MockAnswer::may_write))
    }

    /// Lists the programs that answer calls, each with its tool. `None` is the answer to all other calls.
    pub(crate) fn list_answering_programs(
        &self,
    ) -> impl Iterator<Item = (&ProgramRequest, Option<&MockTool>)> {
        let of_tools = self.tools.iter().flat_map(|tool| {
            tool.answers.iter().filter_map(move |answer| Some((answer.program()?, Some(tool))))
        });
        let otherwise = self.otherwise.iter().filter_map(MockAnswer::program);
        of_tools.chain(otherwise.map(|program| (program, None)))
    }

    /// Lists the programs that answer calls, each once.
    pub(crate) fn list_programs(&self) -> Vec<&ProgramRequest> {
        let mut programs: Vec<&ProgramRequest> = Vec::new();
        for (program, _) in self.list_answering_programs() {
            if !programs.contains(&program) {
                programs.push(program);
            }
        }
        programs
    }

    /// Whether calls of tools that the script does not name may change the state.
    pub(crate) fn changes_otherwise(&self) -> bool {
        self.otherwise.as_ref().is_some_and(MockAnswer::may_write)
    }

    /// Returns the scripted tool that a call of a trace is a call of.
    pub(crate) fn find_called<'s>(&'s self, call: &Call) -> Option<&'s MockTool> {
        let exact = self.tools.iter().find(|tool| tool.name == call.name);
        // The longest of several names that a host may have put something before.
        let suffixed = || {
            let named = self.tools.iter().filter(|tool| is_named(call, &tool.name));
            named.max_by_key(|tool| tool.name.len())
        };
        exact.or_else(suffixed)
    }
}

/// Whether a call of a trace has this name, or ends with it behind a separator: frameworks put a server's name before.
pub(crate) fn is_named(call: &Call, name: &str) -> bool {
    let before = [call.name.as_str(), call.written_name()].map(|known| known.strip_suffix(name));
    let mut before = before.into_iter().flatten();
    before.any(|before| before.is_empty() || before.ends_with(['_', '-', '.', '/', ':']))
}

/// The state in which each run begins.
#[derive(Debug)]
pub struct InitialState {
    pub(crate) shared: Arc<SharedState>,
    /// The time that `{{now}}` stands for.
    pub(crate) now: String,
}

/// A state that the cases of a file share.
#[derive(Debug)]
pub(crate) struct SharedState {
    pub(crate) value: Json,
    /// States that equal `value`. A run borrows one and takes its changes back, so that a large state is copied seldom.
    spare: Mutex<Vec<WorldTree>>,
}

/// The number of states that are kept for later runs.
const MAX_SPARE: usize = 4;

impl InitialState {
    /// Returns the value.
    pub fn value(&self) -> &Json {
        &self.shared.value
    }
}

impl SharedState {
    pub(crate) fn new(value: Json) -> Self {
        Self { value, spare: Mutex::default() }
    }

    fn take_tree(&self) -> WorldTree {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| WorldTree::new(self.value.clone()))
    }

    fn give_back(&self, mut tree: WorldTree) {
        tree.roll_back(0);
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < MAX_SPARE {
            spare.push(tree);
        }
    }
}

/// The answers of one run.
#[derive(Debug)]
pub struct ScriptRun {
    script: Arc<ToolScript>,
    /// How often each answer of each tool was given.
    given: Vec<Vec<u32>>,
    /// The state. `None` for a script without one.
    tree: Option<WorldTree>,
    /// The number of calls that were answered.
    answered: u32,
    /// The paths that the last call looked at.
    looked_at: Vec<StatePath>,
    /// A hash of all answers that have changed the state, in their order.
    history: String,
    /// What is added to the results.
    injection: Option<Injection>,
}

/// A point of a run to which it can return.
#[derive(Debug, Clone)]
pub(crate) struct RunMark {
    given: Vec<Vec<u32>>,
    changes: usize,
    answered: u32,
    history: String,
}

/// The script's answer to a call.
#[derive(Debug)]
pub enum ScriptedAnswer {
    /// This answer.
    Given(ServedAnswer),
    /// That of a program. Nothing is counted or changed until it is served.
    Asks(ProgramCall),
    /// The tool is not one of the script's.
    UnknownTool,
    /// No answer of the tool applies. The text is a sentence.
    Refused(String),
}

/// A call that a program answers.
#[derive(Debug, Clone)]
pub struct ProgramCall {
    /// The program.
    pub program: ProgramRequest,
    name: String,
    arguments: Json,
    /// The answer of the script. `None` is the one to all other calls.
    at: Option<(usize, usize)>,
    /// A hash of the call, and of all changes of the state before it: two calls with one key get one answer.
    key: String,
}

impl ProgramCall {
    /// Returns the key of the call: two calls with one key get one answer.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }
}

/// What answering a call leads to.
enum Tried {
    /// It is answered.
    Served(ServedAnswer),
    /// A condition on the state does not hold.
    NotMet,
    /// A program answers.
    Asks(ProgramRequest),
}

/// An answer as it is served: its placeholders are filled, and the state is read.
#[derive(Debug, Clone, PartialEq)]
pub struct ServedAnswer {
    /// The result.
    pub content: MockContent,
    /// Whether the tool says that it failed.
    pub failed: bool,
    /// How long the answer takes.
    pub delay: Duration,
    /// The number of the call among those that were answered, from 1. The state changes in this order.
    pub number: u32,
    /// Whether the result is a value of the state.
    pub(crate) is_read: bool,
    /// Whether a program gave the result.
    pub(crate) by_program: bool,
}

impl ScriptRun {
    /// Begins a run in a fresh state. `injection` is added to the results.
    pub fn new(script: Arc<ToolScript>, injection: Option<&Injection>) -> Self {
        let given = script.tools.iter().map(|tool| vec![0; tool.answers.len()]).collect();
        let tree = script.state.as_ref().map(|state| state.shared.take_tree());
        Self {
            script,
            given,
            tree,
            answered: 0,
            looked_at: Vec::new(),
            history: String::new(),
            injection: injection.cloned(),
        }
    }

    /// Takes the first answer that applies to the arguments, was not given as often as it may be, and whose operations the
    /// state allows.
    pub fn take_answer(&mut self, name: &str, arguments: &Arguments) -> ScriptedAnswer {
        let mut answer = self.find_answer(name, arguments);
        // The text is added to the answer as it is served: the state stays as it is.
        if let (ScriptedAnswer::Given(served), Some(injection)) = (&mut answer, &self.injection) {
            served.content.inject(injection, name);
        }
        answer
    }

    fn find_answer(&mut self, name: &str, arguments: &Arguments) -> ScriptedAnswer {
        self.looked_at.clear();
        let script = Arc::clone(&self.script);
        let Some(at) = script.tools.iter().position(|tool| tool.name == name) else {
            let decoy = script.decoys.iter().find(|tool| tool.name == name);
            let decoy = decoy.and_then(|tool| tool.answers.first());
            return match decoy.or(script.otherwise.as_ref()) {
                Some(answer) => self.give_other(answer, name, arguments),
                None => ScriptedAnswer::UnknownTool,
            };
        };
        match find_invalid_arguments(&script.tools[at], arguments) {
            Ok(None) => {}
            Ok(Some(problem)) => {
                let content = MockContent::Value(problem.into());
                return ScriptedAnswer::Given(self.serve(content, true, None, false));
            }
            Err(problem) => return ScriptedAnswer::Refused(problem),
        }
        let mut failure = None;
        for (index, answer) in script.tools[at].answers.iter().enumerate() {
            // An answer that is used up makes room for the ones behind it.
            if answer.times.is_some_and(|times| self.given[at][index] >= times) {
                continue;
            }
            match applies(answer, arguments) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(problem) => return ScriptedAnswer::Refused(format!("`when` of `{name}`: {problem}")),
            }
            let changes = self.count_changes();
            match self.try_answer(answer, arguments) {
                Ok(Tried::Served(served)) => {
                    self.given[at][index] += 1;
                    self.note_changes(changes, name, arguments, Some((at, index)));
                    return ScriptedAnswer::Given(served);
                }
                Ok(Tried::Asks(program)) => {
                    return self.ask_program(program, name, arguments, Some((at, index)));
                }
                Ok(Tried::NotMet) => {}
                // An answer whose operations fail makes room, too: the next one says what the tool answers then.
                Err(problem) => failure = failure.or(Some(problem)),
            }
        }
        match (failure, &script.otherwise) {
            (Some(problem), _) => {
                let content = MockContent::Value(problem.into());
                ScriptedAnswer::Given(self.serve(content, true, None, false))
            }
            (None, Some(answer)) => self.give_other(answer, name, arguments),
            (None, None) => ScriptedAnswer::Refused(format!("no answer of `{name}` applies to {arguments}")),
        }
    }

    /// Gives an answer for which there is no other one.
    fn give_other(&mut self, answer: &MockAnswer, name: &str, arguments: &Arguments) -> ScriptedAnswer {
        let changes = self.count_changes();
        match self.try_answer(answer, arguments) {
            Ok(Tried::Served(served)) => {
                self.note_changes(changes, name, arguments, None);
                ScriptedAnswer::Given(served)
            }
            Ok(Tried::Asks(program)) => self.ask_program(program, name, arguments, None),
            Ok(Tried::NotMet) => {
                ScriptedAnswer::Refused(format!("no answer of `{name}` applies to {arguments}"))
            }
            Err(problem) => {
                ScriptedAnswer::Given(self.serve(MockContent::Value(problem.into()), true, None, false))
            }
        }
    }

    fn ask_program(
        &self,
        program: ProgramRequest,
        name: &str,
        arguments: &Arguments,
        at: Option<(usize, usize)>,
    ) -> ScriptedAnswer {
        let key = self.make_key(name, arguments, at);
        let arguments = arguments.json().cloned().unwrap_or_else(|| Json::Object(JsonMap::new()));
        ScriptedAnswer::Asks(ProgramCall { program, name: name.to_owned(), arguments, at, key })
    }

    /// Renders the line that a program reads about a call: the state, the call, and the time of the world.
    pub fn render_input(&self, call: &ProgramCall) -> String {
        let state = self.tree.as_ref().and_then(|tree| tree.find(&[]));
        let now = self.script.state.as_ref().map(|state| state.now.as_str());
        let called = json!({"name": call.name, "arguments": call.arguments});
        // The state is not copied: it may be large.
        let state = state.map_or_else(|| "null".to_owned(), Json::to_string);
        format!("{{\"state\":{state},\"call\":{called},\"now\":{}}}\n", json!(now))
    }

    /// Finds out what a program's answer changes in the state.
    pub(crate) fn compare_answer(&self, answer: ProgramAnswer) -> ProgramReply {
        let ProgramAnswer { state, answer, failed } = answer;
        let mut edits = Vec::new();
        if let Some(before) = self.tree.as_ref().and_then(|tree| tree.find(&[])) {
            list_edits(before, state, &mut StatePath::new(), &mut edits);
        }
        ProgramReply { edits, answer, failed }
    }

    /// Serves the answer of a program, with the state that it names.
    pub fn serve_program_answer(
        &mut self,
        call: &ProgramCall,
        answer: ProgramAnswer,
    ) -> Result<ServedAnswer, String> {
        let reply = self.compare_answer(answer);
        self.settle_call(call, &reply)
    }

    /// Serves the answer of a program, and makes its changes. The error is a sentence.
    pub(crate) fn settle_call(
        &mut self,
        call: &ProgramCall,
        reply: &ProgramReply,
    ) -> Result<ServedAnswer, String> {
        // A program sees the whole state.
        self.looked_at.push(StatePath::new());
        if let Some(tree) = &mut self.tree {
            let mark = tree.mark();
            if let Err(problem) = reply.edits.iter().try_for_each(|edit| tree.apply_edit(edit)) {
                tree.roll_back(mark);
                return Err(problem);
            }
        }
        if let Some((tool, index)) = call.at {
            self.given[tool][index] += 1;
        }
        if !reply.edits.is_empty() {
            self.history.clone_from(&call.key);
        }
        let delay = match call.at {
            Some((tool, index)) => self.script.tools[tool].answers[index].delay,
            None => self.script.otherwise.as_ref().and_then(|answer| answer.delay),
        };
        // What a program answers without a change is what it has read in the state.
        let is_read = reply.edits.is_empty() && !reply.failed;
        let served = self.serve(MockContent::Value(reply.answer.clone()), reply.failed, delay, is_read);
        let mut served = ServedAnswer { by_program: true, ..served };
        if let Some(injection) = &self.injection {
            served.content.inject(injection, &call.name);
        }
        Ok(served)
    }

    fn count_changes(&self) -> usize {
        self.tree.as_ref().map_or(0, WorldTree::mark)
    }

    /// Adds an answer to the history, if it has changed the state since `changes`.
    fn note_changes(
        &mut self,
        changes: usize,
        name: &str,
        arguments: &Arguments,
        at: Option<(usize, usize)>,
    ) {
        // Only programs need the history.
        if self.count_changes() > changes && self.script.has_programs {
            self.history = self.make_key(name, arguments, at);
        }
    }

    /// Hashes the history and one more answer: with equal keys, the states are equal.
    fn make_key(&self, name: &str, arguments: &Arguments, at: Option<(usize, usize)>) -> String {
        let at = at.map_or_else(|| json!(null), |(tool, index)| json!([tool, index]));
        let text = json!([self.history.as_str(), at, name, arguments.json().cloned()]).to_string();
        fingerprint_bytes(text.as_bytes())
    }

    /// Does what an answer does: all of it, or nothing. The error says which operation the state does not allow.
    fn try_answer(&mut self, answer: &MockAnswer, arguments: &Arguments) -> Result<Tried, String> {
        if let (AnswerContent::Fixed(content), false) = (&answer.content, answer.depends_on_state()) {
            return Ok(Tried::Served(self.serve(content.clone(), answer.failed, answer.delay, false)));
        }
        let script = Arc::clone(&self.script);
        let (Some(state), Some(tree)) = (&script.state, &mut self.tree) else {
            return Err("there is no state".to_owned());
        };
        let nothing = Json::Object(JsonMap::new());
        let values = CallValues { arguments: arguments.json().unwrap_or(&nothing), now: &state.now };
        for condition in &answer.exists {
            let Some(value) = find_argument(values.arguments, &condition.argument) else {
                return Ok(Tried::NotMet);
            };
            let Some(text) = render_scalar(value) else { return Ok(Tried::NotMet) };
            let mut path = condition.within.fill(values)?;
            let exists = match tree.find(&path) {
                Some(Json::Object(fields)) => {
                    let exists = fields.contains_key(&text);
                    path.push(text);
                    exists
                }
                Some(Json::Array(items)) => {
                    items.iter().any(|item| render_scalar(item).is_some_and(|item| item == text))
                }
                _ => false,
            };
            self.looked_at.push(path);
            if !exists {
                return Ok(Tried::NotMet);
            }
        }
        if let Some(program) = answer.program() {
            return Ok(Tried::Asks(program.clone()));
        }
        let mark = tree.mark();
        match apply_operations(tree, answer, values, &mut self.looked_at) {
            Ok((content, is_read)) => {
                Ok(Tried::Served(self.serve(content, answer.failed, answer.delay, is_read)))
            }
            Err(problem) => {
                tree.roll_back(mark);
                Err(problem)
            }
        }
    }

    /// Counts an answer. Every answer passes here, as it is served.
    fn serve(
        &mut self,
        content: MockContent,
        failed: bool,
        delay: Option<Duration>,
        is_read: bool,
    ) -> ServedAnswer {
        self.answered += 1;
        let delay = delay.unwrap_or_default();
        ServedAnswer { content, failed, delay, number: self.answered, is_read, by_program: false }
    }

    /// Replaces the whole state with nothing, as evidence that any check of it refuses.
    pub(crate) fn empty_state(&mut self) {
        if let Some(tree) = &mut self.tree {
            // The root is always there.
            drop(tree.set(StatePath::new(), Json::Null));
        }
    }

    /// Returns the state.
    pub(crate) fn tree(&self) -> Option<&WorldTree> {
        self.tree.as_ref()
    }

    /// Lists the paths that were changed since a mark.
    pub(crate) fn list_written(&self, mark: &RunMark) -> Vec<StatePath> {
        self.tree.iter().flat_map(|tree| tree.list_written(mark.changes)).cloned().collect()
    }

    /// Returns the paths that the last call looked at.
    pub(crate) fn list_looked_at(&self) -> &[StatePath] {
        &self.looked_at
    }

    pub(crate) fn mark(&self) -> RunMark {
        let changes = self.tree.as_ref().map_or(0, WorldTree::mark);
        RunMark { given: self.given.clone(), changes, answered: self.answered, history: self.history.clone() }
    }

    /// Takes back everything since a mark.
    pub(crate) fn return_to(&mut self, mark: &RunMark) {
        if let Some(tree) = &mut self.tree {
            tree.roll_back(mark.changes);
        }
        self.given.clone_from(&mark.given);
        self.answered = mark.answered;
        self.history.clone_from(&mark.history);
    }
}

impl Drop for ScriptRun {
    fn drop(&mut self) {
        if let (Some(state), Some(tree)) = (&self.script.state, self.tree.take()) {
            state.shared.give_back(tree);
        }
    }
}

/// Does the operations of an answer, and builds its result. `set` comes first, then `append` and `remove`, and `read` last.
fn apply_operations(
    tree: &mut WorldTree,
    answer: &MockAnswer,
    values: CallValues<'_>,
    looked_at: &mut Vec<StatePath>,
) -> Result<(MockContent, bool), String> {
    for operation in &answer.operations {
        let path = operation.pointer().fill(values)?;
        looked_at.push(path.clone());
        match operation {
            StateOperation::Set(_, value) => tree.set(path, value.fill(values)?)?,
            StateOperation::Append(_, value) => tree.append(path, value.fill(values)?)?,
            StateOperation::Remove(_) => tree.remove(&path)?,
        }
    }
    match &answer.content {
        AnswerContent::Fixed(content) => Ok((content.clone(), false)),
        AnswerContent::Filled(value) => Ok((MockContent::Value(value.fill(values)?), false)),
        AnswerContent::Read(pointer) => {
            let path = pointer.fill(values)?;
            let found = tree.find(&path).cloned();
            let found = found.ok_or_else(|| describe_absence(&path));
            looked_at.push(path);
            Ok((MockContent::Value(found?), true))
        }
        AnswerContent::Program(_) => Err("a program answers this call".to_owned()),
    }
}

/// Lists the changes that make `before` the state `after`, from the outside to the inside. Members and elements that are equal
/// are in none of them, so that each change names what a call wrote. A list that has become longer was appended to, if its
/// beginning is as before; one that has become shorter is another list.
fn list_edits(before: &Json, after: Json, path: &mut StatePath, edits: &mut Vec<StateEdit>) {
    if *before == after {
        return;
    }
    match (before, after) {
        (Json::Object(old), Json::Object(new)) => {
            for key in old.keys().filter(|key| !new.contains_key(key)) {
                let removed = path.iter().cloned().chain([key.as_str().into()]).collect();
                edits.push(StateEdit::Remove(removed));
            }
            for (key, value) in new {
                path.push(key.as_str().into());
                match old.get(&key) {
                    Some(old) => list_edits(old, value, path, edits),
                    None => edits.push(StateEdit::Set(path.clone(), value)),
                }
                path.pop();
            }
        }
        (Json::Array(old), Json::Array(new)) if old.len() <= new.len() => {
            let is_longer = old.len() < new.len();
            if is_longer && old.iter().zip(&new).any(|(old, new)| old != new) {
                edits.push(StateEdit::Set(path.clone(), Json::Array(new)));
                return;
            }
            for (index, value) in new.into_iter().enumerate() {
                match old.get(index) {
                    Some(old) => {
                        path.push(smol_str::format_smolstr!("{index}"));
                        list_edits(old, value, path, edits);
                        path.pop();
                    }
                    None => edits.push(StateEdit::Append(path.clone(), value)),
                }
            }
        }
        (_, after) => edits.push(StateEdit::Set(path.clone(), after)),
    }
}

/// Says which arguments do not satisfy the schema of the tool. The error says why that cannot be decided.
fn find_invalid_arguments(tool: &MockTool, arguments: &Arguments) -> Result<Option<String>, String> {
    let (Some(schema), Some(arguments)) = (&tool.schema, arguments.json()) else { return Ok(None) };
    let undecided = |unfit: CannotDecide| format!("the `inputSchema` of `{}`: {:?}", tool.name, unfit.reason);
    let faults = schema.faults(arguments, "argument").map_err(undecided)?;
    let problems = faults.describe_each(|fault| Violation::new(fault.describe_in("the input")));
    let problems: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
    Ok((!problems.is_empty()).then(|| format!("invalid arguments: {}", problems.join("; "))))
}

fn applies(answer: &MockAnswer, arguments: &Arguments) -> Result<bool, String> {
    let Some(when) = &answer.when else { return Ok(true) };
    let fit = when.count_differences(arguments, CallContext::none());
    fit.map(|fit| fit.differences == 0).map_err(|unfit| format!("{:?}", unfit.reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Registry, Tables};
    use crate::json::{json, parse};
    use crate::source::Files;
    use crate::suite::{Library, Suite};

    /// Begins a run of the script of these mock tools.
    fn begin(mocks: &str) -> ScriptRun {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let kinds = Registry::default();
        let files = Files::new(folder, folder);
        let library = Library { kinds: &kinds, files: &files, tables: &Tables::default() };
        // With a state, a case is read in each build.
        let text = format!(
            "metric: contains\nvalue: x\ntrace: {{answer: x}}\nmocks: {{state: {{orders: {{'7': {{n: 1}}}}, log: []}}, {mocks}}}\n"
        );
        let suite = Suite::parse(&folder.join("case.yaml"), &text, library);
        let suite = suite.unwrap_or_else(|errors| panic!("{errors}"));
        ScriptRun::new(Arc::clone(&suite.cases[0].mocks.as_ref().expect("mocks").script), None)
    }

    fn ask(run: &mut ScriptRun, tool: &str, arguments: Json) -> String {
        match run.take_answer(tool, &Arguments::Json(arguments)) {
            ScriptedAnswer::Given(answer) if answer.failed => {
                format!("failed: {}", answer.content.to_result().to_string().trim_matches('"'))
            }
            ScriptedAnswer::Given(answer) => answer.content.to_result().to_string(),
            ScriptedAnswer::Asks(call) => format!("asks {}", call.program.command.join(" ")),
            ScriptedAnswer::UnknownTool => "unknown".to_owned(),
            ScriptedAnswer::Refused(problem) => problem,
        }
    }

    fn show(run: &ScriptRun) -> String {
        run.tree().and_then(|tree| tree.find(&[])).expect("a state").to_string()
    }

    #[test]
    fn the_first_answer_that_applies_is_given_again_and_again() {
        let mut run = begin("tools: {get: [{when: {id: {at_most: 7}}, return: a}, {return: b}]}");
        let answers = [7, 8, 7].map(|id| ask(&mut run, "get", json!({"id": id, "other": 1})));
        assert_eq!(answers, ["\"a\"", "\"b\"", "\"a\""]);
    }

    #[test]
    fn an_answer_with_times_makes_room_for_the_next() {
        let mut run = begin("tools: {get: [{return: a, times: 2}, {return: b, times: 1}]}");
        let answers = [(); 4].map(|()| ask(&mut run, "get", json!({})));
        assert_eq!(answers[..3], ["\"a\"", "\"a\"", "\"b\""]);
        assert_eq!(answers[3], "no answer of `get` applies to {}");
    }

    #[test]
    fn other_calls_are_unknown_unless_there_is_an_answer_to_them() {
        let mut strict = begin("tools: {get: {when: {id: 1}, return: a}}, decoys: [rm]");
        assert_eq!(ask(&mut strict, "rm", json!({})), "\"ok\"");
        assert_eq!(ask(&mut strict, "other", json!({})), "unknown");
        assert_eq!(ask(&mut strict, "get", json!({"id": 2})), "no answer of `get` applies to {\"id\":2}");
        let mut open = begin("tools: {get: {when: {id: 1}, return: a}}, otherwise: {return: no}");
        assert_eq!(ask(&mut open, "other", json!({})), "\"no\"");
        assert_eq!(ask(&mut open, "get", json!({"id": 2})), "\"no\"");
        let offered: Vec<&str> = strict.script.list_tools().map(|tool| tool.name.as_str()).collect();
        assert_eq!(offered, ["get", "rm"]);
    }

    #[test]
    fn an_answer_does_all_of_its_operations_or_none() {
        let mut run = begin(
            "tools: {close: {set: {'/orders/{{id}}/n': 2}, append: {/log: '{{note}}'}, remove: '/orders/{{gone}}', return: ok}}",
        );
        let before = show(&run);
        assert_eq!(
            ask(&mut run, "close", json!({"id": 7, "note": 1})),
            "failed: the argument `gone` is missing"
        );
        assert_eq!(
            ask(&mut run, "close", json!({"id": 7, "gone": 7})),
            "failed: the argument `note` is missing"
        );
        assert_eq!(
            ask(&mut run, "close", json!({"id": 7, "note": 1, "gone": 8})),
            "failed: `/orders/8` does not exist"
        );
        assert_eq!(show(&run), before);
        assert_eq!(
            ask(&mut run, "close", parse(r#"{"id": 7, "note": [1.50], "gone": "7"}"#).expect("JSON")),
            "\"ok\""
        );
        assert_eq!(show(&run), r#"{"orders":{},"log":[[1.50]]}"#);
    }

    #[test]
    fn an_answer_whose_operations_fail_makes_room_for_the_next() {
        let mut run = begin(
            "tools: {get: [{read: '/orders/{{id}}'}, {return: 'no order {{id}}', failed: true}], \
             in: [{when: {id: {exists_in: /log}}, return: there}, {append: {/log: '{{id}}'}, return: added}]}",
        );
        assert_eq!(ask(&mut run, "get", json!({"id": "7"})), r#"{"n":1}"#);
        assert_eq!(ask(&mut run, "get", json!({"id": 8})), "failed: no order 8");
        assert_eq!(ask(&mut run, "get", json!({})), "failed: the argument `id` is missing");
        let added = [json!(7), json!("7"), json!(7.0)].map(|id| ask(&mut run, "in", json!({"id": id})));
        assert_eq!(added, ["\"added\"", "\"there\"", "\"added\""]);
    }

    #[test]
    fn arguments_that_the_definition_forbids_fail_the_call() {
        let tools = "tools: {add: {append: {/log: '{{n}}'}, return: ok}}";
        let schema = "{type: object, properties: {n: {type: integer, maximum: 10}}, required: [n]}";
        let definitions = format!("definitions: [{{name: add, inputSchema: {schema}}}]");
        let mut run = begin(&format!("{tools}, {definitions}"));
        let before = show(&run);
        assert_eq!(
            ask(&mut run, "add", json!({"n": 50})),
            "failed: invalid arguments: `n` in the input is 50: value exceeds maximum of 10"
        );
        let missing = ask(&mut run, "add", json!({}));
        assert!(missing.starts_with("failed: invalid arguments: the input has no `n`"), "{missing}");
        assert_eq!(show(&run), before);
        assert_eq!(ask(&mut run, "add", json!({"n": 5})), "\"ok\"");
        let mut open = begin(&format!("{tools}, {definitions}, check_arguments: false"));
        assert_eq!(ask(&mut open, "add", json!({"n": 50})), "\"ok\"");
    }

    #[test]
    fn what_a_program_changes_is_the_difference_of_both_states() {
        let before = json!({"orders": {"7": {"n": 1}, "8": {"n": 1}}, "log": [1], "list": [1, 2]});
        let after = json!({"orders": {"7": {"n": 2}, "9": {}}, "log": [1, 3], "list": [2]});
        let mut edits = Vec::new();
        list_edits(&before, after.clone(), &mut StatePath::new(), &mut edits);
        let mut tree = WorldTree::new(before);
        edits.iter().try_for_each(|edit| tree.apply_edit(edit)).expect("changes that fit");
        assert_eq!(tree.find(&[]), Some(&after));
        let written: Vec<String> =
            tree.list_written(0).map(|path| super::super::tree::render_pointer(path)).collect();
        assert_eq!(written, ["/orders/8", "/orders/7/n", "/orders/9", "/log/1", "/list"]);
    }

    #[test]
    fn each_run_begins_anew_in_a_state_that_was_used_before() {
        let mut first = begin("tools: {add: {append: {/log: 1}, return: ok}}");
        let before = show(&first);
        ask(&mut first, "add", json!({}));
        let script = Arc::clone(&first.script);
        drop(first);
        assert_eq!(
            script.state.as_ref().map(|state| state.shared.spare.lock().expect("a lock").len()),
            Some(1)
        );
        let again = ScriptRun::new(script, None);
        assert_eq!(show(&again), before);
    }

    /// The four operations in a state of 10 MB. Run it alone, in release: `--ignored --nocapture`.
    #[test]
    #[ignore = "a measurement"]
    fn a_call_in_a_large_state_costs_little() {
        let mut run = begin(
            "tools: {get: {read: '/orders/{{id}}'}, put: {set: {'/orders/{{id}}/n': 2, '/orders/{{id}}x': 1}, return: ok}, \
             add: {append: {/log: '{{id}}'}, return: ok}, drop: {remove: '/orders/{{id}}', return: ok}}",
        );
        let order = json!({"status": "shipped", "items": ["a blue shirt", "a red shirt"], "total": 20.50, "to": "Ada"});
        let orders: JsonMap = (0..100_000).map(|id| (id.to_string(), order.clone())).collect();
        let value = json!({"orders": orders, "log": []});
        eprintln!("{} bytes", value.to_string().len());
        let tree = run.tree.as_mut().expect("a state");
        tree.set(StatePath::new(), value).expect("set");
        for tool in ["get", "put", "add", "drop"] {
            let begun = std::time::Instant::now();
            for id in 0..1_000 {
                assert!(!ask(&mut run, tool, json!({"id": id * 7})).starts_with("failed"));
            }
            eprintln!("{tool}: {:?} a call", begun.elapsed() / 1_000);
        }
    }
}
