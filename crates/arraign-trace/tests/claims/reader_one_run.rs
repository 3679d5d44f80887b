//! One run of a file is what it is among all runs of that file, and the others are passed over.

use std::io::{BufReader, Cursor};

use crate::samples::{formats, put_together};
use arraign_trace::reader::{self, Recording, TraceError, TraceProblem};

fn read_run(text: &str, format: Option<&str>, wanted: &str) -> Result<Recording, TraceError> {
    // A buffer so small that every value lies across several.
    reader::read_run(&mut BufReader::with_capacity(61, Cursor::new(text)), format, wanted)
}

/// Each run by its number, and by its id where no run before has it.
fn assert_each_run_is_found(text: &str, name: &str) -> usize {
    let all = reader::read(text, None).unwrap_or_else(|error| panic!("{name}: {error}"));
    for (index, run) in all.runs.iter().enumerate() {
        let number = (index + 1).to_string();
        let ids = all.runs.iter().map(|run| run.id.as_deref());
        let wanted = match ids.clone().position(|id| id.is_some() && id == run.id.as_deref()) {
            Some(first) if first == index => vec![run.id.clone().unwrap_or_default(), number],
            _ => vec![number],
        };
        for wanted in wanted.iter().filter(|wanted| **wanted == (index + 1).to_string() || !wanted.is_empty())
        {
            let found = read_run(text, None, wanted).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(found.format, all.format, "{name}");
            assert_eq!(found.runs.as_slice(), std::slice::from_ref(run), "{name}: {wanted}");
        }
    }
    let error = read_run(text, None, "no such run").expect_err(name);
    let listed: Vec<String> = all.runs.iter().filter_map(|run| run.id.clone()).take(12).collect();
    let TraceProblem::NoSuchRun { wanted, count, ids } = error.problem else { panic!("{name}: {error}") };
    assert_eq!((wanted.as_str(), count, ids), ("no such run", all.runs.len(), listed), "{name}");
    all.runs.len()
}

#[test]
fn each_run_of_each_sample_is_found_by_number_and_by_id() {
    for (format, samples) in formats() {
        for text in samples {
            assert_each_run_is_found(&text, &format);
        }
    }
}

#[test]
fn several_samples_in_one_file_are_found_in_lines_in_a_list_and_in_documents() {
    let mut several = Vec::new();
    for (format, text) in put_together() {
        if reader::read(&text, None).is_ok_and(|all| all.format == format) {
            several.push((format.clone(), assert_each_run_is_found(&text, &format)));
        }
    }
    let many = several.iter().filter(|(_, runs)| *runs > 1).count();
    assert!(many > 30, "{several:?}");
}

/// Two runs as JSON Lines, of which the second cannot be read, and one more.
const LINES: &str = r#"{"id": "a", "steps": [{"user": "hi"}, {"say": "one"}]}
{"id": "b", "steps": [{"call": "f", "exit_code": "nine"}]}
{"id": "3", "steps": [{"user": "hi"}, {"say": "three"}]}
{"id": "d", "steps": [{"user": "hi"}, {"say": "four"}]}
"#;

fn answer(text: &str, wanted: &str) -> String {
    let found = read_run(text, None, wanted).unwrap_or_else(|error| panic!("{wanted}: {error}"));
    found.runs[0].answer.clone().expect("an answer")
}

#[test]
fn what_is_wrong_with_another_run_does_not_matter() {
    assert!(reader::read(LINES, None).is_err());
    assert_eq!(answer(LINES, "a"), "one");
    assert_eq!(answer(LINES, "4"), "four");
    let error = read_run(LINES, None, "b").expect_err("the broken one").to_string();
    assert_eq!(error, "native: line 2: /steps/0/exit_code: expected a whole number, found the text `nine`");
}

#[test]
fn an_id_comes_before_a_number() {
    assert_eq!(answer(LINES, "3"), "three");
    let renamed = LINES.replace("\"d\"", "\"1\"");
    assert_eq!(answer(&renamed, "1"), "four");
}

#[test]
fn what_is_not_json_is_named_by_line_and_column_wherever_it_is() {
    let place = |text: &str| read_run(text, None, "a").expect_err(text).to_string();
    let cut = LINES.replace("nine\"}]}", "");
    assert_eq!(place(&cut), reader::read(&cut, None).expect_err("a cut line").to_string());
    assert!(place(&cut).starts_with("line 2, column "), "{}", place(&cut));
    let document = "[{\"steps\": [{\"user\": \"hi\"}]},\n {\"steps\": [{\"user\": nope}]}]";
    assert_eq!(place(document), reader::read(document, None).expect_err("a word").to_string());
    assert_eq!(place(document), "line 2, column 23: this is not JSON: expected `null`");
}

