//! Shows one line on the terminal while agents or a judge are asked: the elapsed time, how many have answered, and which
//! trials are waiting.
//!
//! The line is on standard error, and standard output usually writes to the same screen. A line of a trial that is printed
//! while the line of progress is visible would be appended to it. So the line is visible only while its thread has locked
//! both streams. The thread repeats these steps until the run ends:
//!
//! 1. Wait until others have had time to write: for [`AWAY`], and for [`ROOM`] after the end of a trial.
//! 2. Lock both streams, draw the line, and sleep for [`SHOWN`].
//! 3. Clear the line and unlock the streams.
//!
//! Agents that run in this process may print themselves, and their time is measured. They must not wait for a lock, so the
//! streams are not locked then, and their output can collide with the line.

use std::env;
use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use libtest_mimic::FormatSetting;

use super::asking::AskProgress;
use crate::harness::cli::HarnessCommand;
use crate::harness::settings::is_ci;
use crate::report::plain::escape_line;
use crate::source::lock;

/// The time that the line is visible before it is drawn again.
const SHOWN: Duration = Duration::from_millis(120);
/// The gap between redraws during which other output may print.
const AWAY: Duration = Duration::from_millis(5);
/// How long the line stays away after the end of a trial, until the printer has printed the trial's line.
const ROOM: Duration = Duration::from_millis(60);
/// The duration of a run after which the line appears.
const PATIENCE: Duration = Duration::from_millis(300);
/// The largest number of waiting trials that the line names.
const NAMED: usize = 5;

/// The state that the thread of the line shares with the trials.
#[derive(Default)]
pub(crate) struct Progress {
    state: Mutex<DisplayState>,
    changed: Condvar,
}

#[derive(Default)]
struct DisplayState {
    /// The time until which the line stays away.
    away_until: Option<Instant>,
    ended: bool,
}

/// The line of progress, which disappears when this value is dropped.
pub(crate) struct ProgressLine {
    progress: Arc<Progress>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        lock(&self.progress.state).ended = true;
        self.progress.changed.notify_all();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Progress {
    /// Shows the line if a person watches the terminal. `count` returns the counts for agents and for the judge;
    /// `may_print` is true if agents run in this process.
    pub(crate) fn show_line(
        progress: &Arc<Self>,
        command: &HarnessCommand,
        may_print: bool,
        count: impl Fn() -> [AskProgress; 2] + Send + 'static,
    ) -> Option<ProgressLine> {
        if !is_wanted(command) {
            return None;
        }
        let own = Arc::clone(progress);
        let builder = thread::Builder::new().name("progress".to_owned());
        // Without a thread there is no line, which is no reason to fail.
        let thread = builder.spawn(move || draw_until_ended(&own, may_print, count)).ok()?;
        Some(ProgressLine { progress: Arc::clone(progress), thread: Some(thread) })
    }

    /// Clears the line for a trial that has ended, because its own line is about to be printed.
    pub(crate) fn make_room(&self) {
        lock(&self.state).away_until = Some(Instant::now() + ROOM);
        self.changed.notify_all();
    }

    /// Waits for `time`, or until a trial or the run has ended.
    fn wait(&self, time: Duration) {
        drop(self.changed.wait_timeout(lock(&self.state), time));
    }

    /// Stays away for `time` and until no trial's line is about to be printed. Returns false if the run has ended.
    fn stay_away(&self, time: Duration) -> bool {
        let mut until = Instant::now() + time;
        // Each trial that ends meanwhile wakes this thread and can move the end of the wait.
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            self.wait(left);
            let state = lock(&self.state);
            if state.ended {
                return false;
            }
            until = until.max(state.away_until.unwrap_or(until));
        }
        true
    }
}

/// Whether the line is shown: on a terminal that a person watches, and only while no line of the printer is unfinished.
/// On one thread it prints `test NAME ...` before a trial runs, and with `--quiet` a row of dots.
fn is_wanted(command: &HarnessCommand) -> bool {
    let arguments = &command.arguments;
    let is_pretty = !arguments.quiet && matches!(arguments.format, None | Some(FormatSetting::Pretty));
    let is_whole_run = !arguments.list && !arguments.exact && command.count_threads(usize::MAX) > 1;
    // Without `TERM`, a Unix terminal cannot be moved back on; Windows has no such variable.
    let is_dumb = env::var("TERM").map_or(cfg!(unix), |term| term == "dumb");
    is_pretty && is_whole_run && io::stderr().is_terminal() && !is_ci() && !is_dumb
}

/// Draws and clears the line until the run ends.
fn draw_until_ended(progress: &Progress, may_print: bool, count: impl Fn() -> [AskProgress; 2]) {
    let lines = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
    let bar = lines.add(ProgressBar::no_length());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    let mut away = PATIENCE;
    while progress.stay_away(away) {
        // The first round has waited for `PATIENCE`, so that a short run shows no line.
        away = AWAY;
        let [agents, judge] = count();
        let Some(line) = format_line(&agents, &judge) else {
            progress.wait(SHOWN);
            continue;
        };
        // The streams are locked while the line is visible, so that no output mixes with it. An agent in this process
        // may print at any time, and would wait for them.
        let streams = (!may_print).then(|| (io::stdout().lock(), io::stderr().lock()));
        bar.set_message(line);
        bar.tick();
        progress.wait(SHOWN);
        let _ = lines.clear();
        drop(streams);
    }
}

/// Renders the line, such as `agents 3 of 9, judge 0 of 2: refund, greet`. Returns `None` while no trial is waiting.
fn format_line(agents: &AskProgress, judge: &AskProgress) -> Option<String> {
    let counts = [("agents", agents), ("judge", judge)].map(|(who, asking)| {
        (asking.asked > 0).then(|| format!("{who} {} of {}", asking.answered, asking.asked))
    });
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    let at_work: Vec<&String> = agents.at_work.iter().chain(&judge.at_work).collect();
    let named: Vec<String> = at_work.iter().take(NAMED).map(|name| escape_line(name)).collect();
    let more = match at_work.len().saturating_sub(NAMED) {
        // Dozens of agents may work at once, and the line must stay one line.
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!named.is_empty()).then(|| format!("{}: {}{more}", counts.join(", "), named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(answered: usize, asked: usize, at_work: &[&str]) -> AskProgress {
        AskProgress { asked, answered, at_work: at_work.iter().map(|name| (*name).to_owned()).collect() }
    }

    #[test]
    fn the_line_counts_only_respondents_that_are_asked() {
        let agents = asking(3, 9, &["a", "b"]);
        assert_eq!(format_line(&agents, &AskProgress::default()).as_deref(), Some("agents 3 of 9: a, b"));
        let said = format_line(&agents, &asking(0, 2, &["c\u{1b}[2J"])).expect("a line");
        assert!(said.starts_with("agents 3 of 9, judge 0 of 2: a, b, c"), "{said}");
        assert!(!said.contains('\u{1b}'), "{said:?}");
        assert_eq!(format_line(&AskProgress::default(), &asking(2, 2, &[])), None);
    }

    #[test]
    fn the_line_names_five_trials_and_counts_the_rest() {
        let names: Vec<String> = (0..7).map(|n| n.to_string()).collect();
        let agents = AskProgress { asked: 7, answered: 0, at_work: names };
        let said = format_line(&agents, &AskProgress::default());
        assert_eq!(said.as_deref(), Some("agents 0 of 7: 0, 1, 2, 3, 4 and 2 more"));
    }
}
