//! Node itself, where it is installed.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::random::Random;
use super::*;

const SCRIPT: &str = r"
const rows = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const say = ([pattern, flags, text]) => {
  let regex;
  try { regex = new RegExp(pattern, flags); } catch { return 'invalid'; }
  const found = regex.exec(text);
  return found && [String(found.groups?.value ?? found[1] ?? found[0]).toWellFormed()];
};
console.log(JSON.stringify(rows.map(say)));
";

/// `None` without a Node of version 20 or 22: newer ones know more of the language.
fn node(rows: &[[String; 3]]) -> Option<Vec<Value>> {
    let version = Command::new("node").arg("--version").output().ok()?;
    let version = String::from_utf8(version.stdout).ok()?;
    if !["v20.", "v22."].iter().any(|known| version.starts_with(known)) {
        return None;
    }
    let mut command = Command::new("node");
    let piped = command.args(["-e", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut node = piped.spawn().ok()?;
    node.stdin.take()?.write_all(json!(rows).to_string().as_bytes()).ok()?;
    let output = node.wait_with_output().ok()?;
    serde_json::from_slice(&output.stdout).expect("an array")
}

fn said(value: &Value) -> Said {
    match value {
        Value::Null => Said::NoMatch,
        Value::Array(found) => Said::Match(found[0].as_str().expect("text").to_owned()),
        _ => Said::Invalid,
    }
}

fn disagreements(rows: &[[String; 3]]) -> Vec<String> {
    let Some(answers) = node(rows) else {
        eprintln!("skipped: there is no Node of version 20 or 22");
        return Vec::new();
    };
    let mut wrong = Vec::new();
    for ([pattern, flags, text], answer) in rows.iter().zip(&answers) {
        let (ours, theirs) = (ours(pattern, flags, text), said(answer));
        if ours.as_ref().is_some_and(|ours| *ours != theirs) {
            wrong.push(format!("/{pattern}/{flags} on {text:?}: {ours:?}, Node says {theirs:?}"));
        }
    }
    wrong
}

fn count() -> usize {
    std::env::var("ARRAIGN_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(1_500)
}

#[test]
fn node_agrees_on_random_patterns() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut rows = Vec::new();
    for _ in 0..count() {
        let (pattern, flags) = (random.pattern(), random.flags());
        rows.extend((0..4).map(|_| [pattern.clone(), flags.clone(), random.text()]));
    }
    let wrong = disagreements(&rows);
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        rows.len(),
        wrong[..wrong.len().min(25)].join("\n")
    );
}

#[test]
fn node_agrees_on_what_is_a_pattern() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let rows: Vec<_> = (0..2 * count()).map(|_| [random.garbage(), random.flags(), random.text()]).collect();
    let wrong = disagreements(&rows);
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        rows.len(),
        wrong[..wrong.len().min(25)].join("\n")
    );
}

/// Pairs of which each is known to be read wrongly by one engine or another.
#[test]
fn node_agrees_on_the_corners_of_the_language() {
    let rows = [
        (r"(?:(a)|b)*\1", "", "ab"),
        (r"(z)((a+)?(b+)?(c))*", "", "zaacbbbcac"),
        (r"(?=(a+))a*b\1", "", "baaabac"),
        (r"(.*?)a(?!(a+)b\2c)\2(.*)", "", "baaabaac"),
        (r"(?<=(\d+)(\d+))$", "", "1053"),
        (r"(?<=\1(a))b", "", "aab"),
        (r"(?<=(a)\1)b", "", "ab"),
        (r"(?<=^|,)(?<value>[^,]*)(?=,|$)", "", ",x"),
        (r"(?:|a)+", "", "aaa"),
        (r"(a*)*", "", "b"),
        (r"(?:a?)*?b", "", "aab"),
        (r"(?=(a))*b\1", "", "ab"),
        (r"^[^]$", "", "😀"),
        (r"😀+$", "", "😀😀"),
        (r"(\w)\1", "i", "sſ"),
        (r"(é)\1", "i", "éÉ"),
        (r"(?<a>x)|\k<a", "", "x"),
        (r"(?<a>x)(?<a>y)", "", "xy"),
        (r"(?<𝒜>.)", "", "x"),
        (r"(?<\u{61}b>.)\k<ab>", "", "xx"),
        (r"[\d-\w]", "", "-"),
        (r"(?i:a)", "", "A"),
        (r"^\B$", "", ""),
    ];
    let rows = rows.map(|(pattern, flags, text)| [pattern, flags, text].map(str::to_owned));
    assert_eq!(disagreements(&rows), Vec::<String>::new());
}
