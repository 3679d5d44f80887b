//! One answer of a mock tool.

use std::num::NonZeroU32;

use serde::Deserialize;

use crate::JsonSchema;
use crate::case::{MockAnswer, MockContent};
use crate::check::arguments::{
    ArgumentsMatcher, ArgumentsMode, IgnoredPaths, ToolArguments, WrittenArguments, read_arguments,
};
use crate::json::{Json, JsonMap, json};
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Build, Node, OneOrMany, Placed, TimeLimit, Unparsed, even_null, read_all};

/// The types of content in MCP, each with the keys that it needs.
const BLOCKS: [(&str, &[&str]); 5] = [
    ("text", &["text"]),
    ("image", &["data", "mimeType"]),
    ("audio", &["data", "mimeType"]),
    ("resource", &["resource"]),
    ("resource_link", &["uri", "name"]),
];

/// What a tool answers.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "mock_answer")]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenAnswer {
    /// The arguments to which the answer applies. Default: all.
    #[serde(default, deserialize_with = "even_null")]
    when: Option<Unparsed<WrittenArguments>>,
    /// How often the answer is given. Default: always.
    times: Option<NonZeroU32>,
    /// A text, or a value that is sent as JSON.
    #[serde(rename = "return", default, deserialize_with = "even_null")]
    returned: Option<Json>,
    /// Blocks of content in the form of MCP, or texts.
    content: Option<Placed<OneOrMany<Placed<Json>>>>,
    /// Whether the tool says that it failed.
    #[serde(default)]
    failed: bool,
    /// How long the answer takes.
    delay: Option<TimeLimit>,
}

impl Build for WrittenAnswer {
    type Built = MockAnswer;

    fn build(written: Placed<Self>) -> Result<MockAnswer, LoadErrors> {
        let mut errors = LoadErrors::new();
        let when = written.when.as_ref().and_then(|when| errors.take(parse_when(when.node())));
        let content = match (&written.returned, &written.content) {
            (Some(_), Some(content)) => {
                errors.push(content.error("an answer has a `return` or a `content`, not both"));
                None
            }
            (Some(value), None) => Some(MockContent::Value(value.clone())),
            (None, Some(blocks)) => {
                errors.take(read_all(blocks.0.iter().map(build_block))).map(MockContent::Blocks)
            }
            (None, None) => {
                errors.push(written.error("an answer needs its `return`: a text or a value"));
                None
            }
        };
        let times = written.times.map(NonZeroU32::get);
        let failed = written.failed;
        let delay = written.delay.map(|delay| delay.0);
        errors.or_some(content.map(|content| MockAnswer { when, times, content, failed, delay }))
    }
}

/// Other arguments than the written ones may have any value.
fn parse_when(node: Node<'_>) -> Result<ArgumentsMatcher, LoadErrors> {
    let ignored = IgnoredPaths::default();
    let defaults = JsonMap::new();
    let of_tool = ToolArguments { tool: "", ignored: &ignored, defaults: &defaults };
    read_arguments(node, ArgumentsMode::Superset, of_tool)
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
