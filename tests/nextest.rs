//! nextest and `cargo test` see the same trials, each once, and retries leave their attempts apart.
//!
//! Skipped where nextest is not installed. The `evals` executable of this package is the subject: over this
//! package's own cases, and over a small package that nextest is told to find elsewhere (`--workspace-remap`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use arraign::__internals::harness::runs::{StoredRun, newest};
use arraign::__internals::report::FORMATS;
use regex::Regex;
use serde_json::Value;

type Results = BTreeMap<String, &'static str>;

const CASES: &str = r#"tests:
  - {id: green, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}
  - {id: red, trace: {calls: [rm]}, expect: [{tool_blocklist: [rm]}]}
  - {id: "it's -- a::b \n é", trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}
  - {id: -dash, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}
  - {id: later, ignore: needs a key, trace: {calls: [rm]}, expect: [{tool_blocklist: [rm]}]}
"#;

/// What nextest needs to run the executable without building it again.
struct Built {
    binaries: String,
    metadata: String,
    executable: PathBuf,
}

/// A package of [`CASES`].
struct Package(tempfile::TempDir);

impl Package {
    fn new() -> Self {
        let package = Self(tempfile::tempdir().expect("a temporary folder"));
        fs::create_dir(package.path("evals")).expect("the folder of cases");
        fs::write(package.path("evals/s.yaml"), CASES).expect("the cases");
        fs::write(package.path("Cargo.toml"), "").expect("the manifest that nextest looks for");
        package
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().canonicalize().expect("the temporary folder").join(below)
    }

    fn nextest(&self, built: &Built, arguments: &[&str]) -> Results {
        self.nextest_to(built, arguments, "out")
    }

    fn nextest_to(&self, built: &Built, arguments: &[&str], out: &str) -> Results {
        let (binaries, metadata) = (self.path("binaries.json"), self.path("metadata.json"));
        fs::write(&binaries, &built.binaries).expect("a file");
        fs::write(&metadata, &built.metadata).expect("a file");
        let mut command = cargo(&["nextest", "run", "--binaries-metadata"]);
        command.arg(binaries).arg("--cargo-metadata").arg(metadata);
        command.arg("--workspace-remap").arg(self.path("")).current_dir(self.path(""));
        nextest_results(command.args(arguments), &self.path(out))
    }
}

/// Everything built, or why these tests are skipped.
#[expect(clippy::print_stderr, reason = "a test that could not be made says so")]
fn built() -> Option<&'static Built> {
    static BUILT: OnceLock<Option<Built>> = OnceLock::new();
    if !cfg!(all(feature = "json-schema", feature = "snapshots")) {
        eprintln!("skipped: the executable would be built again, with other features");
        return None;
    }
    let built = BUILT.get_or_init(build).as_ref();
    if built.is_none() {
        eprintln!("skipped: `cargo nextest` is not installed");
    }
    built
}

