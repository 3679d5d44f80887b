//! Reads the calls of two protocols out of the texts of a run, for a user who knows that its agent speaks them.

use std::collections::VecDeque;
use std::ops::Range;

use serde::Deserialize;

use crate::JsonSchema;
use crate::code_blocks::{find_code, is_inside};
use crate::json::parse;
use crate::json::{Json, parse_borrowed};
use crate::trace::{
    Arguments, Call, CallStatus, CallsUnrecorded, Message, Role, Trace, UnreadContent, UnreadPart,
};

/// A protocol whose calls can be read out of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub enum TextProtocol {
    /// `<tool_call>{"name": ..., "arguments": ...}</tool_call>`, answered by `<tool_response>`.
    Hermes,
    /// Lines with `Action:` and `Action Input:`, answered by `Observation:`.
    React,
}

impl TextProtocol {
    fn name(self) -> &'static str {
        match self {
            Self::Hermes => "hermes",
            Self::React => "react",
        }
    }

    /// Takes a text of the model apart.
    fn read_said(self, text: &str) -> Vec<TextPiece> {
        match self {
            Self::Hermes => read_hermes(text),
            Self::React => read_react(text),
        }
    }

    /// Reads the results in a message of the user, if it is nothing but results.
    fn read_results(self, text: &str) -> Option<Vec<String>> {
        match self {
            Self::Hermes => read_tool_responses(text),
            Self::React => {
                text.trim_start().strip_prefix(OBSERVATION).map(|result| vec![result.trim().to_owned()])
            }
        }
    }
}

/// A piece of a text of the model.
#[derive(Debug, PartialEq)]
enum TextPiece {
    AnswerScope(String),
    Call {
        name: String,
        arguments: Arguments,
    },
    /// The result of the first call that waits for one.
    Result(String),
    /// A call that cannot be read.
    Unread(String),
}

const CALL_TAGS: [&str; 2] = ["<tool_call>", "</tool_call>"];
const RESPONSE_TAGS: [&str; 2] = ["<tool_response>", "</tool_response>"];

fn read_hermes(text: &str) -> Vec<TextPiece> {
    let code = find_code(text);
    let mut pieces = Vec::new();
    // The ends of what was read, and of what was searched.
    let mut at = 0;
    let mut from = 0;
    let [open, close] = CALL_TAGS;
    while let Some(start) = text[from..].find(open).map(|start| from + start) {
        from = start + open.len();
        if is_inside(&code, start) {
            continue;
        }
        // Some models leave the last closing tag out.
        let end = text[from..].find(close).map_or(text.len(), |end| from + end);
        push_said(&mut pieces, &text[at..start]);
        pieces.push(match read_hermes_call(&text[from..end]) {
            Some((name, arguments)) => TextPiece::Call { name, arguments },
            None => TextPiece::Unread(text[start..end].to_owned()),
        });
        at = (end + close.len()).min(text.len());
        from = at;
    }
    push_said(&mut pieces, &text[at..]);
    pieces
}

fn push_said(pieces: &mut Vec<TextPiece>, text: &str) {
    if !text.trim().is_empty() {
        pieces.push(TextPiece::AnswerScope(text.trim().to_owned()));
    }
}

/// Reads the object between the tags. A key twice makes its arguments unclear, so that they are kept as text.
fn read_hermes_call(text: &str) -> Option<(String, Arguments)> {
    match parse(text.trim()) {
        Ok(mut call) => {
            let name = call.get("name")?.as_str().filter(|name| !name.is_empty())?.to_owned();
            let key = if call.get("arguments").is_some() { "arguments" } else { "parameters" };
            let arguments = call.get_mut(key).map(Json::take).unwrap_or_default();
            Some((name, Arguments::from_json(arguments)))
        }
        Err(error) => {
            let call = parse_borrowed(text.trim()).ok()?;
            let name = call.get("name")?.as_str().filter(|name| !name.is_empty())?.to_owned();
            Some((name, Arguments::Broken { raw: text.trim().to_owned(), error: error.to_string() }))
        }
    }
}

/// Reads the results of a message that consists of them.
fn read_tool_responses(text: &str) -> Option<Vec<String>> {
    let [open, close] = RESPONSE_TAGS;
    let mut results = Vec::new();
    let mut rest = text.trim();
    while let Some(inner) = rest.strip_prefix(open) {
        let (result, after) = inner.split_once(close).unwrap_or((inner, ""));
        results.push(result.trim().to_owned());
        rest = after.trim_start();
    }
    (rest.is_empty() && !results.is_empty()).then_some(results)
}

