//! One answer of a mock tool.

use crate::case::{MockAnswer, MockContent};
use crate::check::arguments::{ArgumentsMatcher, ArgumentsMode, IgnoredPaths, ToolArguments, read_arguments};
use crate::json::{Json, JsonMap, json};
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, read_all};

/// The types of content in MCP, each with the keys that it needs.
const BLOCKS: [(&str, &[&str]); 5] = [
    ("text", &["text"]),
    ("image", &["data", "mimeType"]),
    ("audio", &["data", "mimeType"]),
    ("resource", &["resource"]),
    ("resource_link", &["uri", "name"]),
];

/// Parses `{when, times, return | content, failed, delay}`.
pub(super) fn parse_answer(node: Node<'_>) -> Result<MockAnswer, LoadErrors> {
    let mut fields = Fields::of(node, "an answer")?;
    let when = fields.node("when").and_then(|node| fields.take(parse_when(node)));
    let times = fields.node("times").and_then(|node| fields.take(parse_times(node)));
    let content = match (fields.node("return"), fields.node("content")) {
        (Some(_), Some(content)) => {
            fields.errors.push(content.error("an answer has a `return` or a `content`, not both"));
            None
        }
        (Some(value), None) => Some(MockContent::Value(value.to_json())),
        (None, Some(blocks)) => {
            let blocks = read_all(blocks.one_or_many().into_iter().map(parse_block));
            fields.take(blocks).map(MockContent::Blocks)
        }
        (None, None) => {
            let error = node.error("an answer needs its `return`: a text or a value");
            fields.missing(&["return"], error);
            None
        }
    };
    let failed = fields.optional("failed").unwrap_or(false);
    let delay = fields.node("delay").and_then(|node| fields.take(node.parse_time("delay")));
    fields.finish_some(content.map(|content| MockAnswer { when, times, content, failed, delay }))
}

/// Other arguments than the written ones may have any value.
fn parse_when(node: Node<'_>) -> Result<ArgumentsMatcher, LoadErrors> {
    let (ignored, defaults) = (IgnoredPaths::default(), JsonMap::new());
    let of_tool = ToolArguments { tool: "", ignored: &ignored, defaults: &defaults };
    read_arguments(node, ArgumentsMode::Superset, of_tool)
}

fn parse_times(node: Node<'_>) -> Result<u32, LoadError> {
    let times = node.decode::<u32>().ok().filter(|times| *times > 0);
    times.ok_or_else(|| node.error("`times` is how often the answer is given: a number from 1"))
}

/// A text, or a block in the form of MCP.
fn parse_block(node: Node<'_>) -> Result<Json, LoadError> {
    if let Some(text) = node.as_str() {
        return Ok(json!({"type": "text", "text": text}));
    }
    let block = node.to_json();
    let Some((_, keys)) = BLOCKS.iter().find(|(name, _)| block["type"] == *name) else {
        let names = BLOCKS.map(|(name, _)| name).join("`, `");
        return Err(node.error(format!("a block of `content` is a text, or has a `type`: `{names}`")));
    };
    match keys.iter().find(|key| block[**key].is_null()) {
        Some(key) => Err(node.error(format!("this block of `content` needs its `{key}`"))),
        None => Ok(block),
    }
}
