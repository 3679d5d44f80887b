//! Zipped logs of Inspect read as the JSON of the same log, and hostile ones are refused.

mod confused;

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use arraign_trace::reader::{self, Recording, TraceError};

const LIMIT: u64 = 1 << 20;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(file("inspect_zip").join(name)).expect("a file")
}

fn unzip(bytes: &[u8], wanted: Option<&str>) -> Result<Recording, TraceError> {
    reader::read_zipped(&mut Cursor::new(bytes), wanted, LIMIT)
}

/// `shop.eval` is packed as Inspect does it: with Zstandard, each sample in several frames.
#[test]
fn a_zipped_log_is_the_same_as_its_json() {
    let json = fs::read_to_string(file("reader/inspect/shop.json")).expect("a file");
    let json = reader::read(&json, None).expect("a log");
    let zipped = unzip(&bytes("shop.eval"), None).expect("a log");
    assert_eq!(zipped, json);
    assert_eq!(unzip(&bytes("shop.eval"), json.runs[0].id.as_deref()).expect("its sample"), json);
}

/// The library wrote both, an agent's run in two epochs; of the JSON's events but those of tools are left.
#[test]
fn what_inspect_itself_zipped_is_the_same_as_its_json() {
    let json = file("inspect_zip/written_by_inspect_0.3.285.json");
    let json = reader::read(&fs::read_to_string(json).expect("a file"), None).expect("a log");
    let zipped = bytes("written_by_inspect_0.3.285.eval");
    assert_eq!(unzip(&zipped, None).expect("a log"), json);
    let [first, second] = json.runs.as_slice() else { panic!("{} runs", json.runs.len()) };
    assert_eq!(unzip(&zipped, Some("s1/2")).expect("its epoch").runs, std::slice::from_ref(second));
    let calls: Vec<(&str, usize, &[String])> =
        first.calls.iter().map(|call| (call.name.as_str(), call.turn, call.agent_path.as_slice())).collect();
    let inner = ["sub".to_owned()];
    let expected: [(&str, usize, &[String]); 4] =
        [("sub", 1, &[]), ("get_order", 1, &inner), ("submit", 1, &inner), ("submit", 2, &[])];
    assert_eq!(calls, expected);
    assert_eq!(first.answer.as_deref(), Some("It is 8."));
}

#[test]
fn the_samples_come_one_after_the_other_as_well() {
    let all = unzip(&bytes("epochs.eval"), None).expect("a log");
    let log = bytes("epochs.eval");
    let samples = || reader::zipped_runs(Cursor::new(&log), LIMIT).expect("a log");
    assert_eq!((samples().format(), samples().len()), (all.format, all.runs.len()));
    assert_eq!(samples().collect::<Result<Vec<_>, _>>().expect("its samples"), all.runs);
    for (number, run) in all.runs.iter().enumerate() {
        assert_eq!(samples().nth(number).expect("a sample").as_ref(), Ok(run));
    }
    assert!(samples().nth(all.runs.len()).is_none());
    // No more than the limit is unpacked of all of them, and then there is no more.
    let mut bomb = reader::zipped_runs(Cursor::new(bytes("bomb.eval")), LIMIT).expect("a log");
    bomb.next().expect("a sample").expect_err("a bomb");
    assert!(bomb.next().is_none());
}

/// `epochs.eval` was not finished, and is packed with Deflate.
#[test]
fn samples_are_told_as_inspect_orders_them_and_picked_by_id_or_number() {
    let log = bytes("epochs.eval");
    let all = unzip(&log, None).expect("a log");
    let ids: Vec<&str> = all.runs.iter().filter_map(|run| run.id.as_deref()).collect();
    assert_eq!(ids, ["9", "10", "b", "9/2"]);
    assert!(all.runs.iter().all(|run| run.model.as_deref() == Some("m")));
    for (wanted, answer) in [("10", "10 1"), ("9/2", "9 2"), ("3", "b 1"), ("b", "b 1")] {
        let found = unzip(&log, Some(wanted)).expect(wanted);
        assert_eq!(found.runs[0].answer.as_deref(), Some(answer), "{wanted}");
    }
    let error = unzip(&log, Some("x")).expect_err("no such sample");
    assert_eq!(error.to_string(), "no run `x`: the file holds 4, counted from 1: `9`, `10`, `b`, `9/2`");
}

#[test]
fn what_would_be_unpacked_past_the_limit_is_refused() {
    for wanted in ["a", "a/2"] {
        let error = unzip(&bytes("bomb.eval"), Some(wanted)).expect_err("a bomb").to_string();
        assert!(
            error.contains("over the limit of 1048576 bytes; `size_limit` in arraign.yaml raises it"),
            "{error}"
        );
    }
}

#[test]
fn an_archive_that_is_cut_or_changed_anywhere_is_an_error_or_a_log() {
    for name in ["shop.eval", "epochs.eval"] {
        let whole = bytes(name);
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x41;
            let _ = unzip(&changed, None);
            assert!(unzip(&whole[..at], None).is_err(), "{name} cut at {at}");
        }
    }
    let mut damaged = bytes("shop.eval");
    damaged[2000] ^= 1;
    assert!(unzip(&damaged, None).is_err(), "a sample is damaged");
}
