//! A value of another type in a zipped log is what it is in the JSON of that log: an error or a run.

use std::io::{Cursor, Write as _};

use arraign_trace::json::{self, Json, json};
use arraign_trace::reader;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{file, unzip};
use crate::places::places;

#[test]
fn a_value_of_another_type_is_read_as_in_json() {
    let text = std::fs::read_to_string(file("reader/inspect/shop.json")).expect("a file");
    let whole: Json = json::from_str(&text).expect("a log");
    // Its member is called by them, whatever it holds.
    let eval = json!({"model": whole["eval"]["model"]});
    let sample = &whole["samples"][0];
    let places = places(sample);
    let strangers =
        [json!(null), json!(true), json!(-7), json!("text"), json!([]), json!({}), json!([{"a": 1}])];
    let mut read = 0;
    for (number, place) in places.iter().enumerate() {
        let mut changed = sample.clone();
        *changed.pointer_mut(place).expect("a place") = strangers[number % strangers.len()].clone();
        let json = json!({"version": 2, "eval": eval, "samples": [changed]}).to_string();
        let as_json = reader::read(&json, Some("inspect"));
        let zipped = unzip(&zipped(&eval, &changed), None);
        assert_eq!(zipped.as_ref().ok(), as_json.as_ref().ok(), "{place}: {zipped:?} {as_json:?}");
        read += usize::from(zipped.is_ok());
    }
    assert!(read > 100 && read < places.len(), "{read} of {}", places.len());
}

#[test]
fn a_head_of_another_type_is_an_error_or_a_log() {
    for head in [
        json!(null),
        json!([]),
        json!({"eval": 7}),
        json!({"eval": {"model": []}}),
        json!({"eval": {}}),
        json!({}),
    ] {
        let log = packed(&[("header.json", head.to_string()), ("samples/1_epoch_1.json", "{}".to_owned())]);
        let zipped = unzip(&log, None);
        assert_eq!(
            zipped.is_ok(),
            head.is_object() && head["eval"] != 7 && head["eval"]["model"] != json!([]),
            "{head}"
        );
    }
}

/// What stands where nobody expects it.
#[test]
fn strange_members_are_passed_over_or_refused() {
    let head = || ("header.json", "{}".to_owned());
    let names = [
        "samples/_epoch_1.json",
        "samples/../../x_epoch_2.json",
        "samples/a_epoch_99999999999999999999.json",
    ];
    let members: Vec<(&str, String)> = names.into_iter().map(|name| (name, "{}".to_owned())).collect();
    let found = unzip(&packed(&[&[head()], members.as_slice()].concat()), None).expect("a log");
    assert_eq!(found.runs.len(), 2, "the last has no epoch that could be one");
    for text in ["", "{", "[]", "nul", "{} {}"] {
        let log = packed(&[head(), ("samples/1_epoch_1.json", text.to_owned())]);
        let error = unzip(&log, None).expect_err(text).to_string();
        assert!(error.starts_with("inspect: samples/1_epoch_1.json: "), "{error}");
    }
    let no_samples = unzip(&packed(&[head()]), None);
    assert!(no_samples.map_or(true, |log| log.runs.is_empty()));
    unzip(&packed(&[]), None).expect_err("an empty archive");
}

fn zipped(eval: &Json, sample: &Json) -> Vec<u8> {
    packed(&[
        ("header.json", json!({"eval": eval}).to_string()),
        ("samples/1_epoch_1.json", sample.to_string()),
    ])
}

fn packed(members: &[(&str, String)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in members {
        zip.start_file(
            *name,
            SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored),
        )
        .expect("a member");
        zip.write_all(text.as_bytes()).expect("its text");
    }
    zip.finish().expect("an archive").into_inner()
}
