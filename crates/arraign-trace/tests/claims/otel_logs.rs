//! A file of log records alone holds the conversation that the same records tell beside their spans.

use arraign_trace::json::{self, Json, JsonMap, json};
use arraign_trace::reader;
use arraign_trace::trace::Trace;

use crate::samples;

fn sample() -> Vec<Json> {
    let formats = samples::named_samples();
    let (_, files) = formats.iter().find(|(name, _)| name == "otel").expect("a folder");
    let (_, text) = files.iter().find(|(file, _)| file == "openai_v2.logs.otlp.jsonl").expect("a file");
    text.lines().map(|line| json::from_str(line).expect("JSON")).collect()
}

fn read(records: &[Json]) -> Trace {
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    let recording = reader::read(&lines.join("\n"), None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((recording.format, recording.runs.len()), ("otel", 1));
    recording.runs.into_iter().next().expect("a run")
}

fn logs(records: &[Json]) -> Vec<Json> {
    records.iter().filter(|record| record.get("resourceLogs").is_some()).cloned().collect()
}

/// A value of OTLP without its type.
fn plain(value: &Json) -> Json {
    let (kind, value) = value.as_object().and_then(|tagged| tagged.iter().next()).expect("a tagged value");
    match kind.as_str() {
        "kvlistValue" => Json::Object(pairs(&value["values"])),
        "arrayValue" => value["values"].as_array().expect("values").iter().map(plain).collect(),
        _ => value.clone(),
    }
}

fn pairs(list: &Json) -> JsonMap {
    let pair = |pair: &Json| (pair["key"].as_str().expect("a key").to_owned(), plain(&pair["value"]));
    list.as_array().expect("pairs").iter().map(pair).collect()
}

/// The log records as a console exporter prints them.
fn console(records: &[Json]) -> Vec<Json> {
    let scopes = records.iter().flat_map(|record| record["resourceLogs"].as_array().expect("resources"));
    let scopes = scopes.flat_map(|resource| resource["scopeLogs"].as_array().expect("scopes"));
    let records = scopes.flat_map(|scope| scope["logRecords"].as_array().expect("records"));
    let print = |record: &Json| {
        json!({"body": plain(&record["body"]), "severity_number": null, "attributes": pairs(&record["attributes"]),
            "observed_timestamp": "2026-11-22T18:57:45.493988Z", "event_name": record["eventName"],
            "trace_id": format!("0x{}", record["traceId"].as_str().expect("an id")),
            "span_id": format!("0x{}", record["spanId"].as_str().expect("an id"))})
    };
    records.map(print).collect()
}

fn assert_same(whole: &Trace, logs: &Trace) {
    assert_eq!(whole.calls, logs.calls);
    assert_eq!(whole.messages, logs.messages);
    assert_eq!((&whole.id, &whole.answer, &whole.stop_reason), (&logs.id, &logs.answer, &logs.stop_reason));
    assert!(logs.usage.is_none() && logs.duration_ms.is_none() && logs.unread.is_empty(), "{logs:#?}");
}

#[test]
fn log_records_without_their_spans_are_the_model_calls() {
    let records = sample();
    assert_same(&read(&records), &read(&logs(&records)));
}

#[test]
fn log_records_of_a_console_exporter_are_read_as_well() {
    let records = sample();
    assert_same(&read(&records), &read(&console(&logs(&records))));
}

#[test]
fn an_event_with_the_details_of_a_model_call_is_the_call() {
    let messages = |role: &str, part: Json| json!([{"role": role, "parts": [part]}]).to_string();
    let call = json!({"type": "tool_call", "id": "a", "name": "get_order", "arguments": {"id": 7}});
    let details = json!({"body": null, "severity_number": 9, "trace_id": "0x1", "span_id": "0x2",
        "event_name": "gen_ai.client.inference.operation.details", "timestamp": "2026-11-22T18:57:45.493988Z",
        "attributes": {"gen_ai.input.messages": messages("user", json!({"type": "text", "content": "Where?"})),
            "gen_ai.output.messages": messages("assistant", call), "gen_ai.usage.input_tokens": 100,
            "gen_ai.usage.output_tokens": 20}});
    let run = read(&[details]);
    assert_eq!((run.input.as_deref(), run.tool_names()), (Some("Where?"), vec!["get_order"]));
    assert_eq!(run.usage.map(|usage| usage.input_tokens), Some(100));
}

#[test]
fn log_records_without_messages_are_no_run() {
    let record = json!({"body": "started", "severity_number": 9, "trace_id": "0x1", "span_id": "0x2",
        "attributes": null, "event_name": ""});
    let error = reader::read(&record.to_string(), Some("otel")).expect_err("no run").to_string();
    assert!(error.contains("neither spans nor messages") || error.contains("no span"), "{error}");
}
