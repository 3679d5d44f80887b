//! One answer of a mock tool.

use std::num::NonZeroU32;
use std::time::Duration;

use serde::Deserialize;

use crate::JsonSchema;
use crate::case::{CommandLine, MockAnswer, MockContent};
use crate::check::arguments::{
    ArgumentsMatcher, ArgumentsMode, IgnoredPaths, ToolArguments, WrittenArguments, read_arguments,
    refuse_relations,
};
use crate::check::world::{AnswerContent, ExistsIn, PointerTemplate, StateOperation, ValueTemplate};
use crate::evidence::ProgramRequest;
use crate::json::{Json, JsonMap, json};
use crate::place::{LoadError, LoadErrors, Place};
use crate::suite::agent::{CommandWords, VariableName};
use crate::yaml::{
    Build, Checked, MappingOr, Node, OneOrMany, OrderedMap, Placed, TimeLimit, Unparsed, even_null, read_all,
};

/// The types of content in MCP, each with the keys that it needs.
const BLOCKS: [(&str, &[&str]); 5] = [
    ("text", &["text"]),
    ("image", &["data", "mimeType"]),
    ("audio", &["data", "mimeType"]),
    ("resource", &["resource"]),
    ("resource_link", &["uri", "name"]),
];

/// How long a program may take for an answer, unless the case says otherwise.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);

/// The condition of an argument that names something in the state.
const EXISTS_IN: &str = "exists_in";

/// What a tool answers.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "mock_answer")]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenAnswer {
    /// The arguments to which the answer applies. Default: all. `{exists_in: POINTER}` is an argument that names a member, or
    /// equals an element, of that part of the `state`.
    #[serde(default, deserialize_with = "even_null")]
    when: Option<Unparsed<WrittenArguments>>,
    /// How often the answer is given. Default: always.
    times: Option<NonZeroU32>,
    /// A text, or a value that is sent as JSON. With a `state`, `{{ARGUMENT}}` is the argument of the call.
    #[serde(rename = "return", default, deserialize_with = "even_null")]
    returned: Option<Placed<Json>>,
    /// Blocks of content in the form of MCP, or texts.
    content: Option<Placed<OneOrMany<Placed<Json>>>>,
    /// The part of the `state` that is sent: a JSON Pointer, in which `{{ARGUMENT}}` is the argument of the call.
    read: Option<Placed<String>>,
    /// A program that answers, and says what the `state` is then: its command, or `{command: [...], timeout: 10s}`.
    exec: Option<Placed<MappingOr<WrittenProgram, Checked<CommandWords>>>>,
    /// Sets values in the `state`, by their pointers. The last member of a pointer may be new.
    #[serde(default)]
    set: OrderedMap<Placed<String>, Placed<Json>>,
    /// Appends values to lists in the `state`, by their pointers.
    #[serde(default)]
    append: OrderedMap<Placed<String>, Placed<Json>>,
    /// Removes parts of the `state`.
    #[serde(default)]
    remove: OneOrMany<Placed<String>>,
    /// Whether the tool says that it failed.
    #[serde(default)]
    failed: bool,
    /// How long the answer takes.
    delay: Option<TimeLimit>,
}

/// A program behind a mock tool.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "mock_program")]
#[serde(deny_unknown_fields)]
struct WrittenProgram {
    /// The program and its arguments. There is no shell.
    command: Checked<CommandWords>,
    /// How long it may take for an answer. Default: 60 seconds.
    timeout: Option<TimeLimit>,
    /// The variables that the program sees beside `PATH` and `HOME`, by name.
    #[serde(default)]
    env: Vec<VariableName>,
    /// The working folder of the program, relative to the package's.
    cwd: Option<String>,
}

/// An answer, and what only the state and the definitions show to be wrong.
pub(super) struct DraftedAnswer {
    pub(super) answer: MockAnswer,
    /// The `return`, whose placeholders count if there is a state.
    returned: Option<Placed<Json>>,
    /// The pointers into the state, and whether each may name a new member.
    pub(super) pointers: Vec<(Place, PointerTemplate, bool)>,
    /// The arguments that fill placeholders.
    pub(super) arguments: Vec<(Place, String)>,
    /// The place of the program that answers.
    program: Option<Place>,
}

impl Build for WrittenAnswer {
    type Built = DraftedAnswer;

