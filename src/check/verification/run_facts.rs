//! The facts of a run, collected call by call: files that were written and not shown since, deployments that were not
//! checked since, tests that ran after the last change of code.

use std::collections::HashSet;

use super::act::{Act, AddedNames, Ran, Undo};
use super::event::{acts, is_creation};
use super::other_tool::OtherCall;
use super::output::CallOutput;
use super::path::{extension, file_name, is_code, is_scratch};
use super::path_map::PathMap;
use super::purpose::Purpose;
use super::shown::named_lines;
use super::test_outcome::TestOutcome;
use super::written::Written;
use crate::json::Json;
use crate::trace::{Call, Trace};

/// The most files that are searched for in the result of one call.
const MOST_READS: usize = 100;

/// The most calls of tools in no table that are kept.
const MOST_OTHERS: usize = 200;

/// The most deleted folders whose files are looked for.
const MOST_FOLDERS: usize = 50;

/// A deployment that worked.
#[derive(Debug)]
pub(super) struct Deployment {
    /// The index of the call, from 0.
    pub(super) call: usize,
    /// Whether a health check after the deployment worked.
    pub(super) is_healthy: bool,
}

/// A run of tests.
#[derive(Debug)]
pub(super) struct TestRun {
    /// The index of the call, from 0.
    pub(super) call: usize,
    /// The place of the run among all events.
    pub(super) at: usize,
    /// The exit code, if it is known.
    code: Option<i64>,
    /// The result of the tests.
    pub(super) outcome: TestOutcome,
}

/// A run of a type checker, a linter or a measurement of coverage.
#[derive(Debug)]
pub(super) struct GateRun {
    /// The thing that was checked.
    pub(super) purpose: Purpose,
    /// The place of the run among all events.
    pub(super) at: usize,
    /// The exit code, if it is known.
    pub(super) code: Option<i64>,
    /// The words of the command.
    pub(super) words: Vec<String>,
}

impl GateRun {
    /// Whether a word of the command contains `program`.
    pub(super) fn names(&self, program: &str) -> bool {
        self.words.iter().any(|word| word.contains(program))
    }
}

/// The facts of a run.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct RunFacts {
    /// The output of each call.
    pub(super) outputs: Vec<CallOutput>,
    /// The files written, each with its last edit.
    pub(super) written: PathMap<Written>,
    /// The deployments.
    pub(super) deployments: Vec<Deployment>,
    /// The runs of tests.
    pub(super) tests: Vec<TestRun>,
    /// The other checks.
    pub(super) gates: Vec<GateRun>,
    /// The first and the last change of code: their places among all events.
    pub(super) code_edits: Option<(usize, usize)>,
    /// A file was shown or written.
    pub(super) touches_files: bool,
    /// A file was shown.
    pub(super) reads: bool,
    /// Something looked at the work: a file shown, a test, a check, a health check.
    pub(super) looks: bool,
    /// How the last health check ended.
    pub(super) last_health: Option<bool>,
    /// Some call may have changed files that are not known.
    pub(super) may_change: bool,
    /// Whether the files of the run's workspace changed, where that is known: then no command has to be guessed at.
    pub(super) workspace_changed: Option<bool>,
    /// The last line shown of each file.
    pub(super) last_lines: PathMap<usize>,
    /// Line numbers that results name.
    pub(super) named_lines: HashSet<usize>,
    /// The subcommands of git that share work, such as `commit` and `push`, and worked.
    pub(super) shared: HashSet<String>,
    /// A shell line was run.
    pub(super) ran: bool,
    /// The calls of tools that are in no table: one of those that say the same.
    pub(super) others: Vec<OtherCall>,
    /// The place of the last change of code before it was put away by `git stash`.
    stashed: Option<(usize, usize)>,
    /// Files that the run made itself, which it may throw away.
    own_files: PathMap<()>,
    /// The number of folders that were deleted.
    deleted_folders: usize,
    /// The number of events.
    events: usize,
}

