//! What a shell line did: files written by `sed -i`, `tee`, `>` and patches, files shown by `cat` and `grep`, tests run.

use super::act::{Act, AddedNames, Ran, Undo};
use super::editor;
use super::output::CallOutput;
use super::patch;
use super::path::{extension, file_name, is_scratch, join, program_name};
use super::purpose::{Purpose, is_no_run, purposes};
use super::shell::{Command, Next, commands, stages};
use super::shell_file;
use super::shown;
use crate::trace::Call;

/// Lists the acts of the shell line of `call`.
pub(super) fn acts(call: &Call, output: &CallOutput, tables: &AddedNames) -> Vec<Act> {
    let Some(line) = editor::shell_line(call) else { return Vec::new() };
    let commands = commands(&line);
    let visible = find_visible(&commands);
    let codes = infer_codes(&commands, output);
    let mut line = Line {
        folder: editor::folder(call),
        output,
        tables,
        text: None,
        captures: false,
        looks: 0,
        acts: vec![Act::Line],
    };
    for (index, command) in commands.iter().enumerate().take(MOST_COMMANDS) {
        // The exit code and the output of a line are those of its last command.
        let is_last = index + 1 == commands.len();
        line.command(command, visible[index], codes[index], is_last);
    }
    line.acts
}

/// Finds the commands whose output is in the result. A redirection hides it, and so does a pipe into a program that does
/// not pass it on.
fn find_visible(commands: &[Command]) -> Vec<bool> {
    let mut visible = vec![true; commands.len()];
    // From the last command to the first: a command in a pipe is visible only if the next one is.
    for (index, command) in commands.iter().enumerate().rev() {
        let seen = command.next != Next::Pipe
            || commands
                .get(index + 1)
                .is_some_and(|next| shell_file::passes_on(&next.words) && visible[index + 1]);
        visible[index] = seen && command.writes.is_empty();
    }
    visible
}

/// Infers the exit code of each command from the code of the whole line: not through a pipe, nor past `;` and `||`.
fn infer_codes(commands: &[Command], output: &CallOutput) -> Vec<Option<i64>> {
    let mut codes = vec![None; commands.len()];
    let Some(code) = output.exit_code else { return codes };
    // From the last command to the first: the code of the line is that of the last command. A success proves the success
    // of all commands joined with `&&` before it; a failure does not tell which of them failed.
    let mut decides = true;
    for (index, command) in commands.iter().enumerate().rev() {
        let depends = index > 0 && commands[index - 1].next == Next::And;
        decides = decides && !matches!(command.next, Next::Or | Next::Then);
        codes[index] = match command.next {
            Next::End if code == 0 || !depends => Some(code),
            Next::And if code == 0 && decides => Some(0),
            _ => None,
        };
    }
    codes
}

/// A shell line that is being read.
struct Line<'l> {
    folder: &'l str,
    output: &'l CallOutput,
    tables: &'l AddedNames,
    /// The text that goes through the pipe, if the line contains it.
    text: Option<String>,
    /// Whether the pipe carries the output of a test or another check: writing it to a file is not an edit.
    captures: bool,
    /// How often the result was searched for names of files.
    looks: usize,
    acts: Vec<Act>,
}

/// The most commands that are read in one line.
const MOST_COMMANDS: usize = 500;
/// The most files that one command can write.
const MOST_TARGETS: usize = 20;
/// The largest number of searches for names of files in the result of a line.
const MOST_LOOKS: usize = 8;

