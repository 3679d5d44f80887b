//! The lines of a run, in the formats of libtest.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Stdout, Write as _};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use libtest_mimic::{ColorSetting, FormatSetting};

use super::TrialCounts;
use super::trial::TrialFailure;
use crate::harness::cli::{HarnessCommand, LibtestFlags};
use crate::harness::{FAILED, stderr};
use crate::json;
use crate::report::plain::{count_noun, escape_line, truncate_text};

/// The number of failures of one cause from which on only the first is shown whole.
const SHARED_FROM: usize = 4;
/// The number of further trials with the same cause that are listed.
const MAX_LISTED: usize = 20;
/// The largest length of what such a trial says in one line, in characters.
const MAX_HEADLINE_CHARS: usize = 160;

const GREEN: &str = "\x1b[32m";
const RED: &str = "\x1b[31m";
const YELLOW: &str = "\x1b[33m";
const RESET: &str = "\x1b[0m";

/// How a trial ended.
pub(super) enum TrialOutcome {
    Passed,
    Failed(TrialFailure),
    /// It did not run, for this reason.
    Ignored(Option<String>),
}

/// Prints what happens to the trials of a run. A line that cannot be written ends the process, because nobody would see the result.
pub(super) struct Printer {
    out: AutoStream<Stdout>,
    /// A file that gets a line for each trial, beside what is printed.
    log: Option<File>,
    format: FormatSetting,
    flags: LibtestFlags,
    name_width: usize,
}

