//! A later version of a writer may rename what marks a call. Then no run may look as if it made no calls.
//!
//! In each sample of each reader, each mark of a call is renamed. What is read then either has all the calls, or says
//! that calls may be missing; or nothing is read at all. A renamed mark of failure is no success.

use std::collections::BTreeSet;

use arraign_trace::reader;
use arraign_trace::trace::{CallStatus, StatusMark, Trace};

use crate::samples;

/// The marks of calls, by reader: values of types, and keys. A reader without an entry fails the test.
const MARKS: &[(&str, &[&str])] = &[
    ("a2a", &["status", "artifact", "message"]),
    ("acp", &["tool_call", "tool_call_update", "sessionUpdate", "session/update"]),
    ("adk", &["functionCall", "function_call", "functionResponse", "function_response"]),
    ("ag-ui", &["TOOL_CALL_START", "TOOL_CALL_CHUNK", "toolCalls"]),
    ("anthropic", &["tool_use", "server_tool_use", "mcp_tool_use"]),
    ("atif", &["tool_calls"]),
    ("bedrock", &["toolUse", "contentBlockStart"]),
    ("claude-code", &["tool_use"]),
    (
        "codex",
        &[
            "function_call",
            "custom_tool_call",
            "local_shell_call",
            "command_execution",
            "mcp_tool_call",
            "exec_command_begin",
            "mcp_tool_call_begin",
        ],
    ),
    ("copilot", &["toolRequests", "assistant.message", "tool.execution_start"]),
    ("episodes", &["tool_call"]),
    ("evalview", &["steps", "tool_name"]),
    ("gemini", &["functionCall", "contents", "content"]),
    ("gemini-cli", &["toolCalls", "tool_use"]),
    ("inspect", &["tool_calls", "tool", "event", "events"]),
    (
        "langchain",
        &[
            "tool_calls",
            "tool_call_chunks",
            "server_tool_use",
            "server_tool_call",
            "on_tool_start",
            "on_tool_end",
            "on_chat_model_end",
        ],
    ),
    ("llamaindex", &["tool_call", "tool_calls", "tool_kwargs", "tool_id", "blocks"]),
    ("maf", &["function_call", "functionCall"]),
    ("mcp", &["tools/call"]),
    ("mcplab", &["tool_use"]),
    ("model-exchanges", &["tool_calls", "tool_use"]),
    ("native", &["steps", "calls", "call"]),
    ("openai-chat", &["tool_calls", "function_call", "function", "custom"]),
    (
        "openai-responses",
        &[
            "function_call",
            "custom_tool_call",
            "mcp_call",
            "mcp_approval_request",
            "hosted_tool_call",
            "web_search_call",
            "local_shell_call",
            "tool_calls",
            "function",
        ],
    ),
    ("opencode", &["tool", "tool_use"]),
    (
        "otel",
        &[
            "tool_call",
            "execute_tool",
            "TOOL",
            "gen_ai.operation.name",
            "openinference.span.kind",
            "langfuse.observation.type",
            "arrayValue",
            "kvlistValue",
            "values",
        ],
    ),
    ("pi", &["toolCall", "message", "message_end"]),
    ("pydantic-ai", &["tool-call", "builtin-tool-call"]),
    ("qwen-code", &["functionCall", "message", "parts"]),
    ("rig", &["toolcall", "function"]),
    ("run-lines", &["tool_calls"]),
    ("semantic-kernel", &["function_call", "FunctionCallContent", "items"]),
    ("tool-events", &["tool_call"]),
    ("vercel-ai", &["tool-call", "toolCalls", "tool-input-available", "tool-invocation"]),
];

/// The names that a later version may give to a mark.
fn renamed(mark: &str) -> [String; 2] {
    [format!("{mark}_v2"), format!("future_{mark}")]
}

/// The text with each mark renamed, in JSON and in JSON inside of a text.
fn rename(text: &str, mark: &str, name: &str) -> String {
    let plain = text.replace(&format!("\"{mark}\""), &format!("\"{name}\""));
    plain.replace(&format!("\\\"{mark}\\\""), &format!("\\\"{name}\\\""))
}

fn names(runs: &[Trace]) -> Vec<String> {
    let mut names: Vec<String> =
        runs.iter().flat_map(|run| &run.calls).map(|call| call.name.clone()).collect();
    names.sort();
    names
}

/// Whether a run that lost calls says so: each run without calls does, and one run if any call is missing.
fn is_honest(before: &[Trace], after: &[Trace]) -> bool {
    let says = |run: &Trace| run.calls_unrecorded.is_some();
    names(before) == names(after) || after.iter().any(says)
}

#[test]
fn a_renamed_mark_of_a_call_is_never_a_run_without_calls() {
    let mut green = Vec::new();
    for reader in reader::READERS {
        let (_, marks) =
            MARKS.iter().find(|(name, _)| *name == reader.name).expect("each reader has an entry in MARKS");
        let (_, samples) =
            samples::named_samples().into_iter().find(|(name, _)| name == reader.name).expect("samples");
        for mark in *marks {
            let marked = samples.iter().filter(|(_, text)| text.contains(&format!("\"{mark}\"")));
            let mut count = 0;
            for (file, text) in marked {
                count += 1;
                green.extend(
                    renamed(mark).iter().filter_map(|name| lost_calls(reader.name, file, text, mark, name)),
                );
            }
            if count == 0 {
                green.push(format!("{}: no sample has the mark `{mark}`", reader.name));
            }
        }
    }
    assert!(green.is_empty(), "{} look as if they made no calls:\n{}", green.len(), green.join("\n"));
}

