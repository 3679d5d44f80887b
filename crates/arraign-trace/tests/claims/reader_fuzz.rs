//! No text makes a reader panic or hang, and run by run it is read as it is as a whole: mutated samples, for as long as
//! one likes.
//!
//! `ARRAIGN_FUZZ_SECONDS=600 ARRAIGN_FUZZ_SEED=7 cargo test -p arraign-trace --test claims -- --ignored`. It runs on
//! stable Rust; `fuzz/` has the targets for `cargo fuzz`, which looks at coverage too. A text that breaks a reader is
//! kept.

use std::fs;
use std::io::Cursor;
use std::panic::catch_unwind;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::mutations::{Random, mutated};
use crate::samples;
use arraign_trace::reader::{self, READERS, TraceError};
use arraign_trace::trace::Trace;

/// The longest sample that is mutated: a short one is read more often.
const LONGEST: usize = 40_000;
/// What one reading may take, unoptimized, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);

#[test]
#[ignore = "runs for as long as ARRAIGN_FUZZ_SECONDS says"]
fn no_mutated_sample_makes_a_reader_panic_or_hang_or_differ() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let time = Duration::from_secs(number("ARRAIGN_FUZZ_SECONDS").unwrap_or(10));
    let mut random = Random(number("ARRAIGN_FUZZ_SEED").unwrap_or(1).max(1));
    let samples = [samples(), samples_put_together()].concat();
    let start = Instant::now();
    let mut read = 0_u64;
    let mut rounds = 0_u64;
    while start.elapsed() < time {
        let mut text = samples[random.below(samples.len())].clone();
        for _ in 0..=random.below(4) {
            text = mutated(text, &samples, &mut random);
        }
        read += u64::from(survives(&text, None));
        read += u64::from(survives(&text, Some(random.one_of(READERS).name)));
        rounds += 1;
    }
    eprintln!("{rounds} texts, read {read} times without an error");
}

#[test]
fn each_reader_has_seeds_for_cargo_fuzz() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader");
    for reader in READERS {
        let seeds = fs::read_dir(fixtures.join(reader.name)).expect("fixtures").count();
        assert!(seeds > 0, "{}", reader.name);
    }
}

fn samples() -> Vec<String> {
    let samples = samples::formats().into_iter().flat_map(|(_, samples)| samples);
    samples.filter(|text| text.len() < LONGEST).collect()
}

/// A file with as many runs as there are samples of its format shows more of what is read run by run.
fn samples_put_together() -> Vec<String> {
    let files = samples::put_together().into_iter().map(|(_, text)| text);
    files.filter(|text| text.len() < LONGEST).collect()
}

/// Whether `text` can be read: run by run, and each run alone, it is the same as at once.
fn is_read(text: &str, format: Option<&str>) -> bool {
    let whole = reader::read(text, format).map(|recording| recording.runs);
    let runs: Result<Vec<Trace>, TraceError> =
        reader::runs(Cursor::new(text), format).and_then(Iterator::collect);
    let told = (runs.as_ref().err(), whole.as_ref().err());
    assert!(runs.as_ref().ok() == whole.as_ref().ok(), "one after the other: {told:?}");
    let Ok(whole) = whole else {
        let _ = reader::read_run(&mut Cursor::new(text), format, "1");
        return false;
    };
    for number in [1, whole.len()] {
        let wanted = number.to_string();
        let named = whole.iter().find(|run| run.id.as_ref() == Some(&wanted));
        let found = reader::read_run(&mut Cursor::new(text), format, &wanted).map(|found| found.runs);
        assert_eq!(
            found.ok().as_deref(),
            named.or(whole.get(number - 1)).map(std::slice::from_ref),
            "run {wanted}"
        );
    }
    true
}

/// Whether `text` is read. What panics, differs or takes too long is kept, and fails the test.
fn survives(text: &str, format: Option<&str>) -> bool {
    let start = Instant::now();
    let read = catch_unwind(|| is_read(text, format));
    let took = start.elapsed();
    if let Ok(read) = read
        && took < PATIENCE
    {
        return read;
    }
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reader-fuzz-failure.json");
    fs::write(&kept, text).expect("it is kept");
    panic!("read as {format:?}, after {took:?}: the text is in {}", kept.display());
}