    fn build(written: Placed<Self>) -> Result<DraftedAnswer, LoadErrors> {
        let mut errors = LoadErrors::new();
        let mut parts = StateParts::default();
        let when = written.when.as_ref().and_then(|when| errors.take(parse_when(when.node(), &mut parts)));
        let (when, exists) = when.unwrap_or_default();
        for (pointer, value) in &written.set.0 {
            let template = errors.take(parts.add_pointer(pointer, true));
            let value = errors.take(parts.add_value(value));
            parts.operations.extend(template.zip(value).map(|(at, value)| StateOperation::Set(at, value)));
        }
        for (pointer, value) in &written.append.0 {
            let template = errors.take(parts.add_pointer(pointer, false));
            let value = errors.take(parts.add_value(value));
            parts.operations.extend(template.zip(value).map(|(at, value)| StateOperation::Append(at, value)));
        }
        for pointer in &written.remove.0 {
            let template = errors.take(parts.add_pointer(pointer, false));
            parts.operations.extend(template.map(StateOperation::Remove));
        }
        let program = written.exec.as_ref().map(|program| program.place().clone());
        let content = match &written.exec {
            Some(program) => errors.take(read_program(&written, program)),
            None => read_content(&written, &mut parts, &mut errors),
        };
        let times = written.times.map(NonZeroU32::get);
        let failed = written.failed;
        let delay = written.delay.map(|delay| delay.0);
        let StateParts { operations, pointers, arguments } = parts;
        let returned = written.into_value().returned;
        errors.or_some(content.map(|content| {
            let answer = MockAnswer { when, exists, times, operations, content, failed, delay };
            DraftedAnswer { answer, returned, pointers, arguments, program }
        }))
    }
}

/// Reads the program that answers. It says all that the other keys of an answer say.
fn read_program(
    written: &Placed<WrittenAnswer>,
    program: &Placed<MappingOr<WrittenProgram, Checked<CommandWords>>>,
) -> Result<AnswerContent, LoadError> {
    let WrittenAnswer { returned, content, read, set, append, remove, failed, .. } = &**written;
    let others = [
        ("return", returned.is_some()),
        ("content", content.is_some()),
        ("read", read.is_some()),
        ("set", !set.0.is_empty()),
        ("append", !append.0.is_empty()),
        ("remove", !remove.0.is_empty()),
        ("failed", *failed),
    ];
    if let Some((key, _)) = others.into_iter().find(|(_, is_given)| *is_given) {
        let error = program.error(format!("an answer has an `exec` or a `{key}`, not both"));
        return Err(error.help(
            "the program answers with `{\"state\": ..., \"answer\": ...}`, and with `\"failed\": true` if the tool failed",
        ));
    }
    let of_command = |line: &CommandLine| ProgramRequest {
        command: std::iter::once(&line.program).chain(&line.arguments).cloned().collect(),
        env: Vec::new(),
        cwd: None,
        timeout: DEFAULT_TIMEOUT,
        in_workspace: false,
        exit: None,
        answers_calls: true,
    };
    Ok(AnswerContent::Program(match &**program {
        MappingOr::Short(Checked(line)) => of_command(line),
        MappingOr::Mapping(WrittenProgram { command: Checked(line), timeout, env, cwd }) => ProgramRequest {
            env: env.iter().map(|name| name.0.clone()).collect(),
            cwd: cwd.clone(),
            timeout: timeout.as_ref().map_or(DEFAULT_TIMEOUT, |limit| limit.0),
            ..of_command(line)
        },
    }))
}

/// Reads the result of an answer: one of `return`, `content` and `read`.
fn read_content(
    written: &Placed<WrittenAnswer>,
    parts: &mut StateParts,
    errors: &mut LoadErrors,
) -> Option<AnswerContent> {
    match (&written.returned, &written.content, &written.read) {
        (Some(value), None, None) => Some(AnswerContent::Fixed(MockContent::Value((**value).clone()))),
        (None, Some(blocks), None) => {
            let blocks = errors.take(read_all(blocks.0.iter().map(build_block)));
            blocks.map(MockContent::Blocks).map(AnswerContent::Fixed)
        }
        (None, None, Some(pointer)) => match PointerTemplate::parse(pointer) {
            // The whole state may be read, and never be replaced.
            Ok(template) => {
                parts.note_pointer(pointer.place(), &template, false);
                Some(AnswerContent::Read(template))
            }
            Err(problem) => {
                errors.push(pointer.error(problem));
                None
            }
        },
        (None, None, None) => {
            let error = written.error("an answer needs its `return`: a text or a value");
            errors.push(error.help("or the part of the `state` that it sends: `read: /orders/{{id}}`"));
            None
        }
        (Some(_), Some(content), _) => {
            errors.push(content.error("an answer has a `return` or a `content`, not both"));
            None
        }
        (_, _, Some(read)) => {
            errors.push(read.error("an answer has one of `return`, `content` and `read`"));
            None
        }
    }
}

/// What an answer says about the state.
#[derive(Default)]
struct StateParts {
    operations: Vec<StateOperation>,
    pointers: Vec<(Place, PointerTemplate, bool)>,
    arguments: Vec<(Place, String)>,
}

