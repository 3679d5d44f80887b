//! The runs of a file that come one after the other are those of the file read as a whole.

use std::cell::Cell;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};

use crate::samples::{formats, put_together};
use arraign_trace::reader::{self, TraceError};
use arraign_trace::trace::{Trace, UnreadContent};

/// A buffer so small that every value lies across several.
fn runs(text: &str, format: Option<&str>) -> Result<Vec<Trace>, TraceError> {
    reader::runs(BufReader::with_capacity(61, Cursor::new(text)), format)?.collect()
}

fn assert_the_same(text: &str, name: &str) -> usize {
    let all = reader::read(text, None).unwrap_or_else(|error| panic!("{name}: {error}"));
    let file = || reader::runs(Cursor::new(text), None).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!((file().format(), file().len()), (all.format, all.runs.len()), "{name}");
    assert_eq!(runs(text, None).unwrap_or_else(|error| panic!("{name}: {error}")), all.runs, "{name}");
    for (number, run) in all.runs.iter().enumerate() {
        let found = file().nth(number).expect("a run").unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found, *run, "{name}: {number}");
    }
    assert!(file().nth(all.runs.len()).is_none(), "{name}");
    all.runs.len()
}

#[test]
fn the_runs_of_each_sample_are_the_same() {
    for (format, samples) in formats() {
        for text in samples {
            assert_the_same(&text, &format);
        }
    }
}

#[test]
fn the_runs_of_several_samples_in_one_file_are_the_same() {
    let mut several = Vec::new();
    for (format, text) in put_together() {
        if reader::read(&text, None).is_ok_and(|all| all.format == format) {
            several.push((assert_the_same(&text, &format), format));
        }
    }
    assert!(several.iter().filter(|(runs, _)| *runs > 1).count() > 30, "{several:?}");
}

/// A call may be in a record that belongs to no run, such as one whose type a later version of the writer has renamed.
#[test]
fn a_call_outside_of_all_runs_is_evidence_run_by_run_too() {
    let run =
        r#"{"type": "scenario_run", "scenario_id": "down", "error": "connection refused", "messages": []}"#;
    let call = r#"{"type": "tool_use", "id": "c", "name": "get_order", "input": {"id": "7"}}"#;
    let renamed = format!(
        r#"{{"type": "scenario_run_2", "scenario_id": "a", "messages": [{{"role": "assistant", "content": [{call}]}}]}}"#
    );
    let text = format!("{run}\n{renamed}\n");
    assert_eq!(assert_the_same(&text, "a renamed run"), 1);
    let one = reader::read_run(&mut Cursor::new(&text), None, "down").expect("a run");
    assert!(one.runs[0].calls_unrecorded.is_some(), "{one:?}");
    // Without a call in it, such a record makes nobody doubt the run.
    let harmless = format!("{run}\n{{\"type\": \"summary\"}}\n");
    assert_eq!(assert_the_same(&harmless, "a harmless record"), 1);
    assert!(reader::read(&harmless, None).expect("a run").runs[0].calls_unrecorded.is_none());
}

