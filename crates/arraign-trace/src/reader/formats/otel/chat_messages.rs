//! The input and output messages of a model, in the attributes of its span.
//!
//! The semantic conventions keep messages as one JSON text. OpenInference and early versions of Traceloop spread each
//! message over many attributes (`llm.output_messages.0.message.content`).

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use crate::json::{Json, JsonNode};
use crate::reader::build::tool_result::{OutcomeMarks, is_set};
use crate::reader::formats::otel::chat_message::{
    ChatMessage, ChatPart, Speaker, find_text, read_message, read_parts, read_speaker,
};
use crate::reader::formats::otel::json_text::parse_attribute;
use crate::reader::formats::otel::langfuse;
use crate::reader::formats::otel::message_events::{EVENTS, read_events};
use crate::reader::formats::otel::span::{OtelSpan, find_reply};
use crate::trace::Arguments;

/// Reads the input messages of a span; empty if it contains none.
pub(crate) fn input(span: &OtelSpan) -> Vec<ChatMessage> {
    let system =
        span.get(&["gen_ai.system_instructions", "gen_ai.request.instructions"]).and_then(instructions);
    let mut messages: Vec<ChatMessage> = system.into_iter().collect();
    // A span may keep its messages in several vocabularies at once. The first one that is present is complete, so the
    // others are not read: reading both would double every message.
    let told = semantic(span, &["gen_ai.input.messages"]);
    let told = told.or_else(|| gemini_request(span)).or_else(|| read_events(span, &EVENTS, false));
    let told = told.or_else(|| langfuse::read_input(span));
    messages.extend(told.unwrap_or_else(|| spread(span, &["llm.input_messages.", "gen_ai.prompt."])));
    identify_results(&mut messages);
    messages
}

/// Gives the results that name no call the ids of the calls before them that no result names, where they are as many. Some
/// writers omit the ids of results, and others number calls and results on their own.
fn identify_results(messages: &mut [ChatMessage]) {
    let parts = messages.iter().flat_map(|message| &message.parts);
    let known: HashSet<String> = parts.filter_map(find_call_id).map(ToOwned::to_owned).collect();
    for at in 0..messages.len() {
        let (before, behind) = messages.split_at_mut(at + 1);
        let ids: Vec<&str> = before[at].parts.iter().filter_map(find_call_id).collect();
        if ids.is_empty() {
            continue;
        }
        let answers = behind.iter().take_while(|message| message.is_answer()).count();
        let mut results: Vec<&mut Option<String>> = behind[..answers]
            .iter_mut()
            .flat_map(|message| &mut message.parts)
            .filter_map(find_result_id)
            .collect();
        let is_answered = |call: &str| results.iter().any(|id| id.as_deref() == Some(call));
        let open: Vec<&str> = ids.into_iter().filter(|id| !is_answered(id)).collect();
        results.retain(|id| id.as_ref().is_none_or(|id| !known.contains(id)));
        if results.len() == open.len() {
            results.into_iter().zip(open).for_each(|(place, id)| *place = Some(id.to_owned()));
        }
    }
}

fn find_call_id(part: &ChatPart) -> Option<&str> {
    if let ChatPart::Call { id, .. } = part { id.as_deref() } else { None }
}

fn find_result_id(part: &mut ChatPart) -> Option<&mut Option<String>> {
    if let ChatPart::Result { id, .. } = part { Some(id) } else { None }
}

/// Reads the output messages of a span; empty if it contains none.
pub(crate) fn output(span: &OtelSpan) -> Vec<ChatMessage> {
    let told = semantic(span, &["gen_ai.output.messages"]).or_else(|| gemini_response(span));
    let told = told.or_else(|| read_events(span, &EVENTS, true)).or_else(|| langfuse::read_output(span));
    let told = told.unwrap_or_else(|| spread(span, &["llm.output_messages.", "gen_ai.completion."]));
    match find_reply(span).filter(|_| told.is_empty()) {
        Some(reply) => vec![ChatMessage { speaker: Speaker::Model, parts: vec![ChatPart::Text(reply)] }],
        None => told,
    }
}

/// Reads the whole conversation in the span of an agent.
pub(crate) fn conversation(span: &OtelSpan) -> Vec<ChatMessage> {
    if let Some(all) = semantic(span, &["pydantic_ai.all_messages"]) {
        return all;
    }
    if let Some(all) = read_events(span, &["all_messages_events"], false) {
        return all;
    }
    let mut messages = input(span);
    messages.extend(output(span));
    messages
}

