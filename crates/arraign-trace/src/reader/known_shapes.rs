//! Files that no built-in reader reads, and that are known all the same: a declared reader is shipped for them, or an import.
//!
//! A refusal then says what the file is and what reads it. Nothing is read by these marks.

use crate::json::JsonNode;
use crate::reader::json::input::Input;

/// What a file is, and what reads it.
struct KnownShape {
    name: &'static str,
    advice: &'static str,
    /// Whether a record has what only this format has.
    is_one: fn(&JsonNode) -> bool,
}

const fn declared(name: &'static str, advice: &'static str, is_one: fn(&JsonNode) -> bool) -> KnownShape {
    KnownShape { name, advice, is_one }
}

const SHAPES: [KnownShape; 13] = [
    declared("Agno", "agno", |record| {
        (record.has_key("run_id")
            && item(record, "messages").is_some_and(|message| message.has_key("from_history")))
            || record.text_under("event").is_some_and(|event| event == "RunStarted")
    }),
    declared("AutoGen", "autogen", |record| {
        item(record, "messages")
            .or(Some(record))
            .is_some_and(|message| message.has_key("source") && message.has_key("models_usage"))
    }),
    declared("CrewAI", "crewai", |record| record.has_key("tasks_output")),
    declared("DSPy", "dspy", |record| {
        record.get("trajectory").is_some_and(|trajectory| trajectory.has_key("tool_name_0"))
            || record.has_key("outputs") && record.has_key("messages")
    }),
    declared("Haystack", "haystack", |record| {
        let message = item(record, "messages").unwrap_or(record);
        message.has_key("meta") && message.has_key("role") && message.has_key("content")
    }),
    declared("AG2", "ag2", |record| {
        record.text_under("type").is_some_and(|kind| kind == "ModelRequest" || kind == "ModelResponse")
    }),
    declared("smolagents", "smolagents", |record| {
        let step = item(record, "steps").unwrap_or(record);
        step.has_key("model_output_message") || step.has_key("task") && step.has_key("task_images")
    }),
    declared("OpenHands", "openhands", |record| {
        record
            .text_under("kind")
            .is_some_and(|kind| ["SystemPromptEvent", "MessageEvent", "ActionEvent"].contains(&kind))
    }),
    declared("goose", "goose", |record| record.has_key("working_dir") && record.has_key("conversation")),
    declared("SWE-agent", "swe-agent", |record| {
        record.get("trajectory").is_some_and(JsonNode::is_array) && record.has_key("history")
    }),
    declared("tau-bench", "tau-bench", |record| record.has_key("traj") && record.has_key("task_id")),
    declared("an ADK eval set", "cargo arraign import --from adk", |record| {
        record.has_key("eval_set_id") || record.has_key("eval_cases")
    }),
    declared("a HAR file", "", |record| record.pointer("/log/entries").is_some()),
];

/// Returns the first element of the list under `key`.
fn item<'v, 't>(record: &'v JsonNode<'t>, key: &str) -> Option<&'v JsonNode<'t>> {
    record.get(key)?.first()
}

/// Says what a file is that no reader reads, and what to do with it; `None` if it is not known.
pub(crate) fn describe_shape(input: &Input) -> Option<String> {
    const LOOKED_AT: usize = 8;
    let mut records = input.records.iter().take(LOOKED_AT);
    let shape = records.find_map(|record| SHAPES.iter().find(|shape| (shape.is_one)(&record.value)))?;
    let KnownShape { name, advice, .. } = shape;
    Some(if advice.is_empty() {
        format!("this looks like {name}, for which there is no reader")
    } else if advice.starts_with("cargo") {
        format!("this looks like {name}: `{advice}` makes cases of it")
    } else {
        format!("this looks like {name}: `readers: [{advice}]` in arraign.yaml declares its reader")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_known_is_named() {
        for (text, name) in [
            (r#"{"run_id": "1", "messages": [{"role": "user", "from_history": false}]}"#, "Agno"),
            (r#"{"messages": [{"source": "user", "models_usage": null, "type": "TextMessage"}]}"#, "AutoGen"),
            (r#"{"tasks_output": []}"#, "CrewAI"),
            (r#"{"trajectory": {"tool_name_0": "look"}}"#, "DSPy"),
            (r#"[{"role": "user", "meta": {}, "content": [{"text": "hi"}]}]"#, "Haystack"),
            (r#"[{"type": "ModelRequest"}]"#, "AG2"),
            (r#"[{"task": "hi", "task_images": null}, {"model_output_message": {}}]"#, "smolagents"),
            (r#"[{"kind": "ActionEvent"}]"#, "OpenHands"),
            (r#"{"eval_set_id": "s", "eval_cases": []}"#, "import --from adk"),
        ] {
            let input = Input::parse(text).expect("JSON");
            let said = describe_shape(&input).unwrap_or_default();
            assert!(said.contains(name), "{text}: {said}");
        }
        assert_eq!(describe_shape(&Input::parse(r#"{"a": 1}"#).expect("JSON")), None);
    }
}