/// A head that is larger than what the format is told by, and one byte that is no character after it.
#[test]
fn a_byte_that_begins_no_character_is_named() {
    let mut bytes = LINES.repeat(3000).into_bytes();
    let at = bytes.len();
    bytes.extend_from_slice(b"{\"steps\": [{\"user\": \"\xff\"}]}\n");
    let error = reader::read_run(&mut Cursor::new(bytes), None, "zz").expect_err("not UTF-8").to_string();
    assert_eq!(error, format!("not UTF-8: byte {} begins no character", at + 21));
}

#[test]
fn a_file_cut_anywhere_is_an_error_or_a_run() {
    for (format, samples) in formats() {
        for whole in samples {
            let step = whole.len() / 60 + 1;
            for end in (0..whole.len()).step_by(step).filter(|end| whole.is_char_boundary(*end)) {
                for named in [None, Some(format.as_str())] {
                    let _ = read_run(&whole[..end], named, "2");
                }
            }
        }
    }
}

/// Three conversations, of which the second is mixed with the others and cannot be read; the marks are filled in.
const LOGS: &[(&str, &str)] = &[
    (
        "openai-chat",
        r#"{"messages": [{"role": "user", "content": "1"}], "id": "r1", "choices": [{"message": {"role": "assistant", "content": "one"}}]}
{"messages": [{"role": "user", "content": "2"}], "id": "r2", "choices": [{"message": {"role": "assistant", "content": "x"}}]}
{"messages": [{"role": "user", "content": "1"}, {"role": "assistant", "content": "one"}, {"role": "user", "content": "and?"}], "id": "r3", "choices": [{"message": {"role": "assistant", "content": "more"}}]}
{"messages": [{"role": "user", "content": "2"}, {"role": "assistant", "content": "x"}, {"role": "BAD", "content": "?"}], "id": "r4", "choices": [{"message": {"role": "assistant", "content": "y"}}]}
{"messages": [{"role": "user", "content": "3"}], "id": "r5", "choices": [{"message": {"role": "assistant", "content": "three"}}]}"#,
    ),
    (
        "anthropic",
        r#"{"request": {"messages": [{"role": "user", "content": "1"}]}, "response": {"id": "r1", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "one"}]}}
{"request": {"messages": [{"role": "user", "content": "2"}]}, "response": {"id": "r2", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "x"}]}}
{"request": {"messages": [{"role": "user", "content": "1"}, {"role": "assistant", "content": [{"type": "text", "text": "one"}]}, {"role": "user", "content": "and?"}]}, "response": {"id": "r3", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "more"}]}}
{"request": {"messages": [{"role": "user", "content": "2"}, {"role": "assistant", "content": [{"type": "text", "text": "x"}]}, {"role": "BAD", "content": "?"}]}, "response": {"id": "r4", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "y"}]}}
{"request": {"messages": [{"role": "user", "content": "3"}]}, "response": {"id": "r5", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "three"}]}}"#,
    ),
    (
        "openai-responses",
        r#"{"request": {"input": "1"}, "response": {"object": "response", "id": "r1", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "one"}]}]}}
{"request": {"input": "2"}, "response": {"object": "response", "id": "r2", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]}]}}
{"request": {"input": "and?", "previous_response_id": "r1"}, "response": {"object": "response", "id": "r3", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "more"}]}]}}
{"request": {"input": "?", "previous_response_id": "r2"}, "response": {"object": "response", "id": "r4", "output": [{"type": "message", "role": "BAD", "content": [{"type": "output_text", "text": "y"}]}, {"type": "function_call", "name": 7}]}}
{"request": {"input": "3"}, "response": {"object": "response", "id": "r5", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "three"}]}]}}"#,
    ),
];

#[test]
fn of_a_log_of_model_calls_each_conversation_is_read_alone() {
    for (format, log) in LOGS {
        reader::read(log, None).expect_err("one cannot be read");
        for (wanted, answer) in [("1", "more"), ("r3", "more"), ("3", "three"), ("r5", "three")] {
            let found = read_run(log, None, wanted).unwrap_or_else(|error| panic!("{format}: {error}"));
            let said = found.runs[0].answer.as_deref().expect("an answer");
            assert!(found.format == *format && said.ends_with(answer), "{format}: {wanted}: {said}");
        }
        let error = read_run(log, None, "r4").expect_err("it cannot be read").to_string();
        assert!(error.starts_with(&format!("{format}: line 4: ")), "{error}");
    }
}

