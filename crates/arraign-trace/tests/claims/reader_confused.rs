//! Files that two formats claim, and files that are read as what they are not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use arraign_trace::json::{Json, json};
use arraign_trace::reader::{self, READERS, TraceProblem};

/// A sample of each format, in JSON.
fn samples() -> Vec<(&'static str, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader");
    let sample = |name: &'static str| {
        let entries =
            fs::read_dir(folder.join(name)).expect("a folder").map(|entry| entry.expect("an entry"));
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "json" || end == "jsonl"));
        paths.sort();
        paths.into_iter().map(move |path| (name, fs::read_to_string(path).expect("a file")))
    };
    READERS.iter().flat_map(|reader| sample(reader.name)).collect()
}

fn values(text: &str) -> Vec<Json> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Json>();
    let values: Vec<Json> = values.collect::<Result<_, _>>().expect("JSON");
    match <[Json; 1]>::try_from(values) {
        Ok([Json::Array(items)]) => items,
        Ok(only) => only.into(),
        Err(several) => several,
    }
}

/// Files that hold two formats at once: the records of both, one after the other, and the keys of both in one record.
fn mixtures(one: &str, other: &str) -> [String; 2] {
    let mut records = values(one);
    let others = values(other);
    let mut both = records[0].clone();
    if let (Some(both), Some(other)) = (both.as_object_mut(), others[0].as_object()) {
        both.extend(other.clone());
    }
    records.extend(others);
    [Json::Array(records).to_string(), both.to_string()]
}

#[test]
fn a_file_of_two_formats_is_refused_with_the_way_to_say_which() {
    let samples = samples();
    let mut tied = BTreeSet::new();
    for (index, (_, one)) in samples.iter().enumerate() {
        for (_, other) in samples.iter().skip(index % 11).step_by(11) {
            for text in mixtures(one, other) {
                let Err(error) = reader::read(&text, None) else { continue };
                let TraceProblem::Ambiguous(formats) = &error.problem else { continue };
                let help = error.help.as_deref().unwrap_or_default();
                assert!(help.contains(&format!("format: {}", formats[0])), "{help}");
                for format in formats {
                    let read = reader::read(&text, Some(format)).unwrap_or_else(|error| panic!("{error}"));
                    assert_eq!(read.format, *format);
                }
                tied.insert(formats.clone());
            }
        }
    }
    assert!(tied.len() > 20, "{tied:?}");
}

#[test]
fn a_file_that_is_read_as_another_format_is_told_why_not() {
    for (own, text) in samples() {
        for reader in READERS.iter().filter(|reader| reader.name != own) {
            match reader::read(&text, Some(reader.name)) {
                Ok(recording) => {
                    let told =
                        recording.runs.iter().any(|run| !run.messages.is_empty() || !run.calls.is_empty());
                    let answered = recording.runs.iter().any(|run| run.answer.is_some());
                    assert!(told || answered, "{own} as {}: nothing is read", reader.name);
                }
                Err(error) => assert!(error.to_string().starts_with(reader.name), "{own}: {error}"),
            }
        }
    }
}

#[test]
fn the_reason_and_the_likely_format_are_told() {
    let rollout = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s"}}"#;
    let error = reader::read(rollout, Some("claude-code")).expect_err("another format");
    assert_eq!(error.to_string(), "claude-code: no line of a session is in it");
    assert_eq!(error.help.as_deref(), Some("it looks like `codex`: without `format` it is read as that"));
}

#[test]
fn a_list_of_texts_is_of_the_format_that_the_user_names() {
    let list = |content: Json| {
        json!([{"role": "user", "content": content}, {"role": "assistant", "content": content}]).to_string()
    };
    for text in [list(json!([{"type": "text", "text": "hi"}])), list(json!("hi"))] {
        for format in ["vercel-ai", "anthropic"] {
            let run =
                reader::read(&text, Some(format)).unwrap_or_else(|error| panic!("{error}")).runs.remove(0);
            assert_eq!((run.messages.len(), run.calls_unrecorded), (2, None), "{format}: {text}");
        }
    }
}