const ACTION: &str = "Action:";
const INPUT: &str = "Action Input:";
const OBSERVATION: &str = "Observation:";

/// Finds the first line with `Action:` that a line with `Action Input:` follows.
pub(super) fn find_react_call(text: &str) -> Option<usize> {
    let inputs = memchr::memmem::find_iter(text.as_bytes(), INPUT);
    let last = inputs.filter(|at| begins_line(text, *at)).last()?;
    memchr::memmem::find_iter(&text.as_bytes()[..last], ACTION).find(|at| begins_line(text, *at))
}

/// Whether only white space is before a byte on its line.
fn begins_line(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

/// A line of a text, by the word that it begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReactLine {
    Action,
    Input,
    Observation,
    /// A thought, or the final answer.
    AnswerScope,
}

/// Takes a text apart by the words at the beginnings of its lines. What follows a word belongs to it, to the next one.
fn read_react(text: &str) -> Vec<TextPiece> {
    let code = find_code(text);
    let mut pieces = Vec::new();
    let mut action: Option<&str> = None;
    for (kind, part) in split_react_lines(text, &code) {
        let rest = |word: &str| text[part.clone()].trim_start().strip_prefix(word).unwrap_or_default().trim();
        match kind {
            ReactLine::Action => {
                // An action without an input is a part of what was said.
                action.replace(rest(ACTION)).into_iter().for_each(|name| push_said(&mut pieces, name));
            }
            ReactLine::Input => match action.take().filter(|name| !name.is_empty() && !name.contains('\n')) {
                Some(name) => pieces.push(TextPiece::Call {
                    name: name.to_owned(),
                    arguments: read_react_input(rest(INPUT)),
                }),
                None => pieces.push(TextPiece::Unread(text[part].to_owned())),
            },
            ReactLine::Observation => pieces.push(TextPiece::Result(rest(OBSERVATION).to_owned())),
            ReactLine::AnswerScope => push_said(&mut pieces, &text[part]),
        }
    }
    if let Some(name) = action {
        push_said(&mut pieces, name);
    }
    pieces
}

/// Splits a text into parts, each of which begins with a word of the protocol. Lines of code begin no part.
fn split_react_lines(text: &str, code: &[Range<usize>]) -> Vec<(ReactLine, Range<usize>)> {
    let mut parts: Vec<(ReactLine, Range<usize>)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let begins = |words: &[&str]| words.iter().any(|word| line.trim_start().starts_with(word));
        let kind = if is_inside(code, start) {
            None
        } else if begins(&[INPUT]) {
            Some(ReactLine::Input)
        } else if begins(&[ACTION]) {
            Some(ReactLine::Action)
        } else if begins(&[OBSERVATION]) {
            Some(ReactLine::Observation)
        } else {
            begins(&["Thought:", "Final Answer:"]).then_some(ReactLine::AnswerScope)
        };
        match (kind, parts.last_mut()) {
            (None, Some((_, part))) => part.end = at,
            (kind, _) => parts.push((kind.unwrap_or(ReactLine::AnswerScope), start..at)),
        }
    }
    parts
}

/// Reads the input of an action: an object, or else a text.
fn read_react_input(text: &str) -> Arguments {
    if text.starts_with('{') {
        Arguments::from_text(text)
    } else {
        Arguments::Json(Json::String(text.to_owned().into()))
    }
}

