//! The content of a model's message in order: its texts, and between them the calls of tools that the provider runs.
//!
//! Calls of the agent's own tools are in a separate list, and repeated here. The repetitions are not read.

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::formats::anthropic;
use crate::reader::formats::langchain::message;
use crate::reader::formats::openai_responses::items;
use crate::trace::Call;

/// Kinds of blocks that contain no call, or a call that is in a separate list.
const WITHOUT_CALLS: [&str; 22] = [
    "",
    "text",
    "tool_use",
    "tool_call",
    "tool_call_chunk",
    "invalid_tool_call",
    "input_json_delta",
    "function_call",
    "custom_tool_call",
    "thinking",
    "redacted_thinking",
    "reasoning",
    "reasoning_content",
    "image",
    "image_url",
    "audio",
    "video",
    "file",
    "text-plain",
    "refusal",
    "document",
    "mcp_list_tools",
];

/// Adds the content of a message by the agent at this path.
pub(crate) fn add(builder: &mut TraceBuilder, content: Option<JsonNode>, path: &[String]) {
    let Some(JsonNode::Array(blocks)) = content else {
        builder.text(&message::text_of(content));
        return;
    };
    for block in blocks {
        match block {
            JsonNode::Object(block) => add_block(builder, block, path),
            other => builder.text(&other.into_text().unwrap_or_default()),
        }
    }
}

fn add_block(builder: &mut TraceBuilder, block: JsonObject, path: &[String]) {
    let kind = block.get("type").and_then(JsonNode::as_str).unwrap_or_default().to_owned();
    match kind.as_str() {
        "server_tool_result" => settle(builder, block),
        "tool_result" => {}
        kind if kind.ends_with("_tool_result") => {
            // A result without the id of its call cannot be joined.
            let _ = anthropic::answer(builder, block);
        }
        kind => match call(kind, block) {
            Ok(call) => builder.call(Call { agent_path: path.to_vec(), ..call }),
            Err(block) if block.get("text").or_else(|| block.get("refusal")).is_some() => {
                builder.text(&message::text_of(Some(JsonNode::Array(vec![JsonNode::Object(block)]))));
            }
            Err(_) => builder.pass_over(kind, &WITHOUT_CALLS),
        },
    }
}

/// Returns the call of a provider's tool, or the block itself if it is no call.
fn call<'t>(kind: &str, mut block: JsonObject<'t>) -> Result<Call, JsonObject<'t>> {
    let call = match kind {
        "server_tool_use" | "mcp_tool_use" => anthropic::call(block.clone()).ok(),
        "server_tool_call" => standard(&mut block),
        kind => items::provider_call(kind, &block),
    };
    call.ok_or(block)
}

/// Reads a call in the library's own form, which does not depend on the provider.
fn standard(block: &mut JsonObject) -> Option<Call> {
    let name = block.string(&["name"]).ok()??;
    let arguments = block.arguments("args");
    Some(Call { id: block.string(&["id"]).ok()?, ..Call::new(name, arguments, 0) })
}

fn settle(builder: &mut TraceBuilder, mut block: JsonObject) {
    let id = block.text(&["tool_call_id"]).ok().flatten();
    let marks = OutcomeMarks::of(&block);
    let Some(call) = builder.waiting(id.as_deref(), None) else {
        builder.compare_result(id.as_deref(), &marks, Unmarked::Worked);
        return;
    };
    marks.settle(call, Unmarked::Worked);
    call.result = block.take(&["output"]).map(JsonNode::into_json);
}