impl Line<'_> {
    fn command(&mut self, command: &Command, visible: bool, code: Option<i64>, is_last: bool) {
        // Three questions about each command: what it was run for, which text flows through its pipe, and which files
        // it writes and shows. A command that did not run, or that failed at the end of the line, answers fewer of
        // them.
        let stages = stages(&command.words);
        let words = stages.last().copied().unwrap_or_default();
        // A text flows on only through commands that copy their input: what `sort` prints is not what it read.
        let found = purposes(&command.words, &self.tables.commands);
        let piped = self.text.take().filter(|_| shell_file::copies(words));
        self.text = command.input.clone().or_else(|| shell_file::said(words)).or(piped);
        self.captures = self.captures || !found.is_empty();
        let is_known = !found.is_empty() || is_no_run(&command.words) || shell_file::is_harmless(words);
        if !self.is_missing(words, is_last) {
            self.run(found, command, code);
        }
        // A line that failed at its end may have written nothing, so nothing is counted as written.
        if !(is_last && self.output.failed) {
            self.files(command, words, is_known, visible);
        }
        if command.next != Next::Pipe {
            (self.text, self.captures) = (None, false);
        }
    }

    /// Whether the shell did not find the program.
    fn is_missing(&self, words: &[String], is_last: bool) -> bool {
        let is_told = words.first().is_some_and(|word| self.output.misses(file_name(word)));
        is_told || (is_last && self.output.never_ran())
    }

    fn run(&mut self, purposes: Vec<Purpose>, command: &Command, code: Option<i64>) {
        let words = &command.words;
        let runs = purposes.into_iter().map(|purpose| Act::Run(Ran { purpose, code, words: words.clone() }));
        self.acts.extend(runs);
    }

    /// Adds the files that are written and shown. An unknown command may have written any file.
    fn files(&mut self, command: &Command, words: &[String], is_known: bool, visible: bool) {
        let before = self.acts.len();
        self.writes(command, words);
        self.undo(command, words);
        if let Some(subcommand) = shell_file::shared(words) {
            self.acts.push(Act::Share(subcommand.to_owned()));
        }
        // A known command without a written file writes none.
        if self.acts.len() == before && !is_known {
            self.acts.push(Act::Change);
        }
        if visible {
            self.reads(command, words);
        }
    }

    fn path(&self, command: &Command, path: &str) -> String {
        join(self.folder, &join(&command.folder, path))
    }

    fn writes(&mut self, command: &Command, words: &[String]) {
        if let [from, to] = shell_file::moved(words).as_slice() {
            self.move_file(command, from, to);
        }
        for path in shell_file::rewritten(words) {
            self.edit(command, path, None);
        }
        // Redirected output of tests is a log, and no edit.
        let targets = command.writes.iter().map(String::as_str).chain(shell_file::teed(words));
        for path in targets.take(MOST_TARGETS) {
            if !self.captures && !is_capture(path) {
                self.edit(command, path, self.text.clone());
            }
        }
        self.patch(command, words);
    }

    fn edit(&mut self, command: &Command, path: &str, text: Option<String>) {
        self.acts.push(Act::Edit(self.path(command, path), text));
    }

    /// A file from a scratch folder was not recorded there, so the move counts as an edit.
    fn move_file(&mut self, command: &Command, from: &str, to: &str) {
        if is_scratch(from) {
            self.edit(command, to, None);
        } else {
            self.acts.push(Act::Move(self.path(command, from), self.path(command, to)));
        }
    }

    /// Copies over a file, deletes files, puts back what git knows. Which other files are changed so is not known.
    fn undo(&mut self, command: &Command, words: &[String]) {
        let before = self.acts.len();
        if let Some(path) = shell_file::copied_over(words) {
            self.acts.push(Act::Overwrite(self.path(command, path)));
        }
        for path in shell_file::deleted(words).into_iter().take(MOST_TARGETS) {
            self.acts.push(Act::Remove(self.path(command, path)));
        }
        match shell_file::find_undo(words) {
            Some(Undo::File(path)) => self.acts.push(Act::TakeBack(Undo::File(self.path(command, &path)))),
            undo => self.acts.extend(undo.map(Act::TakeBack)),
        }
        if self.acts.len() > before {
            self.acts.push(Act::Change);
        }
    }

    /// `apply_patch <<EOF`, `git apply <<EOF`, `apply_patch '*** Begin Patch ...'`.
    fn patch(&mut self, command: &Command, words: &[String]) {
        if !shell_file::takes_patch(words) {
            return;
        }
        let given = words.iter().skip(1).map(String::as_str).chain(self.text.as_deref());
        let found: Vec<_> = given.filter(|text| patch::is_patch(text)).flat_map(patch::files).collect();
        for file in found {
            self.edit(command, &file.path, Some(file.added));
        }
    }

    fn reads(&mut self, command: &Command, words: &[String]) {
        let paths = shell_file::shown(words);
        let reads: Vec<Act> = paths.into_iter().map(|path| Act::Read(self.path(command, path))).collect();
        self.acts.extend(reads);
        // A difference proves that its files were looked at again, even if the command names none.
        if shell_file::shows_difference(words) && self.looks_again() {
            let changed = shown::changed_files(&self.output.text).into_iter();
            self.acts.extend(changed.map(|path| Act::Diff(path.to_owned())));
        }
        let searches = words.first().is_some_and(|word| shell_file::is_search(&program_name(word)));
        if searches && self.looks_again() {
            let named = shown::named_files(&self.output.text).into_iter();
            self.acts.extend(named.map(|path| Act::Read(path.to_owned())));
        }
    }

    /// Whether the result may be searched again. It is the same for all commands of the line, so a few searches suffice.
    fn looks_again(&mut self) -> bool {
        self.looks += 1;
        self.looks <= MOST_LOOKS
    }
}

/// Whether `path` only keeps output, such as a log: writing it is not an edit.
fn is_capture(path: &str) -> bool {
    is_scratch(path) || matches!(extension(path).as_str(), "log" | "out" | "err" | "pid" | "tmp")
}
