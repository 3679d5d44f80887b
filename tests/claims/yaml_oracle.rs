//! Our YAML tree against another maintained reader: every case file of this repository means the same to both.

use std::path::{Path, PathBuf};

use arraign::__internals::place::Source;
use arraign::__internals::source::Files;
use arraign::__internals::yaml::Document;
use arraign::json::Json;
use serde_yaml::Options;

fn yaml_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = Files::new(root, root);
    let folders =
        [root.join("evals"), root.join("tests/check"), root.join("crates/arraign-trace/tests/reader")];
    let found = folders
        .iter()
        .filter(|folder| folder.exists())
        .flat_map(|folder| files.walk(folder, |_| false).expect("files"));
    found.filter(|path| path.extension().is_some_and(|end| end == "yaml" || end == "json")).collect()
}

/// The same strictness: YAML 1.2 booleans, leading zeros and underscores are text.
fn options() -> Options {
    serde_yaml::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        non_finite_float_policy: serde_yaml::NonFiniteFloatPolicy::PassThrough,
    }
}

#[test]
fn every_file_means_the_same_to_another_reader() {
    let files = yaml_files();
    assert!(files.len() > 5, "only {} files were found", files.len());
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a file");
        let Ok(documents) = Document::parse(&Source::new("x", text.as_str())) else { continue };
        let [document] = documents.as_slice() else { continue };
        let theirs: Json = serde_yaml::from_str_with_options(&text, options())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(document.root().to_json(), theirs, "{}", path.display());
    }
}

#[test]
fn odd_scalars_mean_the_same_to_another_reader() {
    for text in [
        "a: no",
        "a: 010",
        "a: 1_000",
        "a: 0x1F",
        "a: ~",
        "a: ''",
        "a: .5",
        "a: 1e3",
        "a: |\n  x\n  y\n",
        "a: >\n  x\n  y\n",
        "a: \"\\u00e9\\n\"",
        "? a\n: b",
        "a: [1, 2, ]",
        "a: {b: c,}",
        "a: !!str 12",
        "- - 1\n  - 2",
        "a: 'it''s'",
        "'1': 2",
        "a: +12",
        "a: 1.0",
    ] {
        let ours = Document::parse(&Source::new("x", text)).expect(text)[0].root().to_json();
        let theirs: Json = serde_yaml::from_str_with_options(text, options()).expect(text);
        assert_eq!(ours, theirs, "{text}");
    }
}
