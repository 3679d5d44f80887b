//! A later version of a writer may rename what marks a call. Its files must not become runs without calls.

use std::fs;
use std::path::Path;

use arraign_trace::reader;

/// A sample, and the text in it by which its reader knows calls.
const MARKS: &[(&str, &str)] = &[
    ("bedrock/messages.json", "toolUse"),
    ("bedrock/converse_log.jsonl", "toolUse"),
    ("bedrock/invocation_log.constructed.jsonl", "toolUse"),
    ("bedrock/stream.constructed.jsonl", "toolUse"),
    ("bedrock/stream.constructed.jsonl", "contentBlockStart"),
    ("copilot/output.jsonl", "toolRequests"),
    ("copilot/output.jsonl", "assistant.message"),
    ("copilot/output.jsonl", "tool.execution_start"),
    ("copilot/events.denied.jsonl", "assistant.message"),
    ("opencode/run.jsonl", "tool"),
    ("opencode/run.jsonl", "tool_use"),
    ("opencode/export.json", "tool"),
    ("pi/session.jsonl", "toolCall"),
    ("pi/session.jsonl", "message"),
    ("pi/mode-json.jsonl", "toolCall"),
    ("pi/mode-json.jsonl", "message_end"),
    ("pi/messages.json", "toolCall"),
];

#[test]
fn a_renamed_mark_of_a_call_never_leaves_a_complete_run_without_calls() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader");
    for (sample, mark) in MARKS {
        let text = fs::read_to_string(folder.join(sample)).expect("a sample");
        let renamed = text.replace(&format!("\"{mark}\""), &format!("\"{mark}_v2\""));
        assert_ne!(text, renamed, "{sample}: {mark}");
        let Ok(recording) = reader::read(&renamed, None) else { continue };
        let calls = reader::read(&text, None).expect("a run").runs[0].calls.len();
        for run in recording.runs {
            assert!(run.calls_unrecorded.is_some() || run.calls.len() == calls, "{sample}: {mark}: {run:#?}");
        }
    }
}
