//! A package with a few cases in a temporary folder, and what its test target says: the executable `subject`.

#[path = "folder.rs"]
mod folder;
#[path = "foreign.rs"]
mod foreign;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::SystemTime;

pub(crate) use self::folder::resolve_links;
use self::folder::show_below;
use self::foreign::remove_foreign_variables;
use crate::cargo::cargo;

use arraign::json::{self, Json};

/// Makes the subject the test target of a package.
const SUBJECT: &str = "HARNESS_TEST_SUBJECT";

pub(crate) struct Project {
    folder: tempfile::TempDir,
}

/// What a process left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Project {
    /// A package with an empty folder of cases.
    pub(crate) fn empty() -> Self {
        let project = Self::bare();
        fs::create_dir(project.path("evals")).expect("the folder of cases");
        project
    }

    /// A package without a folder of cases.
    pub(crate) fn bare() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A package with one file of cases, `evals/s.yaml`.
    pub(crate) fn of(cases: &[String]) -> Self {
        Self::empty().file("evals/s.yaml", suite(cases))
    }

    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        self.write(path, text);
        self
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
        fs::write(path, text).expect("the file is written");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        resolve_links(self.folder.path()).join(below)
    }

    /// The test target, as cargo starts it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(subject());
        remove_foreign_variables(&mut command);
        command.args(arguments).current_dir(self.path("")).stdin(Stdio::null());
        command.env(SUBJECT, "1").env("RUST_BACKTRACE", "1");
        command.env("CARGO_MANIFEST_DIR", self.path("")).env("ARRAIGN_OUT", self.path("out"));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments))
    }

    pub(crate) fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).envs(variables.iter().copied()))
    }

    /// All files below a folder, by their paths below the package.
    pub(crate) fn files(&self, below: &str) -> Vec<String> {
        let root = self.path("");
        let mut folders = vec![self.path(below)];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry")) {
                let path = entry.path();
                if path.is_dir() { folders.push(path) } else { files.push(show_below(&path, &root)) }
            }
        }
        files.sort();
        files
    }

    /// No file that the project holds, but for the traces that it is given, contains `secret`.
    pub(crate) fn holds_nowhere(&self, secret: &str) {
        for file in self.files("").iter().filter(|file| !file.starts_with("evals/traces/given/")) {
            assert!(!self.read(file).contains(secret), "{file}");
        }
    }

    /// The logs of verdicts below a folder.
    pub(crate) fn logs(&self, below: &str) -> Vec<String> {
        let has_extension = |file: &String| Path::new(file).extension().is_some_and(|end| end == "jsonl");
        let is_other = |file: &String| file.contains("/@manifests/") || file.ends_with("/report.jsonl");
        let files = self.files(below).into_iter();
        files.filter(|file| has_extension(file) && !is_other(file)).collect()
    }

    /// The verdicts in the logs below a folder.
    pub(crate) fn verdicts(&self, below: &str) -> Vec<Json> {
        let texts = self.logs(below).into_iter().map(|log| self.read(&log));
        let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
        lines.map(|line| json::from_str(&line).expect("a verdict is JSON")).collect()
    }

    /// The verdict of a trial that ran once.
    pub(crate) fn verdict(&self, name: &str) -> Json {
        let verdicts = self.verdicts("out").into_iter().filter(|verdict| verdict["name"] == name);
        let verdicts: Vec<Json> = verdicts.collect();
        let [verdict] = verdicts.as_slice() else { panic!("not one verdict of {name}: {verdicts:?}") };
        verdict.clone()
    }
}

/// The executable `subject`.
pub(crate) fn subject() -> &'static Path {
    static SUBJECT: OnceLock<PathBuf> = OnceLock::new();
    SUBJECT.get_or_init(|| find_subject().unwrap_or_else(build_subject))
}