fn build() -> Option<Built> {
    if !cargo(&["nextest", "--version"]).output().is_ok_and(|output| output.status.success()) {
        return None;
    }
    let arguments = ["nextest", "list", "--test", "evals", "--list-type", "binaries-only"];
    let mut list = cargo(&arguments);
    list.args(["--message-format", "json"]).args((!cfg!(debug_assertions)).then_some("--release"));
    let binaries = stdout(list.output().expect("nextest starts"));
    let listed: Value = serde_json::from_str(&binaries).expect("nextest lists JSON");
    let executable = &listed["rust-binaries"]["arraign::evals"]["binary-path"];
    let host = &listed["rust-build-meta"]["target-platforms"][0]["triple"];
    let host = host.as_str().expect("a host");
    let metadata = cargo(&["metadata", "--format-version", "1", "--filter-platform", host]).output();
    Some(Built {
        executable: executable.as_str().expect("an executable").into(),
        metadata: stdout(metadata.expect("cargo starts")),
        binaries,
    })
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    clean(&mut command);
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// Without what the runner of this very test set.
fn clean(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["NEXTEST", "ARRAIGN_", "INSTA_", "RUST_TEST_"].iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
}

fn stdout(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

/// The last result of each trial, from lines such as `  PASS [   0.010s] (1/2) arraign::evals s::a`.
fn nextest_results(command: &mut Command, out: &Path) -> Results {
    command.args([
        "--no-fail-fast",
        "--color",
        "never",
        "--status-level",
        "all",
        "--final-status-level",
        "none",
    ]);
    command.args(["--failure-output", "never"]).env("ARRAIGN_OUT", out);
    let output = command.output().expect("nextest starts");
    let text = String::from_utf8(output.stderr).expect("output is UTF-8");
    let lines = text
        .lines()
        .filter_map(|line| line.split_once("] (")?.1.split_once(" arraign::evals ").map(|at| (line, at.1)));
    let result = |line: &str| match line.split('[').next().unwrap_or_default().trim() {
        "SKIP" => "ignored",
        status if status.ends_with("PASS") => "ok",
        status if status.ends_with("FAIL") => "FAILED",
        other => panic!("a status that is not known: {other}"),
    };
    let results: Results = lines.map(|(line, name)| (name.to_owned(), result(line))).collect();
    assert!(!results.is_empty(), "{text}");
    results
}

/// The result of each trial, from lines such as `test s::a ... ok`.
fn libtest_results(command: &mut Command, out: &Path) -> Results {
    let output = command.env("ARRAIGN_OUT", out).output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("output is UTF-8");
    let lines = text.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
    let result = |said: &str| match said {
        "ok" => "ok",
        "FAILED" => "FAILED",
        said if said.starts_with("ignored") => "ignored",
        other => panic!("a result that is not known: {other}"),
    };
    lines.map(|(name, said)| (name.trim_end().to_owned(), result(said))).collect()
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that could not be made says so")]
fn the_runners_agree_on_the_cases_of_this_package() {
    if built().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let release = (!cfg!(debug_assertions)).then_some("--release");
    let mut test = cargo(&["test", "--test", "evals"]);
    let expected = libtest_results(test.args(release).args(["--", "--color", "never"]), folder.path());
    if expected.is_empty() {
        eprintln!("skipped: there is no case yet");
        return;
    }
    let mut run = cargo(&["nextest", "run", "--test", "evals"]);
    assert_eq!(nextest_results(run.args(release), folder.path()), expected);
}

#[test]
fn the_runners_agree_on_a_package_that_was_moved() {
    let (Some(built), package) = (built(), Package::new()) else { return };
    let mut alone = Command::new(&built.executable);
    clean(&mut alone);
    alone.env("CARGO_MANIFEST_DIR", package.path(""));
    let expected = libtest_results(&mut alone, &package.path("alone"));
    assert_eq!(expected.len(), 5, "{expected:?}");
    assert_eq!(package.nextest(built, &[]), expected);
}

#[test]
fn partitions_cover_all_trials_once() {
    let (Some(built), package) = (built(), Package::new()) else { return };
    for kind in ["count", "hash"] {
        let part = |n: usize| {
            let results = package.nextest(built, &["--partition", &format!("{kind}:{n}/2")]);
            let run = results.into_iter().filter(|(_, result)| *result != "ignored");
            run.map(|(name, _)| name).collect::<BTreeSet<String>>()
        };
        let (one, other) = (part(1), part(2));
        assert!(one.is_disjoint(&other), "{one:?} {other:?}");
        assert_eq!(one.len() + other.len(), 4, "{one:?} {other:?}");
    }
}

#[test]
fn retries_leave_their_attempts_apart() {
    let (Some(built), package) = (built(), Package::new()) else { return };
    let results = package.nextest(built, &["--retries", "2", "-E", "test(=s::red) | test(=s::green)"]);
    assert_eq!(results.get("s::red"), Some(&"FAILED"));
    let runs: Vec<PathBuf> =
        fs::read_dir(package.path("out")).expect("verdicts").map(|run| run.expect("a run").path()).collect();
    let [run] = runs.as_slice() else { panic!("one run of nextest is one folder: {runs:?}") };
    for file in ["s%%red.json", "attempt-2/s%%red.json", "attempt-3/s%%red.json", "s%%green.json"] {
        assert!(run.join(file).is_file(), "{file}");
    }
    assert!(!run.join("attempt-2/s%%green.json").exists());
}

/// The reports that are compared. The page for a browser shows what `report.json` holds; its times are in words.
fn compared() -> impl Iterator<Item = &'static arraign::__internals::report::Format> {
    FORMATS.iter().filter(|format| format.format.name() != "html")
}

/// These reports, without times and the ids of runs.
fn normalised(out: &Path) -> BTreeMap<&'static str, String> {
    let varies = r#"("duration_ms":|time="|timestamp="|"started":"|"startTimeUtc":"|"id":"arraign/|"run":\{"id":")[^",}]*"#;
    let varies = Regex::new(varies).expect("a pattern");
    let report = |format: &arraign::__internals::report::Format| {
        let text = fs::read_to_string(out.join(format.file)).expect("a report");
        (format.file, varies.replace_all(&text, "$1").into_owned())
    };
    compared().map(report).collect()
}

#[test]
fn shards_merged_give_the_report_of_one_process() {
    let (Some(built), package) = (built(), Package::new()) else { return };
    let formats: Vec<&str> = compared().map(|format| format.format.name()).collect();
    let mut alone = Command::new(&built.executable);
    clean(&mut alone);
    alone.env("CARGO_MANIFEST_DIR", package.path("")).env("ARRAIGN_REPORT", formats.join(","));
    libtest_results(&mut alone, &package.path("alone"));
    let shard = |n: usize| {
        let out = format!("shard-{n}");
        package.nextest_to(built, &["--partition", &format!("count:{n}/2"), "--retries", "1"], &out);
        newest(&package.path(&out)).expect("the shard's run")
    };
    let merged = StoredRun::open(&[shard(1), shard(2)]).expect("shards");
    merged.write(FORMATS, &package.path("merged"), |_| ()).expect("reports");
    assert!(normalised(&package.path("merged")).values().all(|report| report.contains("s::red")));
    assert_eq!(normalised(&package.path("merged")), normalised(&package.path("alone")));
}