impl RunFacts {
    /// Collects the facts of `trace`. Line numbers in `asked`, the input of the user, count as seen.
    pub(super) fn of(trace: &Trace, asked: Option<&str>, tables: &AddedNames) -> Self {
        let mut facts = Self::default();
        named_lines(asked.unwrap_or_default(), &mut facts.named_lines);
        let answer = trace.answer.as_deref().unwrap_or_default();
        for (index, call) in trace.calls.iter().enumerate() {
            let output = CallOutput::of(call);
            named_lines(&output.text, &mut facts.named_lines);
            facts.call(index, call, &output, tables, answer);
            facts.outputs.push(output);
        }
        facts
    }

    /// Returns the files that were written and not moved away.
    pub(super) fn edits(&self) -> impl Iterator<Item = &Written> {
        self.written.iter().filter(|written| !written.is_gone)
    }

    fn call(&mut self, index: usize, call: &Call, output: &CallOutput, tables: &AddedNames, answer: &str) {
        let mut reads = 0;
        for act in acts(call, output, tables) {
            self.events += 1;
            match act {
                Act::Edit(path, text) => {
                    if self.written.get(&path).is_none()
                        && self.last_lines.get(&path).is_none()
                        && is_creation(call)
                    {
                        self.own_files.insert(&path, ());
                    }
                    self.edit(index, &path, text.as_deref());
                }
                Act::Read(path) => {
                    reads += 1;
                    // Each read is looked up in all written files, so their number is limited for each call.
                    if reads <= MOST_READS {
                        self.read(call, &path, output);
                    }
                }
                Act::Diff(path) => self.diff(&path),
                Act::Move(from, to) => self.move_file(&from, &to),
                Act::Run(ran) => self.run(index, ran, output),
                Act::Change => self.may_change = true,
                Act::Overwrite(path) => self.overwrite(&path),
                Act::Remove(path) => self.remove(&path, answer),
                Act::TakeBack(undo) => self.take_back(undo),
                Act::Share(subcommand) => {
                    self.ran = true;
                    self.shared.insert(subcommand);
                }
                Act::Line => self.ran = true,
                Act::Other(other) => self.note_other(other),
            }
        }
    }

    fn note_other(&mut self, other: OtherCall) {
        if self.others.len() < MOST_OTHERS && !self.others.contains(&other) {
            self.others.push(other);
        }
    }

    /// Whether a tool that is in no table did, or may have done, more than look.
    pub(super) fn may_have_worked_elsewhere(&self) -> bool {
        self.others.iter().any(OtherCall::may_have_worked)
    }

    fn edit(&mut self, call: usize, path: &str, text: Option<&str>) {
        if is_scratch(path) {
            return;
        }
        if is_code(path) {
            self.note_code_edit();
        }
        self.touches_files = true;
        // The file is at least as long as before, and may be longer by the lines that were written: citing these
        // lines is right.
        let added = text.map_or(0, |text| text.lines().count());
        let last = self.last_lines.get_mut(path).map_or(added, |last| last.saturating_add(added));
        self.last_lines.insert(path, last);
        self.written.insert(path, Written::new(path, call, text));
    }

    fn read(&mut self, call: &Call, path: &str, output: &CallOutput) {
        (self.touches_files, self.reads, self.looks) = (true, true, true);
        // A read that begins further down shows lines from there.
        let first = call.arguments.get("offset").and_then(Json::as_u64).unwrap_or(1);
        let shown = output.last_line(usize::try_from(first).unwrap_or(1));
        match self.last_lines.get_mut(path) {
            Some(last) => *last = shown.max(*last),
            None => self.last_lines.insert(path, shown),
        }
        if let Some(written) = self.written.get_mut(path) {
            written.is_shown = written.is_shown || written.is_in(output);
        }
    }

    fn diff(&mut self, path: &str) {
        (self.touches_files, self.reads, self.looks) = (true, true, true);
        if let Some(written) = self.written.get_mut(path) {
            written.is_shown = true;
        }
    }

    /// Notes a change of code. The first one stays, and the last one moves on: gates are judged by the first, and tests by the
    /// last.
    fn note_code_edit(&mut self) {
        let first = self.code_edits.map_or(self.events, |(first, _)| first);
        self.code_edits = Some((first, self.events));
    }