impl Printer {
    /// Creates a printer for trials of these names.
    pub(super) fn new<'n>(command: &HarnessCommand, names: impl Iterator<Item = &'n str>) -> Self {
        let arguments = &command.arguments;
        let choice = match arguments.color {
            None | Some(ColorSetting::Auto) => ColorChoice::Auto,
            Some(ColorSetting::Always) => ColorChoice::Always,
            Some(ColorSetting::Never) => ColorChoice::Never,
        };
        let format = if arguments.quiet { Some(FormatSetting::Terse) } else { arguments.format };
        Self {
            out: AutoStream::new(io::stdout(), choice),
            // That the file can be created was tried when the flag was read.
            log: arguments.logfile.as_ref().and_then(|path| File::create(path).ok()),
            format: format.unwrap_or_default(),
            flags: command.more,
            name_width: names.map(|name| name.chars().count()).max().unwrap_or(0),
        }
    }

    fn print(&mut self, text: &str) {
        if !self.flags.prints_junit {
            end_unless_written(self.out.write_all(text.as_bytes()));
        }
    }

    /// Prints the list of the trials.
    pub(super) fn print_list<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            end_unless_written(writeln!(self.out, "{name}: test"));
            if let Some(log) = &mut self.log {
                let _ = writeln!(log, "test {name}");
            }
        }
    }

    /// Prints the number of trials, before the first one.
    pub(super) fn print_title(&mut self, trials: usize) {
        let seed = self.flags.shuffle_seed;
        self.print(&match self.format {
            FormatSetting::Json => {
                let seed = seed.map_or(String::new(), |seed| format!(r#", "shuffle_seed": {seed}"#));
                format!(r#"{{ "type": "suite", "event": "started", "test_count": {trials}{seed} }}"#) + "\n"
            }
            FormatSetting::Pretty | FormatSetting::Terse => {
                let seed = seed.map_or(String::new(), |seed| format!(" (shuffle seed: {seed})"));
                format!("\nrunning {}{seed}\n", count_noun(trials, "test"))
            }
        });
    }

    /// Prints that a trial starts.
    pub(super) fn print_start(&mut self, name: &str) {
        match self.format {
            FormatSetting::Pretty => {
                self.print(&format!("test {name:<width$} ... ", width = self.name_width));
                end_unless_written(self.out.flush());
            }
            FormatSetting::Terse => {}
            FormatSetting::Json => {
                let name = json_text(name);
                self.print(&format!("{{ \"type\": \"test\", \"event\": \"started\", \"name\": {name} }}\n"));
            }
        }
    }

    /// Prints the end of a trial. `took` is absent for one that did not run.
    pub(super) fn print_end(&mut self, name: &str, outcome: &TrialOutcome, took: Option<Duration>) {
        self.log_end(name, outcome, took);
        let reported = took.filter(|_| self.flags.reports_time);
        let time = reported.map_or(String::new(), |took| format!(" <{:.3}s>", took.as_secs_f64()));
        let (color, word, letter) = match outcome {
            TrialOutcome::Passed => (GREEN, "ok", '.'),
            TrialOutcome::Failed(_) => (RED, "FAILED", 'F'),
            TrialOutcome::Ignored(_) => (YELLOW, "ignored", 'i'),
        };
        let line = match self.format {
            FormatSetting::Pretty => {
                let reason = match outcome {
                    TrialOutcome::Ignored(Some(reason)) => format!(" ({})", escape_line(reason)),
                    _ => String::new(),
                };
                format!("{color}{word}{reason}{RESET}{time}\n")
            }
            FormatSetting::Terse => format!("{color}{letter}{RESET}"),
            FormatSetting::Json => {
                let event = word.to_ascii_lowercase();
                let took =
                    took.map_or(String::new(), |took| format!(r#", "exec_time": {}"#, took.as_secs_f64()));
                let stdout = match outcome {
                    TrialOutcome::Failed(failure) => {
                        format!(r#", "stdout": {}"#, json_text(&failure.message))
                    }
                    _ => String::new(),
                };
                let name = json_text(name);
                format!("{{ \"type\": \"test\", \"name\": {name}, \"event\": \"{event}\"{took}{stdout} }}\n")
            }
        };
        self.print(&line);
        if self.format == FormatSetting::Terse {
            end_unless_written(self.out.flush());
        }
    }

    fn log_end(&mut self, name: &str, outcome: &TrialOutcome, took: Option<Duration>) {
        let Some(log) = &mut self.log else { return };
        let result = match outcome {
            TrialOutcome::Passed => "ok".to_owned(),
            TrialOutcome::Failed(_) => "failed".to_owned(),
            TrialOutcome::Ignored(None) => "ignored".to_owned(),
            TrialOutcome::Ignored(Some(reason)) => format!("ignored: {}", escape_line(reason)),
        };
        let time = took.filter(|_| self.flags.reports_time);
        let time = time.map_or(String::new(), |took| format!(" <{:.3}s>", took.as_secs_f64()));
        let _ = writeln!(log, "{result} {name}{time}");
    }

    /// Prints the messages of the trials that failed, and the list of their names.
    pub(super) fn print_failures(&mut self, failed: &[(&str, TrialFailure)]) {
        if failed.is_empty() || self.format == FormatSetting::Json {
            return;
        }
        let mut text = "\nfailures:\n\n".to_owned();
        for FailureGroup { name, first: failure, others } in group_by_cause(failed) {
            // The list names a trial that has nothing to say.
            if failure.message.is_empty() {
                continue;
            }
            let _ = writeln!(text, "---- {name} ----\n{}", failure.message);
            text += &render_others(failure, &others);
            text += "\n";
        }
        text += "\nfailures:\n";
        for (name, _) in failed {
            let _ = writeln!(text, "    {name}");
        }
        self.print(&text);
    }

    /// Prints the counts of the run, after the last trial.
    pub(super) fn print_summary(&mut self, counts: TrialCounts, took: Duration) {
        let TrialCounts { passed, failed, ignored, filtered_out } = counts;
        let took = took.as_secs_f64();
        let is_red = failed > 0;
        self.print(&match self.format {
            FormatSetting::Json => format!(
                "{{ \"type\": \"suite\", \"event\": \"{}\", \"passed\": {passed}, \"failed\": {failed}, \
                 \"ignored\": {ignored}, \"measured\": 0, \"filtered_out\": {filtered_out}, \"exec_time\": {took} }}\n",
                if is_red { "failed" } else { "ok" },
            ),
            FormatSetting::Pretty | FormatSetting::Terse => format!(
                "\ntest result: {}{}{RESET}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; \
                 {filtered_out} filtered out; finished in {took:.2}s\n\n",
                if is_red { RED } else { GREEN },
                if is_red { "FAILED" } else { "ok" },
            ),
        });
    }
}

/// Ends the process if standard output cannot be written: its reader has gone (`cargo test | head`), or the disk is full.
fn end_unless_written(written: io::Result<()>) {
    let Err(error) = written else { return };
    // A reader that has gone is no mistake of the run.
    if error.kind() == io::ErrorKind::BrokenPipe {
        std::process::exit(FAILED.into());
    }
    let problem = error.to_string();
    // Rust adds the number of the error, which says nothing more.
    let problem = problem.split(" (os error").next().unwrap_or_default();
    stderr::eprint(&format!("error: cannot write the output: {}", escape_line(problem)));
    std::process::exit(2);
}

/// Failures of one cause: the first, and the others. A failure that is shown alone has no others.
struct FailureGroup<'f> {
    name: &'f str,
    first: &'f TrialFailure,
    others: Vec<(&'f str, &'f TrialFailure)>,
}

/// Puts the failures of one cause together, if there are many of them.
fn group_by_cause<'f>(failed: &'f [(&'f str, TrialFailure)]) -> Vec<FailureGroup<'f>> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for cause in failed.iter().filter_map(|(_, failure)| failure.cause.as_deref()) {
        *counts.entry(cause).or_default() += 1;
    }
    let mut groups: Vec<FailureGroup<'f>> = Vec::new();
    // The place in `groups` of the first failure of each shared cause.
    let mut firsts: HashMap<&str, usize> = HashMap::new();
    for (name, failure) in failed {
        let shared = failure.cause.as_deref().filter(|cause| counts[cause] >= SHARED_FROM);
        if let Some(first) = shared.and_then(|cause| firsts.get(cause)) {
            groups[*first].others.push((name, failure));
        } else {
            firsts.extend(shared.map(|cause| (cause, groups.len())));
            groups.push(FailureGroup { name, first: failure, others: Vec::new() });
        }
    }
    groups
}

/// Renders the trials that failed for the same reason as `first`, which is shown whole. A headline that says something else is
/// shown as well.
fn render_others(first: &TrialFailure, others: &[(&str, &TrialFailure)]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let mut text = format!("the same for {}:\n", count_noun(others.len(), "more trial"));
    for (name, failure) in others.iter().take(MAX_LISTED) {
        let _ = if failure.headline == first.headline {
            writeln!(text, "  {name}")
        } else {
            writeln!(text, "  {name}: {}", truncate_text(&failure.headline, MAX_HEADLINE_CHARS))
        };
    }
    if others.len() > MAX_LISTED {
        let more = others.len() - MAX_LISTED;
        let _ = writeln!(text, "  ... and {more} more, which the list at the end names");
    }
    text
}

/// Renders a text as a JSON string that is safe in a log.
fn json_text(text: &str) -> String {
    json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(cause: Option<&str>) -> TrialFailure {
        TrialFailure {
            message: "the block\n".to_owned(),
            headline: "in one line".to_owned(),
            cause: cause.map(str::to_owned),
        }
    }

    #[test]
    fn many_failures_of_one_cause_are_one_block_and_a_list() {
        let causes = [Some("a"), None, Some("a"), Some("b"), Some("a"), Some("a"), Some("b"), Some("b")];
        let names = ["0", "1", "2", "3", "4", "5", "6", "7"];
        let failed: Vec<(&str, TrialFailure)> =
            names.into_iter().zip(causes.into_iter().map(failure)).collect();
        let groups = group_by_cause(&failed);
        let shown: Vec<(&str, usize)> = groups.iter().map(|group| (group.name, group.others.len())).collect();
        // Three of the cause `b` are too few to be put together.
        assert_eq!(shown, [("0", 3), ("1", 0), ("3", 0), ("6", 0), ("7", 0)]);
        assert_eq!(
            render_others(groups[0].first, &groups[0].others),
            "the same for 3 more trials:\n  2\n  4\n  5\n"
        );
        let other = TrialFailure { headline: "another line".to_owned(), ..failure(Some("a")) };
        let list = render_others(&failure(Some("a")), &[("8", &other)]);
        assert_eq!(list, "the same for 1 more trial:\n  8: another line\n");
    }
}
