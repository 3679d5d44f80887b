//! No text makes a reader panic or hang: mutated samples, for as long as one likes.
//!
//! `ARRAIGN_FUZZ_SECONDS=600 ARRAIGN_FUZZ_SEED=7 cargo test --test reader_fuzz -- --ignored`. It runs on stable Rust;
//! `fuzz/` has the targets for `cargo fuzz`, which looks at coverage too. A text that breaks a reader is kept.

#[path = "support/mutations.rs"]
mod mutations;

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arraign::reader::{self, READERS};
use mutations::{Random, mutated};

/// The longest sample that is mutated: a short one is read more often.
const LONGEST: usize = 40_000;
/// What one reading may take, unoptimized, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);
#[test]
#[ignore = "runs for as long as ARRAIGN_FUZZ_SECONDS says"]
fn no_mutated_sample_makes_a_reader_panic_or_hang() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let time = Duration::from_secs(number("ARRAIGN_FUZZ_SECONDS").unwrap_or(10));
    let mut random = Random(number("ARRAIGN_FUZZ_SEED").unwrap_or(1).max(1));
    let samples = samples();
    let start = Instant::now();
    let (mut read, mut rounds) = (0_u64, 0_u64);
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
fn each_reader_has_a_target_for_cargo_fuzz() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/Cargo.toml");
    let manifest = fs::read_to_string(manifest).expect("a manifest");
    let targets = manifest.split("[[bin]]\nname = \"").skip(1);
    let targets: Vec<&str> = targets.filter_map(|target| target.split('"').next()).collect();
    let mut names: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
    names.sort_unstable();
    assert_eq!(targets, names);
}

fn samples() -> Vec<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader")];
    let mut samples = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let (below, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
        folders.extend(below);
        let files = files.into_iter().filter(|path| path.extension().is_some_and(|end| end != "txt"));
        samples.extend(files.map(|path| fs::read_to_string(path).expect("a file")));
    }
    samples.retain(|text| text.len() < LONGEST);
    samples.sort();
    samples
}

/// Whether `text` is read. What panics or takes too long is kept, and fails the test.
fn survives(text: &str, format: Option<&str>) -> bool {
    let start = Instant::now();
    let read = catch_unwind(|| reader::read(text, format).is_ok());
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
