//! `cargo arraign record`: the model port alone.

use crate::program::arraign;

#[test]
fn a_program_without_a_request_leaves_no_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = arraign(folder.path(), &["record", "--", "true"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("sent no request to its model through the port"), "{}", ran.stderr);
    assert!(!folder.path().join("trace.model.jsonl").exists());
}
