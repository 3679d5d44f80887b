//! The parser against `serde_json`: texts of samples, changed at random, are accepted and refused alike.
//!
//! `ARRAIGN_FUZZ_SECONDS=1800 cargo test -p arraign-trace --test claims -- json_oracle` goes on for so long.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use arraign_trace::json;
use serde_json::Value;

/// What is put into a text at random.
const PIECES: [&str; 24] = [
    "\"", "\\", "{", "}", "[", "]", ",", ":", "\\u", "d83d", "\\ude00", "0", "-", ".", "e", "+", "1", "null",
    "tru", " ", "\n", "\u{1}", "é", "00",
];

/// Texts that no sample has.
const ODD: [&str; 10] = [
    "[-0, 0, -0.0]",
    "{}",
    "[1,-0.5e+10,1E5,0]",
    r#""\ud83d\ude00\u0000\n""#,
    "[true,false,null]",
    r#"{"a":{"b":[{}]}}"#,
    "  [ ] ",
    "1e400",
    "-",
    "\"\u{7f}é\u{2028}\"",
];

/// Numbers that look random, and are the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).expect("below the limit")
    }
}

fn list_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { list_files(&path, found) } else { found.push(path) }
    }
}

/// The short lines of all samples.
fn list_seeds() -> Vec<String> {
    let mut files = Vec::new();
    list_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader"), &mut files);
    files.sort();
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    let lines = texts.flat_map(|text| text.lines().take(40).map(str::to_owned).collect::<Vec<_>>());
    let lines = lines.filter(|line| !line.is_empty() && line.len() < 1500);
    lines.chain(ODD.map(str::to_owned)).collect()
}

fn change(text: &str, numbers: &mut Numbers) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..numbers.below(4) {
        let at = numbers.below(chars.len() + 1);
        match numbers.below(4) {
            0 if at < chars.len() => drop(chars.remove(at)),
            1 => drop(chars.splice(at..at, PIECES[numbers.below(PIECES.len())].chars())),
            2 if at < chars.len() => {
                chars[at] = PIECES[numbers.below(PIECES.len())].chars().next().expect("a character");
            }
            _ => chars.truncate(at),
        }
    }
    chars.into_iter().collect()
}

#[test]
fn texts_are_accepted_and_refused_as_by_serde_json() {
    let seconds = env::var("ARRAIGN_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    let seeds = list_seeds();
    let start = Instant::now();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut count = 0;
    let mut accepted = 0;
    while seconds.map_or(count < 20_000, |seconds| start.elapsed() < Duration::from_secs(seconds)) {
        count += 1;
        let text = change(&seeds[numbers.below(seeds.len())], &mut numbers);
        accepted += usize::from(compare(&text));
    }
    assert!(accepted * 20 > count, "{accepted} of {count} texts are JSON: too few to tell");
}

/// Compares both parsers. Returns whether the text is JSON.
fn compare(text: &str) -> bool {
    match (json::parse_borrowed(text), serde_json::from_str::<Value>(text)) {
        (Ok(ours), Ok(theirs)) => {
            // Theirs keeps one of two equal keys.
            let ours = ours.into_json();
            assert_eq!(Value::from(&ours), theirs, "{text}");
            assert_eq!(json::parse(&ours.to_string()).as_ref(), Ok(&ours), "{text}");
            let again: Value =
                serde_json::from_str(&serde_json::to_string(&ours).expect("JSON")).expect("JSON");
            assert_eq!(again, theirs, "{text}");
            true
        }
        (Err(_), Err(_)) => false,
        (Ok(_), Err(error)) => {
            let error = error.to_string();
            let known = ["number out of range", "surrogate", "unexpected end of hex escape"];
            assert!(known.iter().any(|known| error.contains(known)), "{text}: {error}");
            true
        }
        // An exponent of more than 18 digits, which makes zero of everything for serde_json.
        (Err(_), Ok(_)) if has_endless_exponent(text) => false,
        (Err(error), Ok(_)) => panic!("{text}: {error}"),
    }
}

fn has_endless_exponent(text: &str) -> bool {
    let mut parts = text.split(['e', 'E']).skip(1);
    parts.any(|part| {
        let digits = part.trim_start_matches(['-', '+']).trim_start_matches('0');
        digits.bytes().take_while(u8::is_ascii_digit).count() > 18
    })
}

#[test]
fn zero_has_any_exponent() {
    for text in ["0e99999999999999999999", "-0.0E-0099999999999999999999", "1e0000000000000000000000005"] {
        assert!(compare(text), "{text}");
    }
    assert!(!compare("1e-99999999999999999999"));
}