/// What is wrong with the reading of a sample whose mark has another name.
fn lost_calls(reader: &str, file: &str, text: &str, mark: &str, name: &str) -> Option<String> {
    let before = reader::read(text, None).expect("a sample").runs;
    let after = reader::read(&rename(text, mark, name), None).ok()?;
    if is_honest(&before, &after.runs) {
        return None;
    }
    let read = names(&after.runs);
    let format = after.format;
    Some(format!("{reader}/{file}: `{mark}` as `{name}` is read as {format}: {read:?}"))
}

/// Each word of a sample may be the mark of a call: a key, a type, a role.
#[test]
fn no_renamed_word_makes_a_run_look_as_if_it_made_no_calls() {
    let mut green = Vec::new();
    for (reader, mut samples) in samples::named_samples() {
        samples.sort_by_key(|(_, text)| text.len());
        for (file, text) in samples.iter().take(4) {
            let Ok(before) = reader::read(text, None) else { continue };
            for word in list_words(text) {
                let later = reader::read(&rename(text, word, &format!("{word}_v2")), None);
                if later.is_ok_and(|later| count_silent(&later.runs) > count_silent(&before.runs)) {
                    green.push(format!("{reader}/{file}: `{word}`"));
                }
            }
        }
    }
    assert!(green.is_empty(), "{} look as if they made no calls:\n{}", green.len(), green.join("\n"));
}

/// The keys of a text and its values of one word.
fn list_words(text: &str) -> BTreeSet<&str> {
    let is_word = |word: &&str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.$/-".contains(c);
        (1..=40).contains(&word.len()) && word.chars().all(is_plain)
    };
    text.split(['"', '\\']).filter(is_word).collect()
}

/// The runs without calls that do not say that calls may be missing.
fn count_silent(runs: &[Trace]) -> usize {
    runs.iter().filter(|run| run.calls.is_empty() && run.calls_unrecorded.is_none()).count()
}

/// Parts of words that say that a call failed, or that it did not.
const OUTCOMES: &[&str] =
    &["error", "fail", "status", "success", "outcome", "exit", "denied", "declined", "exception", "reject"];

/// A call that failed does not become one that worked when a word for its outcome gets another name or another spelling:
/// it still is an error, or unclear, or the file is not read completely.
#[test]
fn a_renamed_mark_of_failure_is_never_a_success() {
    let mut green = Vec::new();
    let mut count = 0;
    for (reader, samples) in samples::named_samples() {
        for (file, text) in &samples {
            let Ok(before) = reader::read(text, None) else { continue };
            let failed = count_doubtful(&before.runs);
            if failed == 0 {
                continue;
            }
            let is_outcome =
                |word: &&&str| OUTCOMES.iter().any(|part| word.to_ascii_lowercase().contains(part));
            for word in list_words(text).iter().filter(is_outcome) {
                let later = renamed(word).into_iter().chain([respell(word)]).filter(|name| name != word);
                for name in later {
                    count += 1;
                    let Ok(after) = reader::read(&rename(text, word, &name), None) else { continue };
                    let is_unread = |run: &Trace| !run.unread.is_empty() || run.calls_unrecorded.is_some();
                    if count_doubtful(&after.runs) < failed && !after.runs.iter().any(is_unread) {
                        green.push(format!("{reader}/{file}: `{word}` as `{name}`"));
                    }
                }
            }
        }
    }
    assert!(count > 500, "only {count} names of marks were changed");
    assert!(green.is_empty(), "{} look as if their calls worked:\n{}", green.len(), green.join("\n"));
}

/// The calls that failed, or may have failed.
fn count_doubtful(runs: &[Trace]) -> usize {
    let is_doubtful = |call: &&arraign_trace::trace::Call| {
        call.status == CallStatus::Error || matches!(call.status_mark, StatusMark::Unclear(_))
    };
    runs.iter().flat_map(|run| &run.calls).filter(is_doubtful).count()
}

/// A word in camel case if it is in snake case, and the other way round.
fn respell(word: &str) -> String {
    let mut other = String::new();
    let mut is_next = false;
    for letter in word.chars() {
        match letter {
            '_' => is_next = true,
            letter if std::mem::take(&mut is_next) => other.push(letter.to_ascii_uppercase()),
            letter if letter.is_ascii_uppercase() && !word.contains('_') => {
                other.extend(
                    [(!other.is_empty()).then_some('_'), Some(letter.to_ascii_lowercase())]
                        .into_iter()
                        .flatten(),
                );
            }
            letter => other.push(letter.to_ascii_lowercase()),
        }
    }
    other
}

/// Files of writers that no reader knows, or that are not read completely.
#[test]
fn no_file_of_an_unknown_writer_is_a_run_without_calls() {
    for (file, text) in samples::frameworks() {
        let Ok(recording) = reader::read(&text, None) else { continue };
        let is_forbidden = |run: &Trace| !run.calls.is_empty() || run.calls_unrecorded.is_some();
        assert!(
            recording.runs.iter().any(is_forbidden),
            "{file}: it is read as {} without a call",
            recording.format
        );
    }
}
