//! Declared readers, and the folders of runs.

use std::fs;

use arraign::__internals::harness::runs::StoredRun;
use arraign::__internals::source::Files;
use arraign::__internals::suite::load_readers;
use arraign::reader::read_with;

use super::split_parts;

/// Declares a reader, and reads the second part by it.
pub(crate) fn read_by_declaration(text: &str) {
    let (declaration, trace) = split_parts(text, "{}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("readers.yaml");
    fs::write(&file, declaration).expect("a file");
    if let Ok(readers) = load_readers(&file, &Files::new(folder.path(), folder.path())) {
        let _ = read_with(&readers, trace, None);
    }
}

/// Reads a run folder whose log, and whose manifest, is the text.
pub(crate) fn read_verdict_log(text: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["evals.1.jsonl", "@manifests/evals.json"] {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
        if let Ok(stored) = StoredRun::open(&[folder.path().to_owned()]) {
            let _ = stored.visit_verdicts(|_| ());
        }
    }
}
