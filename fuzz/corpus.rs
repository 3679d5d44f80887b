//! Writes the seeds of both targets from the fixtures of the tests: `cargo run --bin corpus -- FOLDER`.

use std::fs;
use std::path::{Path, PathBuf};

use arraign::reader::READERS;

/// Larger fixtures are left out: mutations of them find little in the time that they take.
const LARGEST: u64 = 64 << 10;

fn main() {
    let to = PathBuf::from(std::env::args().nth(1).expect("the folder to write"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let readers = root.join("crates/arraign-trace/tests/reader");
    for (choice, reader) in READERS.iter().enumerate() {
        write_seeds(&to.join("traces"), choice, &readers.join(reader.name));
    }
    write_seeds(&to.join("traces"), READERS.len(), &root.join("crates/arraign-trace/tests/inspect_zip"));
    let project = to.join("project");
    for folder in ["tests/load", "tests/check", "evals"] {
        write_seeds(&project, 0, &root.join(folder));
    }
    for folder in ["evals/rules/policies", "evals/metric/policies", "tests/check/sequence_valid/policies"] {
        write_seeds(&project, 1, &root.join(folder));
    }
    write_seed(&project, 2, "pattern", b"/^(a|b)*?(?=c)\\1$/i\naabbc");
    write_seed(&project, 2, "glob", b"shop:{get,set}_*\nget_order");
    write_seeds(&project, 3, &root.join("examples/readers"));
    write_seeds(&project, 4, &root.join("tests/report"));
}

/// Writes each file below `from`, behind the byte that chooses its target.
fn write_seeds(to: &Path, choice: usize, from: &Path) {
    let Ok(entries) = fs::read_dir(from) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            write_seeds(to, choice, &path);
        } else if path.extension().is_some_and(|kind| kind != "snap") && fs::metadata(&path).is_ok_and(|file| file.len() <= LARGEST) {
            let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&path).to_string_lossy().replace('/', "-");
            write_seed(to, choice, &name, &fs::read(&path).expect("a fixture"));
        }
    }
}

fn write_seed(to: &Path, choice: usize, name: &str, bytes: &[u8]) {
    fs::create_dir_all(to).expect("a folder");
    let choice = u8::try_from(choice).expect("fewer than 256 targets");
    let seed = [&[choice], bytes].concat();
    fs::write(to.join(format!("{choice}{name}")), seed).expect("a seed");
}
