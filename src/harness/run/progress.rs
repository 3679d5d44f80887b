//! One line on the terminal while agents or a judge are asked: how long, how many have answered, and who is at work.
//!
//! It stands on standard error, on the screen that standard output writes to as well. Hence the line is never there while
//! others write: its thread holds both streams as long as it is to be seen, takes it away before it lets go of them, and
//! stays away for a moment after each trial, whose own line is about to be printed. Agents in this very process may print,
//! and their time is measured: nobody holds the streams then, and what they print may stand on the line.

use std::env;
use std::io::{self, IsTerminal as _, StderrLock, StdoutLock};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use libtest_mimic::{Arguments, FormatSetting};

use super::asking::Asking;
use crate::harness::settings::is_ci;
use crate::report::plain::escape_line;

/// How long the line stands before it is drawn anew.
const SHOWN: Duration = Duration::from_millis(120);
/// How long others may write in between: too short to be seen.
const AWAY: Duration = Duration::from_millis(5);
/// How long the line of a trial that has ended may take.
const ROOM: Duration = Duration::from_millis(60);
/// A run that takes no longer needs no line.
const PATIENCE: Duration = Duration::from_millis(300);
/// How many of those at work are named.
const NAMED: usize = 5;

/// When the line may be seen.
#[derive(Default)]
pub(in crate::harness) struct Progress {
    moments: Mutex<Moments>,
    changed: Condvar,
}

#[derive(Default)]
struct Moments {
    /// Others are about to write, until then.
    room: Option<Instant>,
    ended: bool,
}

/// The line, shown until this value is dropped.
pub(in crate::harness) struct ProgressLine {
    progress: Arc<Progress>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.progress.moments().ended = true;
        self.progress.changed.notify_all();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Progress {
    /// Shows the line where a person looks at the terminal. `count` tells how many trials ask agents and the judge;
    /// `may_print` says that agents run in this process and may print.
    pub(in crate::harness) fn show(
        progress: &Arc<Self>,
        arguments: &Arguments,
        may_print: bool,
        count: impl Fn() -> [Asking; 2] + Send + 'static,
    ) -> Option<ProgressLine> {
        if !is_wanted(arguments) {
            return None;
        }
        let own = Arc::clone(progress);
        let builder = thread::Builder::new().name("progress".to_owned());
        let thread = builder.spawn(move || draw_until_ended(&own, may_print, count)).ok()?;
        Some(ProgressLine { progress: Arc::clone(progress), thread: Some(thread) })
    }

    /// A trial has ended: its line is about to be printed.
    pub(in crate::harness) fn make_room(&self) {
        self.moments().room = Some(Instant::now() + ROOM);
        self.changed.notify_all();
    }

    /// Waits for this long, or until a trial or the run has ended.
    fn wait(&self, time: Duration) {
        drop(self.changed.wait_timeout(self.moments(), time));
    }

    /// Waits until others have written, for `time` at least. False: the run has ended.
    fn has_room_after(&self, time: Duration) -> bool {
        let mut until = Instant::now() + time;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            self.wait(left);
            let moments = self.moments();
            if moments.ended {
                return false;
            }
            until = until.max(moments.room.unwrap_or(until));
        }
        true
    }

    fn moments(&self) -> MutexGuard<'_, Moments> {
        self.moments.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// On one thread, and where trials are dots, a line of theirs is not yet ended while they run.
fn is_wanted(arguments: &Arguments) -> bool {
    let is_pretty = !arguments.quiet && matches!(arguments.format, None | Some(FormatSetting::Pretty));
    let threads = arguments.test_threads.or_else(|| thread::available_parallelism().ok().map(Into::into));
    let is_whole_run = !arguments.list && !arguments.exact && threads.is_some_and(|threads| threads > 1);
    let is_dumb = env::var("TERM").map_or(cfg!(unix), |term| term == "dumb");
    is_pretty && is_whole_run && io::stderr().is_terminal() && !is_ci() && !is_dumb
}

/// Both streams: nobody else writes to them meanwhile.
fn lock_streams() -> (StdoutLock<'static>, StderrLock<'static>) {
    (io::stdout().lock(), io::stderr().lock())
}

/// Draws the line again and again until the run ends. In each round the line is visible for [`SHOWN`], while the streams
/// are locked, and gone for [`AWAY`], while others may write.
fn draw_until_ended(progress: &Progress, may_print: bool, count: impl Fn() -> [Asking; 2]) {
    let lines = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
    let bar = lines.add(ProgressBar::no_length());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    let mut away = PATIENCE;
    while progress.has_room_after(away) {
        away = AWAY;
        let [agents, judge] = count();
        let Some(line) = format_line(&agents, &judge) else {
            progress.wait(SHOWN);
            continue;
        };
        let streams = (!may_print).then(lock_streams);
        bar.set_message(line);
        bar.tick();
        progress.wait(SHOWN);
        let _ = lines.clear();
        drop(streams);
    }
}

/// `agents 3 of 9, judge 0 of 2: refund, greet`; nothing while nobody is at work.
fn format_line(agents: &Asking, judge: &Asking) -> Option<String> {
    let counts = [("agents", agents), ("judge", judge)].map(|(who, asking)| {
        (asking.asked > 0).then(|| format!("{who} {} of {}", asking.answered, asking.asked))
    });
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    let at_work: Vec<&String> = agents.at_work.iter().chain(&judge.at_work).collect();
    let named: Vec<String> = at_work.iter().take(NAMED).map(|name| escape_line(name)).collect();
    let more = match at_work.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!named.is_empty()).then(|| format!("{}: {}{more}", counts.join(", "), named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(answered: usize, asked: usize, at_work: &[&str]) -> Asking {
        Asking { asked, answered, at_work: at_work.iter().map(|name| (*name).to_owned()).collect() }
    }

    #[test]
    fn only_what_is_asked_is_told() {
        let agents = asking(3, 9, &["a", "b"]);
        assert_eq!(format_line(&agents, &Asking::default()).as_deref(), Some("agents 3 of 9: a, b"));
        let said = format_line(&agents, &asking(0, 2, &["c\u{1b}[2J"])).expect("a line");
        assert!(said.starts_with("agents 3 of 9, judge 0 of 2: a, b, c"), "{said}");
        assert!(!said.contains('\u{1b}'), "{said:?}");
        assert_eq!(format_line(&Asking::default(), &asking(2, 2, &[])), None);
    }

    #[test]
    fn a_crowd_is_counted() {
        let names: Vec<String> = (0..7).map(|n| n.to_string()).collect();
        let agents = Asking { asked: 7, answered: 0, at_work: names };
        let said = format_line(&agents, &Asking::default());
        assert_eq!(said.as_deref(), Some("agents 0 of 7: 0, 1, 2, 3, 4 and 2 more"));
    }
}