impl StateParts {
    /// Parses the pointer of a change. `is_new`: its last member may be absent.
    fn add_pointer(&mut self, written: &Placed<String>, is_new: bool) -> Result<PointerTemplate, LoadError> {
        let template = written.try_map(|pointer| PointerTemplate::parse(pointer))?;
        if template.is_root() {
            return Err(written.error("this is the whole state: name a part of it, as in `/orders`"));
        }
        self.note_pointer(written.place(), &template, is_new);
        Ok(template)
    }

    fn note_pointer(&mut self, place: &Place, template: &PointerTemplate, is_new: bool) {
        self.arguments.extend(template.list_arguments().map(|name| (place.clone(), name.to_owned())));
        self.pointers.push((place.clone(), template.clone(), is_new && template.is_member_of_root()));
    }

    fn add_value(&mut self, written: &Placed<Json>) -> Result<ValueTemplate, LoadError> {
        let template = written.try_map(ValueTemplate::parse)?;
        let named = template.list_arguments().into_iter();
        self.arguments.extend(named.map(|name| (written.place().clone(), name.to_owned())));
        Ok(template)
    }
}

impl DraftedAnswer {
    /// Whether the answer reads or changes the state.
    pub(super) fn needs_state(&self) -> Option<&Place> {
        self.pointers.first().map(|(place, ..)| place).or(self.program.as_ref())
    }

    /// Reads the placeholders of the `return` of a tool with a state.
    pub(super) fn fill_return(&mut self) -> Result<(), LoadError> {
        let Some(returned) = self.returned.take() else { return Ok(()) };
        let template = returned.try_map(ValueTemplate::parse)?;
        let named = template.list_arguments().into_iter();
        self.arguments.extend(named.map(|name| (returned.place().clone(), name.to_owned())));
        if !matches!(template, ValueTemplate::Literal(_)) {
            self.answer.content = AnswerContent::Filled(template);
        }
        Ok(())
    }
}

/// The conditions on the arguments alone, and those on the state.
type Conditions = (Option<ArgumentsMatcher>, Vec<ExistsIn>);

/// Other arguments than the written ones may have any value.
fn parse_when(node: Node<'_>, parts: &mut StateParts) -> Result<Conditions, LoadErrors> {
    let mut errors = LoadErrors::new();
    let mut exists = Vec::new();
    let mut names = Vec::new();
    for (key, value) in node.entries().into_iter().flatten() {
        let Some(pointer) = value.get(EXISTS_IN) else {
            refuse_nested(value, &mut errors);
            refuse_relations(value, "conditions of mock tools", &mut errors);
            continue;
        };
        names.push(key.name.as_str());
        if value.entries().is_some_and(|entries| entries.count() > 1) {
            errors.push(value.error(format!("`{EXISTS_IN}` stands alone: it is no word of a matcher")));
            continue;
        }
        let written = errors.take(pointer.decode::<String>().map(|text| Placed::new(text, pointer.place())));
        let Some(written) = written else { continue };
        match PointerTemplate::parse(&written) {
            Ok(within) => {
                parts.note_pointer(written.place(), &within, false);
                exists.push(ExistsIn { argument: key.name.to_string(), within });
            }
            Err(problem) => errors.push(written.error(problem)),
        }
    }
    let ignored = IgnoredPaths::default();
    let defaults = JsonMap::new();
    let of_tool = ToolArguments { tool: "", ignored: &ignored, defaults: &defaults };
    let when = errors.take(read_arguments(node.without(&names), ArgumentsMode::Superset, of_tool));
    errors.or((when, exists))
}

/// Refuses `exists_in` inside of the value of an argument, where it would be compared as a value.
fn refuse_nested(node: Node<'_>, errors: &mut LoadErrors) {
    for (key, value) in node.entries().into_iter().flatten() {
        if key.name == EXISTS_IN {
            let error = LoadError::new(
                node.key_place(EXISTS_IN),
                format!("`{EXISTS_IN}` is about an argument, or a part of one"),
            );
            errors
                .push(error.help("write the path of the part as the name: `order.id: {exists_in: /orders}`"));
        }
        refuse_nested(value, errors);
    }
    node.list().into_iter().flatten().for_each(|value| refuse_nested(value, errors));
}

/// A text, or a block in the form of MCP.
fn build_block(written: &Placed<Json>) -> Result<Json, LoadError> {
    if let Some(text) = written.as_str() {
        return Ok(json!({"type": "text", "text": text}));
    }
    let block = &**written;
    let Some((_, keys)) = BLOCKS.iter().find(|(name, _)| block["type"] == *name) else {
        let names = BLOCKS.map(|(name, _)| name).join("`, `");
        return Err(written.error(format!("a block of `content` is a text, or has a `type`: `{names}`")));
    };
    match keys.iter().find(|key| block[**key].is_null()) {
        Some(key) => Err(written.error(format!("this block of `content` needs its `{key}`"))),
        None => Ok(block.clone()),
    }
}