    /// A file was replaced by a copy of another one. What was written into it before is gone.
    fn overwrite(&mut self, path: &str) {
        if is_scratch(path) {
            return;
        }
        if let Some(written) = self.written.get_mut(path) {
            written.is_shown = false;
        }
        if is_code(path) {
            self.note_code_edit();
        }
    }

    /// A file was deleted. One that the run made for itself, and that its answer does not name, was never part of the work.
    fn remove(&mut self, path: &str, answer: &str) {
        let is_own = self.own_files.get(path).is_some() && !answer.contains(file_name(path));
        let mut holds_code = is_code(path) && !is_scratch(path);
        if let Some(written) = self.written.get_mut(path) {
            written.is_gone = true;
        } else if extension(path).is_empty() && self.deleted_folders < MOST_FOLDERS {
            self.deleted_folders += 1;
            let inside = format!("{}/", path.trim_end_matches('/'));
            for written in self.written.iter_mut().filter(|written| written.path.starts_with(&inside)) {
                holds_code = holds_code || (written.is_code && !written.is_gone);
                written.is_gone = true;
            }
        }
        if holds_code && !is_own {
            self.note_code_edit();
        }
    }

    /// Git put files back to what they were.
    fn take_back(&mut self, undo: Undo) {
        match undo {
            // What was put away comes back as it was tested.
            Undo::Unstash => self.code_edits = self.stashed.take().or(self.code_edits),
            Undo::Stash => {
                self.stashed = self.code_edits;
                self.take_back(Undo::All);
            }
            Undo::All => {
                if self.code_edits.is_some() {
                    self.note_code_edit();
                }
            }
            Undo::File(path) => self.overwrite(&path),
        }
    }

    fn move_file(&mut self, from: &str, to: &str) {
        if (is_code(from) || is_code(to)) && !is_scratch(from) {
            self.note_code_edit();
        }
        let Some(written) = self.written.get_mut(from).filter(|written| !written.is_gone) else { return };
        let moved = written.move_to(to);
        self.written.insert(to, moved);
    }

    fn run(&mut self, call: usize, ran: Ran, output: &CallOutput) {
        self.looks = self.looks || ran.purpose != Purpose::Deploy;
        self.ran = true;
        let at = self.events;
        match ran.purpose {
            Purpose::Deploy => {
                // Without an exit code, the tool's own report of a failure decides.
                if ran.code.is_none_or(|code| code == 0) && !(ran.code.is_none() && output.failed) {
                    self.deployments.push(Deployment { call, is_healthy: false });
                }
            }
            Purpose::Health => self.health(&ran, output),
            Purpose::Test => self.test(call, &ran, output),
            purpose => self.gates.push(GateRun { purpose, at, code: ran.code, words: ran.words }),
        }
    }

    fn test(&mut self, call: usize, ran: &Ran, output: &CallOutput) {
        let at = self.events;
        let code = ran.code;
        // Several test commands of one shell line share one output, which is parsed once.
        if let Some(last) = self.tests.last_mut().filter(|last| last.call == call && last.code == code) {
            last.at = at;
            return;
        }
        let outcome = TestOutcome::parse(&output.text, code);
        if !outcome.is_empty && !output.never_ran() {
            self.tests.push(TestRun { call, at, code, outcome });
        }
    }

    /// A health check that passes covers all deployments before it. One that fails concerns only the last.
    fn health(&mut self, ran: &Ran, output: &CallOutput) {
        // A health check works if the command did, and if its output shows no sick service: `curl` succeeds on a page
        // that says 503.
        let works = !output.failed && ran.code.is_none_or(|code| code == 0) && !output.is_sick();
        self.last_health = Some(works);
        if works {
            let since = self.deployments.iter_mut().rev().take_while(|deployment| !deployment.is_healthy);
            since.for_each(|deployment| deployment.is_healthy = true);
        } else if let Some(last) = self.deployments.last_mut() {
            last.is_healthy = false;
        }
    }
}
