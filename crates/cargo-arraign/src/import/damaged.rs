//! Damaged files of every tool: whatever is in them, what is written can be read, or the mistake has its place.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arraign::__internals::place::Source;
use arraign::__internals::yaml::Document;
use clap::ValueEnum as _;

use super::Tool;
use super::beside::Beside;
use super::draft::Given;

/// The examples of a tool, by their names.
fn examples(tool: Tool) -> Vec<(String, String)> {
    let name = tool.to_possible_value().expect("a name").get_name().to_owned();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/import").join(name);
    let files = fs::read_dir(folder).expect("examples").map(|entry| entry.expect("an entry").path());
    let files = files.filter(|path| path.is_file());
    let text = |path: &Path| fs::read_to_string(path).expect("a text");
    files
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), text(&path)))
        .collect()
}

/// The text with a part of it cut out, doubled, or replaced by something else.
fn damaged(text: &str, seed: usize) -> String {
    const INSTEAD: &[&str] =
        &["", "null", "[]", "{}", "3", "\"\"", "[[1]]", "\u{0}", "{{", "-", ": ", "true", "\n"];
    let chars: Vec<char> = text.chars().collect();
    let start = seed.wrapping_mul(7919) % chars.len();
    let length = seed.wrapping_mul(104_729) % 40;
    let end = (start + length).min(chars.len());
    let instead = INSTEAD[seed % INSTEAD.len()];
    let head: String = chars[..start].iter().collect();
    let tail: String = chars[if seed.is_multiple_of(3) { start } else { end }..].iter().collect();
    if seed.is_multiple_of(11) { head } else { format!("{head}{instead}{tail}") }
}

fn hold(tool: Tool, name: &str, text: &str) {
    let beside = Arc::new(Beside::of(Path::new("no such folder/file")));
    let given = Given { source: Source::new(name, text), criteria: None, beside };
    let Ok(imported) = tool.import(&given) else { return };
    for (path, written) in &imported.files {
        let documents = Document::parse(&Source::new(path.clone(), written.clone()));
        let documents =
            documents.unwrap_or_else(|errors| panic!("{errors}\n{text}\nwas written as\n{written}"));
        assert_eq!(documents.len(), 1, "{written}");
    }
    for lost in &imported.not_carried {
        assert!(lost.place.line() > 0 && !lost.why.is_empty());
    }
}

#[test]
fn damaged_files_are_read_or_refused() {
    for tool in Tool::value_variants() {
        for (name, text) in examples(*tool) {
            for seed in 0..120 {
                hold(*tool, &name, &damaged(&text, seed));
            }
        }
    }
}

/// A file of one tool is none of another's; nobody falls over it.
#[test]
fn files_of_other_tools_are_read_or_refused() {
    for tool in Tool::value_variants() {
        for other in Tool::value_variants() {
            for (name, text) in &examples(*other) {
                hold(*tool, name, text);
            }
        }
    }
}
