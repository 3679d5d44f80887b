//! A package with a few cases in a temporary folder, and the program in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::{resolve_links, show_below};
use crate::foreign::remove_foreign_variables;
use crate::program::Ran;

pub(crate) struct Package(tempfile::TempDir);

impl Package {
    /// One whose only file of cases is `evals/s.yaml`.
    pub(crate) fn of(cases: &str) -> Self {
        let package = Self(tempfile::tempdir().expect("a temporary folder"));
        package.write("evals/s.yaml", cases);
        package
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        resolve_links(self.0.path()).join(below)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
        fs::write(path, text).expect("the file is written");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The log of the only run.
    pub(crate) fn find_log(&self) -> String {
        let runs =
            fs::read_dir(self.path("target/arraign")).expect("runs").map(|run| run.expect("a run").path());
        let mut files =
            runs.flat_map(|run| fs::read_dir(run).into_iter().flatten().flatten()).map(|file| file.path());
        let found = files.find(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        let found = found.expect("a log");
        show_below(&found, &self.path(""))
    }

    pub(crate) fn arraign(&self, arguments: &[&str]) -> Ran {
        self.arraign_with(&[], arguments)
    }

    /// `cargo arraign ARGUMENTS`; the package's path is shown as `DIR`.
    pub(crate) fn arraign_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        let output = command.envs(variables.iter().copied()).output().expect("the program runs");
        let shown = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("UTF-8");
            text.replace(self.path("").to_string_lossy().trim_end_matches('/'), "DIR")
        };
        Ran { code: output.status.code(), stdout: shown(output.stdout), stderr: shown(output.stderr) }
    }

    /// `cargo arraign ARGUMENTS`, to be started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-arraign"));
        remove_foreign_variables(&mut command);
        command.arg("arraign").args(arguments).current_dir(self.path(""));
        command
    }

    /// One trial, as nextest runs it.
    pub(crate) fn attempt(&self, run: &str, attempt: &str, trial: &str) {
        let variables = [("NEXTEST", "1"), ("NEXTEST_RUN_ID", run), ("NEXTEST_ATTEMPT", attempt)];
        self.arraign_with(&variables, &["run", "--", "--exact", trial, "--nocapture"]);
    }
}

/// Pins what the program has said.
pub(crate) fn pin(name: &str, ran: &Ran) {
    let text = format!("exit code {:?}\n--- stdout\n{}--- stderr\n{}", ran.code, ran.stdout, ran.stderr);
    let mut settings = insta::Settings::new();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Copies a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let target = to.join(entry.file_name().expect("a name"));
        if entry.is_dir() {
            copy(&entry, &target);
        } else {
            fs::copy(&entry, target).expect("a copy");
        }
    }
}
