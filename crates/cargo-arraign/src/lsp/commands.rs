//! The commands of lenses and actions. Each runs in a process of its own, on a thread that waits for it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use arraign::__internals::suite::escape_file_name;
use arraign::json::{Json, json};

use super::project::EvalProject;
use crate::out::locate_out_folder_of;

/// Runs the trial of a case.
pub(super) const RUN: &str = "arraign.run";
/// Shows what the case's traces contain.
pub(super) const DEBUG: &str = "arraign.debugTrace";
/// Runs the agent of a case and records the run.
pub(super) const RECORD: &str = "arraign.record";
/// Accepts the pending snapshot of a case.
pub(super) const ACCEPT: &str = "arraign.accept";
/// Lists the cases of the project with their places.
pub(super) const LIST: &str = "arraign.list";

/// Runs the trial of a case on changed traces.
pub(super) const MUTATE: &str = "arraign.mutate";

/// All commands.
pub(super) const ALL: [&str; 6] = [RUN, DEBUG, RECORD, ACCEPT, LIST, MUTATE];

/// A command of the client, ready to run.
pub(super) struct CaseCommand {
    pub(super) command: String,
    pub(super) name: String,
    pub(super) traces: Vec<PathBuf>,
    /// What the names of the case's snapshots contain.
    pub(super) snapshots: String,
    pub(super) base: PathBuf,
    pub(super) root: PathBuf,
}

/// The result of a command: the exit code, the output, and a file to show.
pub(super) struct CommandResult {
    pub(super) name: String,
    pub(super) success: bool,
    pub(super) output: String,
    pub(super) file: Option<PathBuf>,
    /// The command that runs the listed trials, for clients that show their progress.
    pub(super) runner: Option<Json>,
}

impl CommandResult {
    /// The result as the answer to the client.
    pub(super) fn to_json(&self) -> Json {
        let Self { name, success, output, file, runner } = self;
        json!({"name": name, "success": success, "output": output, "file": file, "runner": runner})
    }
}

impl CaseCommand {
    pub(super) fn new(command: &str, name: &str, project: &EvalProject, traces: Vec<PathBuf>) -> Self {
        let base = project.base.clone();
        let root = project.root.clone();
        let command = command.to_owned();
        let name = name.to_owned();
        Self { command, snapshots: name.clone(), name, traces, base, root }
    }

    /// Runs the command and waits for its end.
    pub(super) fn execute(&self) -> CommandResult {
        let outcome = match self.command.as_str() {
            DEBUG => return self.explain_traces(),
            ACCEPT => self.capture(&mut Self::own_program(&["accept", &self.snapshots])),
            RECORD => {
                self.capture(self.run_trials(&["--exact", &self.name]).env("ARRAIGN_AGENT_MODE", "record"))
            }
            MUTATE => self.capture(self.run_trials(&["--exact", &self.name]).env("ARRAIGN_MUTATE", "1")),
            LIST => self.capture(&mut self.run_trials(&["--list", "--format", "json"])),
            _ => self.capture(&mut self.run_trials(&["--exact", &self.name, "--include-ignored"])),
        };
        let (success, output) = outcome.unwrap_or_else(|problem| (false, problem));
        let runner = (self.command == LIST).then(|| self.describe_runner());
        CommandResult { name: self.name.clone(), success, output, file: None, runner }
    }

    fn describe_runner(&self) -> Json {
        let command = self.run_trials(&[]);
        let args: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
        json!({"program": command.get_program().to_string_lossy(), "args": args, "cwd": self.base})
    }

    /// The command that runs trials: the test target of a crate, which knows the checks of the project, or else this program.
    fn run_trials(&self, arguments: &[&str]) -> Command {
        // A crate's own target knows the checks that are written in Rust.
        if has_target(&self.base) {
            let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let mut command = Command::new(cargo);
            command.args(["test", "--quiet", "--test", "evals", "--"]).args(arguments);
            return command;
        }
        let root = self.root.strip_prefix(&self.base).unwrap_or(&self.root).to_string_lossy().into_owned();
        let mut command = Command::new(env::current_exe().unwrap_or_else(|_| "cargo-arraign".into()));
        command.args(["run", &root, "--"]).args(arguments);
        command
    }

    fn own_program(arguments: &[&str]) -> Command {
        let mut command = Command::new(env::current_exe().unwrap_or_else(|_| "cargo-arraign".into()));
        command.args(arguments);
        command
    }

    /// Runs a process in the package's folder and returns its result and output.
    fn capture(&self, command: &mut Command) -> Result<(bool, String), String> {
        let output =
            command.current_dir(&self.base).output().map_err(|error| format!("{command:?}: {error}"))?;
        let text = [output.stdout, output.stderr].concat();
        Ok((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
    }

    /// Writes what the traces contain to a file beside the verdicts.
    fn explain_traces(&self) -> CommandResult {
        let explained: Vec<(bool, String)> =
            self.traces.iter().map(|trace| self.explain_trace(trace)).collect();
        let success = !explained.is_empty() && explained.iter().all(|(success, _)| *success);
        let output = if explained.is_empty() {
            "the case has no trace in a file".to_owned()
        } else {
            explained.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n")
        };
        let folder = locate_out_folder_of(&self.base).join("explained");
        let file = folder.join(format!("{}.txt", escape_file_name(&self.name.replace("::", "."))));
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, &output));
        let file = written.ok().map(|()| file);
        CommandResult { name: self.name.clone(), success, output, file, runner: None }
    }

    fn explain_trace(&self, trace: &Path) -> (bool, String) {
        let mut command = Self::own_program(&["explain"]);
        self.capture(command.arg(trace)).unwrap_or_else(|problem| (false, problem))
    }
}

/// Whether the package has the test target `evals`.
fn has_target(base: &Path) -> bool {
    let manifest = fs::read_to_string(base.join("Cargo.toml")).unwrap_or_default();
    manifest.contains("arraign") && manifest.contains("[[test]]") && base.join("tests/evals.rs").is_file()
}
