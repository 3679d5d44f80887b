//! The messages to the model, in steps and stream parts that keep the body of the first request.

use crate::json::{JsonNode, JsonObject, parse_borrowed};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::formats::vercel_ai::message::text_of;
use crate::trace::Role;

/// Adds the system and user messages of `request`, whose body may be JSON or text.
pub(crate) fn hear(builder: &mut TraceBuilder, request: Option<JsonNode>) {
    let Some(mut request) = request.and_then(|request| JsonObject::of(request, "it").ok()) else { return };
    match request.take(&["body"]) {
        Some(JsonNode::String(text)) => {
            let _ = parse_borrowed(&text).map(|body| hear_body(builder, body));
        }
        body => hear_body(builder, body.unwrap_or_default()),
    }
}

fn hear_body(builder: &mut TraceBuilder, body: JsonNode) {
    let Ok(mut body) = JsonObject::of(body, "a body") else { return };
    if let Some(system) = body.take(&["system", "instructions"]) {
        builder.say(Role::System, &text_of(system));
    }
    for message in body.list(&["messages", "input"]).unwrap_or_default() {
        let Ok(mut message) = JsonObject::of(message, "a message") else { continue };
        let role = match message.get("role").and_then(JsonNode::as_str) {
            Some("system" | "developer") => Role::System,
            Some("user") => Role::User,
            // The model's own messages are told by the steps.
            _ => continue,
        };
        builder.say(role, &text_of(message.take(&["content"]).unwrap_or_default()));
    }
}
