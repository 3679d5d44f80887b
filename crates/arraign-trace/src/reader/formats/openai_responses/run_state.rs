//! The state of an Agents SDK run, of Python or of JavaScript: the input, the items of the run, and the tokens.

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::usage::UsageTotal;
use crate::reader::error::DecodeError;
use crate::reader::formats::openai_responses::TOKENS;
use crate::reader::formats::openai_responses::items::Items;
use crate::reader::json::input::{At, Record};
use crate::reader::json::object::read_each;
use crate::trace::{Role, Trace, Usage};

pub(crate) fn read(record: Record) -> Result<Trace, DecodeError> {
    let at = record.at;
    JsonObject::of(record.value, "the state of a run")
        .and_then(|state| trace(at, state))
        .map_err(|error| at.in_record(error))
}

fn trace(at: At, mut state: JsonObject) -> Result<Trace, DecodeError> {
    let mut items = Items::default();
    items.builder.enter_record(at);
    add_input(&mut items, state.take(&["original_input", "originalInput"]))?;
    for (index, value) in items_of(&mut state)?.into_iter().enumerate() {
        let spot = RecordSpot::item(at, "generated_items", index);
        let evidence = items.builder.open_record(spot, &value);
        add_item(&mut items, value).map_err(|error| error.at_key(index).at_key("generated_items"))?;
        items.builder.close_record(evidence);
    }
    let calls = state.list(&["model_responses", "modelResponses"])?;
    let trace = items.trace();
    trace.model = find_last(&calls, "model");
    trace.id = find_last(&calls, "response_id").or_else(|| find_last(&calls, "responseId"));
    let agent = state.take(&["current_agent", "currentAgent"]);
    trace.agent = agent.and_then(|agent| agent.get("name")?.as_str().map(ToOwned::to_owned));
    // The total of the run is exact; the sum of the calls may lack some of them.
    trace.usage = match total(&mut state)? {
        Some(total) => Some(total),
        None => sum(calls)?,
    };
    Ok(items.builder.finish())
}

/// Takes all items of the run. If the history was rewritten, `generated_items` contains only the next request.
fn items_of<'t>(state: &mut JsonObject<'t>) -> Result<Vec<JsonNode<'t>>, DecodeError> {
    let items = state.list(&["session_items"])?;
    if items.is_empty() { state.list(&["generated_items", "generatedItems"]) } else { Ok(items) }
}

fn add_input(items: &mut Items, input: Option<JsonNode>) -> Result<(), DecodeError> {
    match input {
        Some(JsonNode::String(text)) => items.say(Role::User, &text),
        Some(JsonNode::Array(list)) => {
            for (index, item) in list.into_iter().enumerate() {
                items.add(item, None).map_err(|error| error.at_key(index).at_key("original_input"))?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Adds an item of a run: the raw item, with the value that the tool really returned.
fn add_item(items: &mut Items, value: JsonNode) -> Result<(), DecodeError> {
    let mut item = JsonObject::of(value, "an item")?;
    let Some(mut raw) = item.object(&["raw_item", "rawItem"])? else { return Ok(()) };
    let kind = item.text(&["type"])?.unwrap_or_default();
    let id = raw.get("call_id").or_else(|| raw.get("callId")).and_then(JsonNode::as_str);
    // A call that waits for an approval is written again.
    if kind == "tool_approval_item" && id.is_some_and(|id| items.builder.knows(id)) {
        return Ok(());
    }
    // The raw item has the output as a text for the model. The value itself says more.
    if let Some(output) = item.take(&["output"]).filter(|output| output.is_object() || output.is_array())
        && raw.get("output").is_some_and(is_text)
    {
        raw.insert("output", output);
    }
    items.add(JsonNode::Object(raw), None)
}

/// Whether the output that was sent to the model is a text, plain or in an object.
fn is_text(output: &JsonNode) -> bool {
    output.is_string() || output.get("text").is_some_and(JsonNode::is_string)
}

/// Returns the text under `name` of the last model call that has one, in itself or in its first output.
fn find_last(calls: &[JsonNode], name: &str) -> Option<String> {
    let mut last_first = calls.iter().rev();
    let text = last_first.find_map(|call| {
        call.text_under(name).or_else(|| call.get("output")?.first()?.get("provider_data")?.text_under(name))
    });
    text.map(ToOwned::to_owned)
}

/// Reads the tokens of the run, including agents that were tools.
fn total(state: &mut JsonObject) -> Result<Option<Usage>, DecodeError> {
    let usage = state.within(&["context"], |mut context| TOKENS.read_from(&mut context, &["usage"]))?;
    Ok(usage.flatten().filter(|usage| usage.input_tokens > 0 || usage.output_tokens > 0))
}

fn sum(calls: Vec<JsonNode>) -> Result<Option<Usage>, DecodeError> {
    let mut tally = UsageTotal::default();
    let read = read_each(calls, |call| {
        tally.add(TOKENS.read_from(&mut JsonObject::of(call, "a model call")?, &["usage"])?);
        Ok(())
    });
    read.map_err(|error| error.at_key("model_responses"))?;
    Ok(tally.total())
}
