//! Damaged files of every tool: the import writes readable files, or reports an error with its position.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arraign::__internals::place::Source;
use arraign::__internals::yaml::Document;
use clap::ValueEnum as _;
use walkdir::WalkDir;

use super::Tool;
use super::draft::{EvalviewProject, ImportInput};
use super::source_dir::{SourceDir, has_extension};

/// Reads the examples of a tool, with their names.
fn read_examples(tool: Tool) -> Vec<(String, String)> {
    let name = tool.to_possible_value().expect("a name").get_name().to_owned();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/import").join(name);
    // Some tools keep their file in a folder of its own.
    let entries = WalkDir::new(folder).max_depth(2).into_iter().map(|entry| entry.expect("examples"));
    let files = entries.filter(|entry| {
        entry.file_type().is_file()
            && (entry.depth() == 1 || has_extension(entry.path(), &["json", "yaml", "md"]))
    });
    files
        .map(|entry| {
            let path = entry.into_path();
            (
                path.file_name().expect("a name").to_string_lossy().into_owned(),
                fs::read_to_string(&path).expect("a text"),
            )
        })
        .collect()
}

/// Removes, doubles or replaces a part of the text.
fn damage_text(text: &str, seed: usize) -> String {
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

fn assert_readable(tool: Tool, name: &str, text: &str) {
    let source_dir = Arc::new(SourceDir::around(Path::new("no such folder/file")));
    let input = ImportInput {
        source: Source::new(name, text),
        criteria: None,
        source_dir,
        log: None,
        project: EvalviewProject::default(),
    };
    // A refusal is a fine result for a damaged file. Only what is written must be readable.
    let Ok(imported) = tool.import(&input) else { return };
    for (path, written) in &imported.files {
        let documents = Document::parse(&Source::new(path.clone(), written.clone()));
        let documents =
            documents.unwrap_or_else(|errors| panic!("{errors}\n{text}\nwas written as\n{written}"));
        assert_eq!(documents.len(), 1, "{written}");
    }
    for unsupported in &imported.unsupported {
        assert!(unsupported.place.line() > 0 && !unsupported.why.is_empty());
    }
}

#[test]
fn damaged_files_are_read_or_refused() {
    for tool in Tool::value_variants() {
        for (name, text) in read_examples(*tool) {
            for seed in 0..120 {
                assert_readable(*tool, &name, &damage_text(&text, seed));
            }
        }
    }
}

/// Importing a file with the wrong tool does not panic.
#[test]
fn files_of_other_tools_are_read_or_refused() {
    for tool in Tool::value_variants() {
        for other in Tool::value_variants() {
            for (name, text) in &read_examples(*other) {
                assert_readable(*tool, name, text);
            }
        }
    }
}
