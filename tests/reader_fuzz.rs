//! No text makes a reader panic or hang: mutated samples, for as long as one likes.
//!
//! `ARRAIGN_FUZZ_SECONDS=600 ARRAIGN_FUZZ_SEED=7 cargo test --test reader_fuzz -- --ignored`. It runs on stable Rust;
//! `fuzz/` has the targets for `cargo fuzz`, which looks at coverage too. A text that breaks a reader is kept.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arraign::reader::{self, READERS};

/// The longest sample that is mutated: a short one is read more often.
const LONGEST: usize = 40_000;
/// What one reading may take, unoptimized, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is put in place of something else.
const STRANGERS: &[&str] = &[
    "null",
    "true",
    "-1",
    "0",
    "18446744073709551615",
    "1e308",
    "1.5",
    "\"\"",
    "\"text\"",
    "\"\\ud83d\\ude00\"",
    "\"2026-01-01T00:00:00Z\"",
    "\"{\\\"a\\\":\"",
    "[]",
    "{}",
    "[[]]",
    "[{}]",
    "{\"type\":\"text\"}",
];
const BYTES: &[&str] = &["", "{", "}", "[", "]", "\"", ",", ":", "\\", "\n", "0", "-", "\u{0}", "é"];

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

fn mutated(text: String, samples: &[String], random: &mut Random) -> String {
    match random.below(8) {
        0 => cut(text, random),
        1 => twice(text, random),
        2 => with_byte_changed(text, random),
        3 => spliced(&text, &samples[random.below(samples.len())], random),
        4 => with_key_of_another(text, samples, random),
        _ => with_value_changed(text, random),
    }
}

/// Without a piece.
fn cut(mut text: String, random: &mut Random) -> String {
    let (from, to) = piece(&text, random);
    text.replace_range(from..to, "");
    text
}

/// With a piece repeated.
fn twice(mut text: String, random: &mut Random) -> String {
    let (from, to) = piece(&text, random);
    let piece = text[from..to].to_owned();
    text.insert_str(to, &piece);
    text
}

fn with_byte_changed(mut text: String, random: &mut Random) -> String {
    let at = floor(&text, random.below(text.len() + 1));
    let end = floor(&text, at + 4).max(at);
    text.replace_range(at..end, random.one_of(BYTES));
    text
}

/// The beginning of one and the end of another, cut between two lines or values.
fn spliced(text: &str, other: &str, random: &mut Random) -> String {
    let at = |text: &str, random: &mut Random| {
        let from = floor(text, random.below(text.len() + 1));
        text[from..].find(['\n', ',']).map_or(from, |step| from + step)
    };
    let (end, start) = (at(text, random), at(other, random));
    format!("{}{}", &text[..end], &other[start..])
}

/// With a key that some other sample has: what two formats share is where they are confused.
fn with_key_of_another(mut text: String, samples: &[String], random: &mut Random) -> String {
    let other = &samples[random.below(samples.len())];
    let (Some((from, to)), Some((start, end))) = (a_key(&text, random), a_key(other, random)) else {
        return text;
    };
    text.replace_range(from..to, &other[start..end]);
    text
}

/// With what stands behind some key exchanged for something strange.
fn with_value_changed(mut text: String, random: &mut Random) -> String {
    let Some((_, key_end)) = a_key(&text, random) else { return text };
    let from = key_end + usize::from(text[key_end..].starts_with(':'));
    let mut values = serde_json::Deserializer::from_str(&text[from..]).into_iter::<serde::de::IgnoredAny>();
    let length = if matches!(values.next(), Some(Ok(_))) { values.byte_offset() } else { 0 };
    text.replace_range(from..from + length, random.one_of(STRANGERS));
    text
}

/// The key after a random place, with its quotes.
fn a_key(text: &str, random: &mut Random) -> Option<(usize, usize)> {
    let from = floor(text, random.below(text.len() + 1));
    let end = from + text[from..].find("\":")? + 1;
    let start = text[..end - 1].rfind('"')?;
    Some((start, end))
}

/// A piece of up to 200 bytes, or of anything once in a while.
fn piece(text: &str, random: &mut Random) -> (usize, usize) {
    let from = floor(text, random.below(text.len() + 1));
    let most = if random.below(8) == 0 { text.len() } else { 200 };
    let to = floor(text, from + random.below(most + 1)).max(from);
    (from, to)
}

/// The last character boundary up to `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// A xorshift generator: the same seed gives the same texts.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or_default() % limit.max(1)
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}