fn instructions(value: &JsonNode) -> Option<ChatMessage> {
    let text = match parse_attribute(value) {
        Some(parts @ Json::Array(_)) => {
            read_parts(&parts).into_iter().filter_map(text_of).collect::<Vec<_>>().join("\n")
        }
        _ => value.as_str()?.to_owned(),
    };
    Some(ChatMessage { speaker: Speaker::System, parts: vec![ChatPart::Text(text)] })
}

fn text_of(part: ChatPart) -> Option<String> {
    if let ChatPart::Text(text) = part { Some(text) } else { None }
}

/// Reads the messages in the first of these attributes, which is a JSON text or the value itself.
fn semantic(span: &OtelSpan, names: &[&str]) -> Option<Vec<ChatMessage>> {
    match span.parse(names)? {
        Json::Array(messages) => Some(messages.iter().map(read_message).collect()),
        only @ Json::Object(_) => Some(vec![read_message(&only)]),
        _ => None,
    }
}

/// Reads a request to Gemini, which Google's ADK keeps as JSON text.
fn gemini_request(span: &OtelSpan) -> Option<Vec<ChatMessage>> {
    let request = span.parse(&["gcp.vertex.agent.llm_request"])?;
    let system = request.pointer("/config/system_instruction").and_then(Json::as_str);
    let system = system
        .map(|text| ChatMessage { speaker: Speaker::System, parts: vec![ChatPart::Text(text.to_owned())] });
    let contents = request.get("contents").and_then(Json::as_array);
    Some(system.into_iter().chain(contents.into_iter().flatten().map(gemini_message)).collect())
}

fn gemini_response(span: &OtelSpan) -> Option<Vec<ChatMessage>> {
    let response = span.parse(&["gcp.vertex.agent.llm_response"])?;
    response.get("content").map(|content| vec![gemini_message(content)])
}

fn gemini_message(content: &Json) -> ChatMessage {
    let parts = content.get("parts").and_then(Json::as_array);
    let parts = parts.into_iter().flatten().filter(|part| part.get("thought") != Some(&Json::Bool(true)));
    ChatMessage {
        speaker: read_speaker(content.get("role").and_then(Json::as_str)),
        parts: parts.filter_map(gemini_part).collect(),
    }
}

fn gemini_part(part: &Json) -> Option<ChatPart> {
    // The names are Python's in some exports, and those of the API in others.
    let either = |snake: &str, camel: &str| part.get(snake).or_else(|| part.get(camel));
    if let Some(call) = either("function_call", "functionCall") {
        let arguments = call.get("args").cloned().map_or_else(Arguments::none, Arguments::from_json);
        return Some(ChatPart::Call { id: find_text(call, "id"), name: find_text(call, "name")?, arguments });
    }
    if let Some(answer) = either("function_response", "functionResponse") {
        let value = answer.get("response").cloned().unwrap_or_default();
        let mut marks = OutcomeMarks::of_parsed(answer);
        marks.note_failure(value.get("error").is_some_and(|error| is_set(&error.clone())));
        return Some(ChatPart::Result { id: find_text(answer, "id"), value: Some(value), marks });
    }
    find_text(part, "text").map(ChatPart::Text).or_else(|| find_unknown(part))
}

/// Finds the kind of a part of Gemini that may be a call.
fn find_unknown(part: &Json) -> Option<ChatPart> {
    const WITHOUT_CALLS: [&str; 4] = ["inline", "file", "executable", "code"];
    let unknown = part.as_object()?.iter().find(|(kind, value)| {
        value.is_object() && !WITHOUT_CALLS.iter().any(|known| kind.starts_with(known))
    });
    unknown.map(|(kind, _)| ChatPart::Unread(kind.to_string()))
}

/// Reads the messages that are spread below the first of these prefixes with any.
fn spread(span: &OtelSpan, prefixes: &[&str]) -> Vec<ChatMessage> {
    let trees = prefixes.iter().map(|prefix| AttributeTree::of(span.below(prefix)));
    let tree = trees.into_iter().find(|tree| !tree.below.is_empty()).unwrap_or_default();
    tree.below.values().map(spread_message).collect()
}

