//! Evidence and policies that cannot be had: each is an error that names the file and says what is wrong, never a
//! panic and never a pass.

use std::fs;
use std::path::Path;

use arraign::__internals::check::Registry;
use arraign::__internals::engine::{evaluate_recorded, failed_with};
use arraign::__internals::outcome::Status;
use arraign::__internals::source::Files;
use arraign::__internals::suite::{Library, Suite, load_recorded};
use arraign::verdict::Verdict;

/// A folder of cases with files in it.
struct Evals(tempfile::TempDir);

impl Evals {
    fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, bytes) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, bytes).expect("a file");
        }
        Self(folder)
    }

    fn files(&self) -> Files {
        Files::new(self.0.path(), self.0.path()).with_size_limit(10_000)
    }

    fn load(&self) -> Result<Suite, String> {
        let kinds = Registry::default();
        let files = self.files();
        let path = self.0.path().join("case.yaml");
        Suite::load(
            &path,
            Library { kinds: &kinds, files: &files, tables: &arraign::__internals::check::Tables::default() },
        )
        .map_err(|errors| errors.to_string())
    }

    /// The verdict of the only case.
    fn verdict(&self) -> Verdict {
        let suite = self.load().expect("the case is right");
        let path = self.0.path().join("case.yaml");
        match load_recorded(&suite.cases[0], &path, &self.files()) {
            Ok(runs) => evaluate_recorded(&suite.cases[0], "case", &runs),
            Err(error) => failed_with(&suite.cases[0], "case", suite.cases[0].trace_place(), error.into()),
        }
    }

    fn error(&self) -> String {
        let verdict = self.verdict();
        assert_eq!(verdict.status, Status::Error, "{verdict:?}");
        verdict.errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("; ")
    }
}

const CASE: &[u8] = b"id: a\nmetric: tool_blocklist\nblocklist: [rm]\ntrace: traces/a.json\n";

const BROKEN_ARCHIVE: &str = "traces/a.json: inspect: this is no zip archive";

#[test]
fn traces_that_cannot_be_had_are_errors_with_their_cause() {
    for (bytes, cause) in [
        (&b""[..], "traces/a.json: the trace is empty"),
        (b"{\"a\": ", "traces/a.json: line 1, column 6: this is not JSON: EOF while parsing a value"),
        (b"[\xff]", "traces/a.json: not UTF-8: byte 1 begins no character"),
        (b"PK\x03\x04\x14", BROKEN_ARCHIVE),
        (b"{\"weather\": \"fine\"}", "no reader knows"),
        (
            &[b' '; 10_001],
            "traces/a.json: 10001 bytes are over the limit of 10000; `size_limit` in arraign.yaml raises it, as do `--size-limit` and `Harness::size_limit`",
        ),
        ("[".repeat(9_000).as_bytes(), "this is not JSON: recursion limit exceeded"),
    ] {
        let error = Evals::with(&[("case.yaml", CASE), ("traces/a.json", bytes)]).error();
        assert!(error.contains(cause), "{cause}\n{error}");
    }
}

#[test]
fn a_missing_trace_and_a_folder_are_told_apart() {
    let evals = Evals::with(&[("case.yaml", CASE)]);
    assert_eq!(evals.error(), "traces/a.json: no such file");
    fs::create_dir_all(evals.0.path().join("traces/a.json")).expect("a folder");
    let told = evals.error();
    assert_eq!(told, "traces/a.json: this is a folder, not a file; no declared reader has a `folder`");
}

#[test]
fn a_trace_that_is_named_nowhere_says_where_it_was_looked_for() {
    let case = b"id: a\nmetric: tool_blocklist\nblocklist: [rm]\n";
    let error = Evals::with(&[("case.yaml", case)]).error();
    assert_eq!(
        error,
        "no trace: the case names none, the `defaults` of its suite name none, and none is at traces/case/a.* or traces/a.* or traces/case/a/<run>.*; name one: `trace: FILE`"
    );
}

#[test]
fn a_glob_and_a_run_that_match_nothing_are_errors() {
    let glob = b"id: a\nmetric: tool_blocklist\nblocklist: [rm]\ntrace: traces/*.json\n";
    assert_eq!(Evals::with(&[("case.yaml", glob)]).error(), "no trace matches `traces/*.json`");
    let run = b"id: a\nmetric: tool_blocklist\nblocklist: [rm]\ntrace: {file: traces/a.json, run: 3}\n";
    let error = Evals::with(&[("case.yaml", run), ("traces/a.json", b"{\"calls\": [\"f\"]}")]).error();
    assert_eq!(error, "traces/a.json: no run `3`: the file holds 1, counted from 1");
}

#[test]
fn broken_arguments_are_the_models_mistake_and_a_violation() {
    let case = b"id: a\nmetric: args_valid\ntool: refund\nconstraints: {amount: {type: number}}\ntrace: traces/a.json\n";
    let trace = br#"[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"refund","arguments":"{\"amount\": 3"}}]}]"#;
    let verdict = Evals::with(&[("case.yaml", case), ("traces/a.json", trace)]).verdict();
    assert_eq!(verdict.status, Status::Fail);
    let message = &verdict.violations().next().expect("a violation").message;
    assert!(message.contains("are not JSON: they end inside an object"), "{message}");
}

#[test]
fn policies_that_cannot_be_had_are_mistakes_where_they_are_named() {
    let case = b"id: a\nmetric: args_valid\npolicy: policies/p.yaml\n";
    for (policy, mistake) in [
        (&b""[..], "case.yaml:3:9: policies/p.yaml: expected one document, found 0"),
        (b"tools: {refund: {arguments: {n: {max: x}}}}", "policies/p.yaml:1:34"),
        (b"refund: {type: objekt}", "policies/p.yaml:1:16"),
        (b"refund: {properties: {n: {pattern: '('}}}", "policies/p.yaml:1:27"),
        (b"tools: [refund", "policies/p.yaml:1"),
        (b"\xff", "policies/p.yaml:1:1: this byte begins no UTF-8 character"),
    ] {
        let error =
            Evals::with(&[("case.yaml", case), ("policies/p.yaml", policy)]).load().err().expect(mistake);
        assert!(error.starts_with(mistake), "{mistake}\n{error}");
    }
    let missing = Evals::with(&[("case.yaml", case)]).load().err().expect("no policy");
    assert_eq!(missing, "case.yaml:3:9: policies/p.yaml: no such file");
    let evals = Evals::with(&[("case.yaml", case)]);
    fs::create_dir_all(evals.0.path().join("policies/p.yaml")).expect("a folder");
    assert_eq!(
        evals.load().err().expect("a folder"),
        "case.yaml:3:9: policies/p.yaml: this is a folder, not a file"
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_says_so() {
    use std::os::unix::fs::PermissionsExt as _;
    let evals = Evals::with(&[("case.yaml", CASE), ("traces/a.json", b"")]);
    let trace = evals.0.path().join("traces/a.json");
    fs::set_permissions(&trace, fs::Permissions::from_mode(0o000)).expect("permissions");
    // Root may read everything.
    let cause = if fs::read(&trace).is_ok() { "the trace is empty" } else { "Permission denied" };
    assert!(evals.error().contains(cause), "{}", evals.error());
}

#[test]
fn a_folder_named_like_a_case_file_is_a_folder_of_cases() {
    let evals = Evals::with(&[("odd.yaml/case.yaml", CASE)]);
    let found = arraign::__internals::suite::find_case_files(&evals.files()).expect("a folder");
    assert_eq!(found, [evals.0.path().join(Path::new("odd.yaml/case.yaml"))]);
}
