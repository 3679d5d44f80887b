//! The seeds of all targets: the fixtures of the tests, and the files in `seeds/`.

use std::fs;
use std::path::{Path, PathBuf};

use arraign::reader::READERS;
use serde_json::Value;

/// Larger fixtures are left out: mutations of them find little in the time that they take.
const LARGEST: usize = 64 << 10;

/// The folders in `seeds/inputs`, in the order of the target's readers.
const INPUTS: [&str; 10] = [
    "policies",
    "patterns",
    "declared",
    "logs",
    "schemas",
    "shell",
    "cassettes",
    "replies",
    "exchanges",
    "secrets",
];

/// The folder that the seeds are written to. libFuzzer reads its corpus after a target has begun, so no further program has to
/// be built for them.
const FOLDER: &str = "FUZZ_SEEDS";

/// Writes the seeds of all targets, if they are asked for and are not there.
pub fn write_all() {
    let Some(to) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let (root, own) = (root(), root().join("fuzz"));
    let readers = root.join("crates/arraign-trace/tests/reader");
    for (choice, reader) in READERS.iter().enumerate() {
        write_seeds(&to.join("traces"), Some(choice), &readers.join(reader.name));
        write_seeds(&to.join("traces"), Some(choice), &own.join("seeds/traces").join(reader.name));
    }
    write_seeds(
        &to.join("traces"),
        Some(READERS.len()),
        &root.join("crates/arraign-trace/tests/inspect_zip"),
    );
    for folder in ["tests/load", "tests/check", "evals", "fuzz/seeds/cases"] {
        write_seeds(&to.join("cases"), None, &root.join(folder));
    }
    for (choice, folder) in INPUTS.iter().enumerate() {
        write_seeds(&to.join("inputs"), Some(choice), &own.join("seeds/inputs").join(folder));
    }
    let fixtures = [
        (0, "evals/rules/policies"),
        (0, "evals/metric/policies"),
        (0, "tests/check/sequence_valid/policies"),
        (2, "examples/readers"),
        (3, "tests/report"),
    ];
    for (choice, folder) in fixtures {
        write_seeds(&to.join("inputs"), Some(choice), &root.join(folder));
    }
    write_patterns(&to.join("inputs"), &root.join("tests/goldens/js_regex.json"));
    write_declared(&to.join("inputs"), root);
}

/// Writes the patterns of a golden file, each above the text that it is matched with.
fn write_patterns(to: &Path, goldens: &Path) {
    let goldens: Value = serde_json::from_slice(&fs::read(goldens).expect("the goldens")).expect("JSON");
    for (number, case) in goldens["cases"].as_array().expect("cases").iter().enumerate() {
        let [pattern, text] = ["pattern", "text"].map(|key| case[key].as_str().unwrap_or_default());
        write_seed(
            to,
            &format!("1pattern-{number}"),
            &[&[1], pattern.as_bytes(), b"\n", text.as_bytes()].concat(),
        );
    }
}

/// Writes each declared reader above the traces that it reads.
fn write_declared(to: &Path, root: &Path) {
    let traces = fs::read_dir(root.join("tests/readers")).expect("traces").flatten();
    for trace in traces.map(|entry| entry.path()) {
        let name = trace.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let framework = name.split('.').next().unwrap_or_default();
        let Ok(declaration) = fs::read(root.join(format!("examples/readers/{framework}.yaml"))) else {
            continue;
        };
        let seed = [&[2], declaration.as_slice(), b"\n=====\n", &fs::read(&trace).expect("a trace")].concat();
        if seed.len() <= LARGEST {
            write_seed(to, &format!("2{name}"), &seed);
        }
    }
}

/// Writes each file below `from`, behind the byte that chooses its reader.
fn write_seeds(to: &Path, choice: Option<usize>, from: &Path) {
    let Ok(entries) = fs::read_dir(from) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            write_seeds(to, choice, &path);
        } else if path.extension().is_some_and(|kind| kind != "snap") {
            let choice = choice.map(|choice| u8::try_from(choice).expect("fewer than 256 readers"));
            let seed = choice.into_iter().chain(fs::read(&path).expect("a fixture")).collect::<Vec<u8>>();
            let below = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().replace(['/', '.'], "-");
            if seed.len() <= LARGEST {
                write_seed(to, &below, &seed);
            }
        }
    }
}

fn write_seed(to: &Path, name: &str, seed: &[u8]) {
    fs::create_dir_all(to).expect("a folder");
    fs::write(to.join(name), seed).expect("a seed");
}

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository")
}