/// Calls of runs without a call that was read stand where the reader takes nothing apart.
#[test]
fn calls_outside_of_what_is_read_are_listed_for_the_same_runs_run_by_run() {
    let run = |id: &str, more: &str| {
        format!(r#"{{"type": "scenario_run", "scenario_id": "{id}", "error": "down", "messages": []{more}}}"#)
    };
    let call = |tool: &str| format!(r#"{{"type": "tool_use", "name": "{tool}", "input": {{"id": "7"}}}}"#);
    let log = |tool: &str| format!(r#", "log": [{}]"#, call(tool));
    let two = format!("{}\n{}\n", run("a", &log("get_order")), run("b", &log("refund")));
    assert_eq!(assert_the_same(&two, "two runs"), 2);
    let stray = format!("{}\n{{\"type\": \"later\", \"log\": [{}]}}\n", run("a", &log("x")), call("refund"));
    assert_eq!(assert_the_same(&stray, "a run and a stray record"), 1);
}

/// Alone, such a record would be read as messages.
#[test]
fn a_record_that_is_no_run_among_langsmith_runs_is_an_error_run_by_run_too() {
    let messages =
        r#"{"messages": [{"type": "human", "content": "hi"}, {"type": "ai", "content": "hello"}]}"#;
    let run = format!(
        r#"{{"id": "1", "trace_id": "a", "run_type": "chain", "name": "f", "inputs": {messages}, "outputs": {messages}}}"#
    );
    for (other, is_error) in [
        (messages.to_owned(), true),
        (format!(r#"{{"trace_id": "b", "outputs": {messages}}}"#), true),
        (run.replace(r#""trace_id": "a", "#, ""), false),
        (run.replacen('{', r#"{"event": "on_chain_end", "run_id": "2", "#, 1), false),
    ] {
        let text = format!("{run}\n{other}\n");
        let whole = reader::read(&text, None);
        assert_eq!(whole.is_err(), is_error, "{text}");
        assert_eq!(runs(&text, None).ok(), whole.ok().map(|all| all.runs), "{text}");
    }
}

/// The third record looks like the second one logged twice, if only the last of its two responses counts.
#[test]
fn a_key_that_comes_twice_in_a_record_of_a_log_is_an_error_run_by_run_too() {
    let question = r#"{"role": "user", "content": "Where?"}"#;
    let call = r#"{"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}"#;
    let result = r#"{"type": "function_call_output", "call_id": "c1", "output": "ok"}"#;
    let answer =
        r#"{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Here."}]}"#;
    let request = |input: &str| format!(r#""request": {{"model": "m", "input": [{input}]}}"#);
    let response = |id: &str, item: &str| {
        format!(r#""response": {{"id": "{id}", "object": "response", "output": [{item}]}}"#)
    };
    let first = format!("{{{}, {}}}", request(question), response("r1", call));
    let history = request(&format!("{question}, {call}, {result}"));
    let second = format!("{{{history}, {}}}", response("r2", answer));
    let twice = format!("{{{history}, {}, {}}}", response("r1", call), response("r2", answer));
    for (third, is_error) in [(&second, false), (&twice, true)] {
        let text = format!("{first}\n{second}\n{third}\n");
        let whole = reader::read(&text, None);
        assert_eq!(whole.is_err(), is_error, "{text}");
        assert_eq!(runs(&text, None).ok(), whole.ok().map(|all| all.runs), "{text}");
    }
}

/// The span stands where a scope belongs: no run has it, and the keys of its object count all the same.
#[test]
fn a_key_that_comes_twice_around_the_spans_is_an_error_run_by_run_too() {
    let span = r#"{"traceId": "t1", "spanId": "s1", "name": "chat m", "startTimeUnixNano": "1",
        "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}]}"#;
    for (scope, is_error) in [(r#"{"spanId": "s2"}"#, false), (r#"{"spanId": "s2", "spanId": "s3"}"#, true)] {
        let text = format!(r#"{{"resourceSpans": [{{"scopeSpans": [{{"spans": [{span}]}}, {scope}]}}]}}"#);
        let whole = reader::read(&text, Some("otel"));
        assert_eq!(whole.is_err(), is_error, "{text}");
        assert_eq!(runs(&text, Some("otel")).ok(), whole.ok().map(|all| all.runs), "{text}");
    }
}

/// Only one of two spans with one id says that it is an agent's, and only the second one began before the other run.
#[test]
fn a_span_that_contradicts_another_one_makes_its_trace_a_run_run_by_run_too() {
    let span = |trace: &str, start: u64, attribute: &str| {
        format!(
            r#"{{"traceId": "{trace}", "spanId": "s1", "name": "f", "startTimeUnixNano": "{start}",
                "attributes": [{{"key": "{attribute}", "value": {{"stringValue": "LLM"}}}}]}}"#
        )
    };
    let other = span("t2", 5, "openinference.span.kind");
    let plain = span("t1", 9, "http.route");
    let of_an_agent = span("t1", 1, "openinference.span.kind");
    for spans in [[&plain, &of_an_agent, &other], [&of_an_agent, &plain, &other]] {
        let spans = spans.map(String::as_str).join(", ");
        let text = format!(r#"{{"resourceSpans": [{{"scopeSpans": [{{"spans": [{spans}]}}]}}]}}"#);
        assert_eq!(assert_the_same(&text, &spans), 2);
        let run = &reader::read(&text, None).expect("two runs").runs[0];
        assert_eq!((run.id.as_deref(), run.unread.len()), (Some("t1"), 1), "{run:?}");
        assert_eq!(run.unread[0].what, UnreadContent::RepeatedId("s1".to_owned()));
        assert!(run.calls_unrecorded.is_some());
    }
}

/// The second request begins a conversation, and nothing of it can be read.
#[test]
fn a_conversation_without_content_is_no_run_run_by_run_either() {
    let answer = r#"{"candidates": [{"content": {"role": "model", "parts": [{"text": "Here."}]}}]}"#;
    let question = r#"{"contents": [{"role": "user", "parts": [{"text": "Where?"}]}]}"#;
    let text = format!(
        r#"{{"request": {question}, "response": {answer}}}
           {{"request": {{"question": "Why?"}}, "response": {{"candidates": [{{"finish": "STOP"}}]}}}}"#
    );
    let whole = reader::read(&text, Some("gemini")).expect("the log is read").runs;
    assert_eq!(whole.len(), 1);
    assert_eq!(runs(&text, Some("gemini")).ok(), Some(whole));
}

/// A trace of spans that are not of an agent may say what the agent said.
#[test]
fn spans_of_no_agent_make_an_empty_run_doubtful_run_by_run_too() {
    let span = |trace: &str, name: &str, attributes: &str| {
        format!(
            r#"{{"traceId": "{trace}", "spanId": "{trace}1", "name": "{name}", "startTimeUnixNano": "1", "endTimeUnixNano": "2", "attributes": [{attributes}]}}"#
        )
    };
    let agent = span("a", "chat", r#"{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}"#);
    let other = span("b", "log", r#"{"key": "x", "value": {"stringValue": "y"}, "message": "hello"}"#);
    let text = format!(r#"{{"resourceSpans": [{{"scopeSpans": [{{"spans": [{agent}, {other}]}}]}}]}}"#);
    assert_eq!(assert_the_same(&text, "two traces"), 1);
    assert!(reader::read(&text, None).expect("a run").runs[0].calls_unrecorded.is_some());
    // The same in a group whose list of spans has another name.
    let renamed = format!(
        r#"{{"resourceSpans": [{{"scopeSpans": [{{"spans": [{agent}]}}, {{"newSpans": [{other}]}}]}}]}}"#
    );
    assert_eq!(assert_the_same(&renamed, "a renamed list"), 1);
    assert!(reader::read(&renamed, None).expect("a run").runs[0].calls_unrecorded.is_some());
}

/// What can be read as a whole is read so run by run, and what cannot is an error there, too.
#[test]
fn a_file_cut_anywhere_is_read_as_it_is_as_a_whole() {
    for (format, samples) in formats() {
        for whole in samples {
            let step = whole.len() / 60 + 1;
            for end in (0..whole.len()).step_by(step).filter(|end| whole.is_char_boundary(*end)) {
                for named in [None, Some(format.as_str())] {
                    let text = &whole[..end];
                    let all = reader::read(&whole[..end], named);
                    assert_eq!(runs(text, named).ok(), all.ok().map(|all| all.runs), "{format}: {text}");
                }
            }
        }
    }
}

/// Three runs as JSON Lines, of which the second cannot be read.
const LINES: &str = r#"{"id": "a", "steps": [{"user": "hi"}, {"say": "one"}]}
{"id": "b", "steps": [{"call": "f", "exit_code": "nine"}]}
{"id": "c", "steps": [{"user": "hi"}, {"say": "three"}]}
"#;

#[test]
fn what_is_wrong_with_a_run_is_told_and_ends_the_runs() {
    let mut runs = reader::runs(Cursor::new(LINES), None).expect("a file");
    assert_eq!(runs.next().expect("a run").expect("it can be read").answer.as_deref(), Some("one"));
    let error = runs.next().expect("a run").expect_err("a broken run").to_string();
    assert_eq!(error, "native: line 2: /steps/0/exit_code: expected a whole number, found the text `nine`");
    assert!(runs.next().is_none());
    let last = reader::runs(Cursor::new(LINES), None).expect("a file").nth(2).expect("the last");
    assert_eq!(last.expect("a run").answer.as_deref(), Some("three"));
}

/// A file that says how much of it was read.
struct Counted<'c>(Cursor<&'c str>, &'c Cell<usize>);

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.set(self.1.get() + read);
        Ok(read)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

/// Holds that a file of several batches gives the same runs, and is read no more than `most` times.
fn assert_read_at_most(text: &str, most: usize) {
    let read = Cell::new(0);
    let file = BufReader::with_capacity(64 << 10, Counted(Cursor::new(text), &read));
    let found: Result<Vec<Trace>, _> = reader::runs(file, None).expect("a file").collect();
    assert_eq!(found.expect("its runs"), reader::read(text, None).expect("a file").runs);
    assert!(read.get() <= most * text.len() + (1 << 20), "{} of {}", read.get(), text.len());
    // What is read as a whole is read once.
    assert!(read.get() >= 2 * text.len(), "{} of {}", read.get(), text.len());
}

#[test]
fn logs_and_streams_of_several_runs_are_cut() {
    let long = "x".repeat(100 << 10);
    let logs: [fn(usize, &str) -> String; 4] = [
        |run, text| {
            format!(
                r#"{{"request":{{"messages":[{{"role":"user","content":"{run}"}}]}},"response":{{"choices":[{{"message":{{"role":"assistant","content":"{text}"}}}}]}}}}"#
            )
        },
        |run, text| {
            format!(
                r#"{{"request":{{"contents":[{{"role":"user","parts":[{{"text":"{run}"}}]}}]}},"response":{{"candidates":[{{"content":{{"role":"model","parts":[{{"text":"{text}"}}]}}}}]}}}}"#
            )
        },
        |run, text| {
            format!(
                r#"{{"messages":[{{"role":"user","content":[{{"type":"text","text":"{run}"}}]}},{{"role":"assistant","content":[{{"text":"{text}"}}]}}]}}"#
            )
        },
        |run, text| {
            format!(
                "{{\"type\":\"init\",\"session_id\":\"s{run}\",\"model\":\"m\"}}\n{{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"{text}\"}}"
            )
        },
    ];
    for log in logs {
        let runs: Vec<String> = (0..12).map(|run| log(run, &long)).collect();
        assert_read_at_most(&runs.join("\n"), 2);
    }
}

#[test]
fn lines_are_read_twice_however_many_batches_they_are() {
    let long = "x".repeat(1 << 20);
    let line = |number: usize| format!(r#"{{"id":"{number}","steps":[{{"call":"f","result":"{long}"}}]}}"#);
    let lines: Vec<String> = (0..11).map(line).collect();
    assert_read_at_most(&lines.join("\n"), 2);
}

/// Each trace has spans at both ends of the document: all are mixed with one another.
#[test]
fn traces_that_are_mixed_are_read_batch_by_batch() {
    let long = "x".repeat(4 << 20);
    let span = |number: usize| {
        format!(
            r#"{{"traceId":"{:032x}","spanId":"{number:016x}","name":"execute_tool","startTimeUnixNano":"{number}",
            "attributes":[{{"key":"gen_ai.operation.name","value":{{"stringValue":"execute_tool"}}}},
            {{"key":"gen_ai.tool.name","value":{{"stringValue":"f"}}}},
            {{"key":"gen_ai.tool.call.result","value":{{"stringValue":"{long}"}}}}]}}"#,
            5 - number % 5
        )
    };
    let spans: Vec<String> = (0..10).map(span).collect();
    let text = format!(
        r#"{{"resourceSpans":[{{"resource":{{}},"scopeSpans":[{{"spans":[{}]}}]}}]}}"#,
        spans.join(",")
    );
    assert_read_at_most(&text, 3);
}

#[test]
fn a_reader_that_the_user_names_refuses_a_large_file_as_it_refuses_a_small_one() {
    let line = |session: &str, kind: &str| {
        let message = r#"{"role": "assistant", "content": [{"type": "text", "text": "hi"}]}"#;
        format!("{{\"session_id\": \"{session}\", {kind}\"message\": {message}}}\n")
    };
    let known = line("a", "\"type\": \"assistant\", ");
    // The first 256 KiB are of the format, and a later line is not.
    for text in [known.clone() + &line("b", ""), known.repeat(3200) + &line("b", "")] {
        let whole = reader::read(&text, Some("claude-code")).expect_err("a line without a type").to_string();
        let pieces = reader::runs(Cursor::new(&text), Some("claude-code"));
        let pieces: Result<Vec<Trace>, TraceError> = pieces.and_then(Iterator::collect);
        assert_eq!(pieces.map(|runs| runs.len()).expect_err("the same").to_string(), whole);
        assert!(whole.contains("has no `type`"), "{whole}");
    }
}