impl Trace {
    /// Reads the calls that the model wrote as text in this protocol, and their results in the next message of the user or
    /// behind the call. Calls that cannot be read stay unread.
    pub fn read_text_calls(&mut self, protocol: TextProtocol) {
        let is_of_protocol = |part: &UnreadContent| part.kind() == Some(protocol.name());
        let parts = self.unread.iter().filter(|part| is_of_protocol(&part.what));
        // An answer beside the messages is not taken apart, so its calls stay unread.
        let numbers = parts.filter_map(|part| part.place.message).filter(|at| *at <= self.messages.len());
        let mut numbers: Vec<usize> = numbers.collect();
        if numbers.is_empty() {
            return;
        }
        let is_said_last = self.answer.is_some() && self.recorded_answer().is_none();
        let unread = std::mem::take(&mut self.unread);
        let mut rebuilt = RebuiltRun { moved: vec![0], ..RebuiltRun::default() };
        let mut calls = std::mem::take(&mut self.calls).into_iter().peekable();
        for (at, message) in std::mem::take(&mut self.messages).into_iter().enumerate() {
            // Texts and calls are two lists: each call comes before the first text that is said after it.
            while let Some(call) = calls.next_if(|call| call.index <= message.after_calls) {
                rebuilt.push_call(call);
            }
            let is_read = numbers.contains(&(at + 1)) && message.role == Role::Assistant;
            if is_read && !rebuilt.push_said(protocol, &message) {
                numbers.retain(|number| *number != at + 1);
            } else if !is_read {
                rebuilt.push_other(protocol, message);
            }
            rebuilt.moved.push(rebuilt.run.messages.len());
        }
        calls.for_each(|call| rebuilt.push_call(call));
        self.calls = rebuilt.run.calls;
        self.messages = rebuilt.run.messages;
        let is_read = |part: &UnreadPart| {
            is_of_protocol(&part.what) && part.place.message.is_some_and(|number| numbers.contains(&number))
        };
        // The other parts stay in the messages in which they are.
        self.unread = unread.into_iter().filter(|part| !is_read(part)).collect();
        for part in &mut self.unread {
            let moved = |number: usize| rebuilt.moved.get(number).copied().unwrap_or(self.messages.len());
            part.after_messages = part.after_messages.map(moved);
            part.place.message = part.place.message.map(moved);
        }
        if matches!(self.calls_unrecorded, Some(CallsUnrecorded::Unread { .. })) {
            self.calls_unrecorded = CallsUnrecorded::find_in(&self.unread);
        }
        self.answer = if is_said_last { self.said_after(self.calls.len()) } else { self.answer.take() };
    }
}

/// A run while the calls in its texts are read.
#[derive(Default)]
struct RebuiltRun {
    run: Trace,
    /// The calls that have no result yet.
    waiting: VecDeque<usize>,
    /// The number of turns that were read out of texts.
    turns: usize,
    /// The turn of the last call.
    last_turn: usize,
    /// The number of messages after each of the old ones.
    moved: Vec<usize>,
}

impl RebuiltRun {
    /// Adds a call that the format records: the turns before it may have become more.
    fn push_call(&mut self, call: Call) {
        let turn = call.turn + self.turns;
        self.last_turn = self.last_turn.max(turn);
        self.run.push_call(Call { turn, ..call });
    }

    /// Adds a text of the model as what it says and calls. Returns whether its calls were read, all of them.
    fn push_said(&mut self, protocol: TextProtocol, message: &Message) -> bool {
        let before = self.run.calls.len();
        let mut is_whole = true;
        let mut in_turn = false;
        let mut reasoning = message.reasoning.clone();
        for piece in protocol.read_said(&message.text) {
            match piece {
                TextPiece::AnswerScope(text) => self.push_text(text, reasoning.take()),
                TextPiece::Unread(text) => {
                    is_whole = false;
                    self.push_text(text, reasoning.take());
                }
                TextPiece::Call { name, arguments } => {
                    if reasoning.is_some() {
                        self.push_text(String::new(), reasoning.take());
                    }
                    // Calls without a result between them are parallel.
                    if !in_turn {
                        self.turns += 1;
                        self.last_turn += 1;
                        in_turn = true;
                    }
                    self.waiting.push_back(self.run.calls.len());
                    self.run.push_call(Call::new(name, arguments, self.last_turn));
                }
                TextPiece::Result(result) => {
                    self.answer_call(result);
                    in_turn = false;
                }
            }
        }
        is_whole && self.run.calls.len() > before
    }

    /// Adds a text of the model. One behind a call that waits is said before its result.
    fn push_text(&mut self, text: String, reasoning: Option<String>) {
        let after_calls = self.run.calls.len() - self.waiting.len();
        self.run.messages.push(Message { role: Role::Assistant, text, reasoning, after_calls });
    }

    /// Adds a message, or takes the results that it is.
    fn push_other(&mut self, protocol: TextProtocol, message: Message) {
        let results = protocol
            .read_results(&message.text)
            .filter(|results| message.role == Role::User && results.len() <= self.waiting.len());
        if let Some(results) = results {
            for result in results {
                self.answer_call(result);
            }
        } else {
            // Nothing answers these calls any more.
            self.waiting.clear();
            let after_calls = self.run.calls.len();
            self.run.messages.push(Message { after_calls, ..message });
        }
    }

    /// Gives the first call that waits its result. These protocols do not record which calls failed.
    fn answer_call(&mut self, result: String) {
        let waiting = self.waiting.pop_front();
        if let Some(call) = waiting.and_then(|at| self.run.calls.get_mut(at)) {
            call.result = Some(Json::String(result.into()));
            call.status = CallStatus::Unknown;
        }
    }
}