/// Finds the executable beside this one, unless the library was built after it.
///
/// `cargo test --test claims` builds the library anew and not the subject: then cargo is asked.
fn find_subject() -> Option<PathBuf> {
    let this = std::env::current_exe().expect("this executable");
    let files = fs::read_dir(this.parent()?).ok()?.flatten();
    let mut subject = None;
    let mut library = SystemTime::UNIX_EPOCH;
    for (entry, modified) in
        files.filter_map(|file| Some((file.path(), file.metadata().ok()?.modified().ok()?)))
    {
        let name = entry.file_stem()?.to_string_lossy();
        let extension = entry.extension().unwrap_or_default();
        if name.starts_with("subject-") && extension == std::env::consts::EXE_EXTENSION {
            subject = subject.max(Some((modified, entry)));
        } else if name.starts_with("libarraign") && extension == "rlib" {
            library = library.max(modified);
        }
    }
    subject.filter(|(modified, _)| *modified > library).map(|(_, path)| path)
}

/// Asks cargo for the executable, which builds it where that is needed.
fn build_subject() -> PathBuf {
    let mut cargo = cargo(&["test", "--no-run", "--test", "subject", "--message-format", "json"]);
    cargo.args((!cfg!(debug_assertions)).then_some("--release"));
    let output = cargo.stderr(Stdio::inherit()).output().expect("cargo starts");
    let messages = String::from_utf8(output.stdout).expect("output is UTF-8");
    let artifacts = messages.lines().filter_map(|line| json::parse(line).ok());
    let mut subjects = artifacts.filter(|message| message["target"]["name"] == "subject");
    let subject = subjects.find_map(|message| message["executable"].as_str().map(PathBuf::from));
    subject.expect("cargo builds the subject")
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().expect("the process starts");
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Self { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
    }

    /// Holds the exit code; all output is shown when it is another.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "\n--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.stdout.contains(text), "stdout lacks `{text}`:\n{}\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn complains(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "stderr lacks `{text}`:\n{}\n{}", self.stderr, self.stdout);
        self
    }

    #[track_caller]
    pub(crate) fn says_nothing_on_stderr(self) -> Self {
        assert_eq!(self.stderr, "");
        self
    }

    /// What became of each trial, from the lines `test name ... ok`.
    pub(crate) fn results(&self) -> BTreeMap<&str, &str> {
        let lines = self.stdout.lines().filter_map(|line| line.strip_prefix("test "));
        lines
            .filter_map(|line| line.split_once(" ... "))
            .map(|(name, result)| (name.trim_end(), result))
            .collect()
    }

    /// The names of the trials that were run, or listed.
    pub(crate) fn names(&self) -> Vec<&str> {
        let listed: Vec<&str> = self.stdout.lines().filter_map(|line| line.strip_suffix(": test")).collect();
        if listed.is_empty() { self.results().into_keys().collect() } else { listed }
    }
}

/// A file of these cases.
pub(crate) fn suite(cases: &[String]) -> String {
    format!("tests:\n{}", cases.concat())
}

/// A case whose agent calls `tool`, and must not call `rm`.
pub(crate) fn case(id: &str, tool: &str, more: &str) -> String {
    let id = Json::from(id);
    let tool = Json::from(tool);
    format!(
        "  - id: {id}\n    trace: {{calls: [{tool}]}}\n    expect: [{{tool_blocklist: [rm]}}]\n{}",
        indented(more)
    )
}

/// A case that passes.
pub(crate) fn green(id: &str) -> String {
    case(id, "look", "")
}

/// A case that fails.
pub(crate) fn red(id: &str) -> String {
    case(id, "rm", "")
}

/// A case of one check of the subject's own.
pub(crate) fn own(id: &str, check: &str, more: &str) -> String {
    let id = Json::from(id);
    format!("  - id: {id}\n    trace: {{calls: [look]}}\n    expect: [{{{check}}}]\n{}", indented(more))
}

fn indented(more: &str) -> String {
    let lines: Vec<String> = more.lines().map(|line| format!("    {line}\n")).collect();
    lines.concat()
}