fn spread_message(node: &AttributeTree) -> ChatMessage {
    let results = node.step("function").into_iter().flat_map(|results| results.below.values());
    let results: Vec<ChatPart> = results.filter_map(printed_result).collect();
    let node = node.step("message").unwrap_or(node);
    let speaker = read_speaker(node.text("role").as_deref());
    let mut text = node.text("content").map(Cow::into_owned);
    // Some writers keep the parts, and their text once more.
    let parts = node.step("contents").filter(|_| text.is_none());
    for part in parts.into_iter().flat_map(|parts| parts.below.values()) {
        let part = part.step("message_content").unwrap_or(part);
        // What a model thinks is not what it says.
        let is_said = part.text("type").is_none_or(|kind| kind != "reasoning" && kind != "thinking");
        let more = part.text("text").filter(|_| is_said).unwrap_or_default();
        text.get_or_insert_default().push_str(&more);
    }
    if !results.is_empty() {
        return ChatMessage { speaker: Speaker::Tool, parts: results };
    }
    if speaker == Speaker::Tool {
        let id = node.text("tool_call_id").map(Cow::into_owned);
        let value = text.map(Into::into);
        let marks = OutcomeMarks::default();
        return ChatMessage { speaker, parts: vec![ChatPart::Result { id, value, marks }] };
    }
    let calls = node.step("tool_calls").into_iter().flat_map(|calls| calls.below.values());
    let calls =
        calls.map(|call| spread_call(call).unwrap_or_else(|| ChatPart::Unread("tool_calls".to_owned())));
    let parts = text.map(ChatPart::Text).into_iter().chain(calls).chain(spread_unknown(node)).collect();
    ChatMessage { speaker, parts }
}

/// Returns the keys of a message that have values below them, and that no vocabulary has.
fn spread_unknown(node: &AttributeTree<'_>) -> impl Iterator<Item = ChatPart> {
    const KNOWN: [&str; 5] = ["content", "contents", "tool_calls", "function", "function_call"];
    let words = node.below.iter().filter_map(|(step, below)| match step {
        AttributeStep::Word(word) if !below.below.is_empty() && !KNOWN.contains(word) => Some(*word),
        _ => None,
    });
    words.map(|word| ChatPart::Unread(word.to_owned()))
}

/// Reads a result in the form of `AutoGen`: an object with the id of the call, as JSON text.
fn printed_result(node: &AttributeTree) -> Option<ChatPart> {
    let mut result = parse_attribute(node.value?)?;
    let id = result.get("call_id")?.as_str().map(ToOwned::to_owned);
    let marks = OutcomeMarks::of_parsed(&result);
    let value = result.get_mut("content").map(Json::take);
    Some(ChatPart::Result { id, value, marks })
}

fn spread_call(node: &AttributeTree) -> Option<ChatPart> {
    let node = node.step("tool_call").unwrap_or(node);
    let function = node.step("function").unwrap_or(node);
    let arguments =
        function.text("arguments").map_or(Arguments::Unrecorded, |text| Arguments::from_text(&text));
    let name = function.text("name").filter(|name| !name.is_empty())?.into_owned();
    Some(ChatPart::Call { id: node.text("id").map(Cow::into_owned), name, arguments })
}

/// Attributes as a tree by the dots in their names.
#[derive(Debug, Default)]
struct AttributeTree<'a> {
    value: Option<&'a JsonNode<'a>>,
    below: BTreeMap<AttributeStep<'a>, AttributeTree<'a>>,
}

/// A step of a name. Numbers sort by value, before words.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum AttributeStep<'a> {
    Index(u32),
    Word(&'a str),
}

/// The most steps of a name: more than any message has, and few enough to bound the depth for hostile input.
const STEPS: usize = 12;

impl<'a> AttributeTree<'a> {
    fn of(attributes: impl Iterator<Item = (&'a str, &'a JsonNode<'a>)>) -> Self {
        let mut root = AttributeTree::default();
        for (name, value) in attributes {
            let steps = name
                // A hostile name of thousands of steps must not make a tree of that depth.
                .splitn(STEPS, '.')
                .map(|step| step.parse().map_or(AttributeStep::Word(step), AttributeStep::Index));
            let node = steps.fold(&mut root, |node, step| node.below.entry(step).or_default());
            node.value = Some(value);
        }
        root
    }

    fn step(&self, name: &'a str) -> Option<&AttributeTree<'a>> {
        self.below.get(&AttributeStep::Word(name))
    }

    fn text(&self, name: &'a str) -> Option<Cow<'a, str>> {
        match self.step(name)?.value? {
            JsonNode::Null => None,
            JsonNode::String(text) => Some(Cow::Borrowed(text)),
            other => Some(Cow::Owned(other.to_json().to_string())),
        }
    }
}