/// A request is looked for in so many runs only: one that goes on after more of them is a run of its own.
#[test]
fn a_long_log_is_cut_as_it_is_read() {
    let call = |question: usize, more: &str, answer: &str| {
        format!(
            r#"{{"messages": [{{"role": "user", "content": "{question}"}}{more}], "choices": [{{"message": {{"role": "assistant", "content": "{answer}"}}}}]}}"#
        )
    };
    let goes_on = |question: usize| {
        let said = format!(
            r#", {{"role": "assistant", "content": "a{question}"}}, {{"role": "user", "content": "b"}}"#
        );
        call(question, &said, &format!("c{question}"))
    };
    let mut lines: Vec<String> =
        (0..70).map(|question| call(question, "", &format!("a{question}"))).collect();
    lines.extend([3, 5, 6, 40, 69].map(goes_on));
    lines.extend((70..150).map(|question| call(question, "", &format!("a{question}"))));
    lines.extend([40, 100, 149, 3].map(goes_on));
    let log = lines.join("\n");
    let runs = assert_each_run_is_found(&log, "openai-chat");
    assert!(runs > 150, "{runs}");
    let streamed: Result<Vec<_>, _> = reader::runs(Cursor::new(&log), None).expect("a log").collect();
    assert_eq!(streamed.expect("its runs"), reader::read(&log, None).expect("a log").runs);
}

/// One of LangSmith's runs, and below it one of another trace.
#[test]
fn a_record_of_two_runs_is_read_as_it_is_as_a_whole() {
    let run = |id: &str, trace: &str, below: &str| {
        format!(
            r#"{{"id": "{id}", "trace_id": "{trace}", "run_type": "chain", "name": "f", "dotted_order": "{id}", "inputs": {{}}, "outputs": {{}}, "child_runs": [{below}]}}"#
        )
    };
    let text = [run("a", "t1", ""), run("b", "t2", &run("c", "t3", "")), run("d", "t1", "")].join("\n");
    assert_eq!(assert_each_run_is_found(&text, "langchain"), 3);
}

/// The first lines are a value each; one after them is not.
#[test]
fn a_value_longer_than_its_line_is_no_mistake() {
    let text = LINES.replace(", \"exit_code\"", ",\n \"exit_code\"").replace("\"nine\"", "9");
    assert_eq!(assert_each_run_is_found(&text, "native"), 4);
}

/// Spans of many traces, in one document on one line.
fn spans(count: usize) -> String {
    let span = |number: usize| {
        format!(
            r#"{{"traceId":"{:032x}","spanId":"{number:016x}","name":"chat","startTimeUnixNano":"{number}",
            "attributes":[{{"key":"gen_ai.operation.name","value":{{"stringValue":"chat"}}}},
            {{"key":"gen_ai.usage.input_tokens","value":{{"intValue":"{number}"}}}}]}}"#,
            number % 1000
        )
    };
    let spans: Vec<String> = (0..count).map(span).collect();
    format!(r#"{{"resourceSpans":[{{"resource":{{}},"scopeSpans":[{{"spans":[{}]}}]}}]}}"#, spans.join(","))
}

#[test]
fn the_spans_of_one_trace_are_read_and_those_of_others_are_not() {
    let text = spans(3000);
    assert!(text.len() > 512 << 10, "larger than what the format is told by");
    let found = read_run(&text, None, &format!("{:032x}", 7)).expect("it is there");
    assert_eq!((found.format, found.runs.len()), ("otel", 1));
    assert_eq!(found.runs[0].usage.expect("tokens").input_tokens, 7 + 1007 + 2007);
    // A span that cannot be read is a mistake of its own trace alone.
    let wrong = text.replacen("\"name\":\"chat\"", "\"name\":[]", 1);
    assert!(reader::read(&wrong, None).is_err());
    assert_eq!(read_run(&wrong, None, &format!("{:032x}", 7)).expect("it is there"), found);
}

/// A file that says how much of it was read.
struct Counted<'c>(Cursor<&'c str>, &'c std::cell::Cell<usize>);

impl std::io::Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.set(self.1.get() + read);
        Ok(read)
    }
}

impl std::io::Seek for Counted<'_> {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_file_is_read_twice_at_most_and_through_a_small_buffer() {
    let text = spans(20_000);
    let read = std::cell::Cell::new(0);
    let mut file = BufReader::with_capacity(4096, Counted(Cursor::new(&text), &read));
    reader::read_run(&mut file, None, "1000").expect("the last trace");
    assert!(read.get() < 2 * text.len() + (1 << 20), "{} of {}", read.get(), text.len());
}
