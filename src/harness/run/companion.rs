//! Runs work within a time limit, on a second thread that each test thread keeps.
//!
//! Rust cannot stop a thread. If the work takes too long, its thread is left alone with it, and the next work gets a new
//! thread. Otherwise one thread does all work of a test thread: starting one for each trial would cost more than most trials.

use std::cell::Cell;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Work for a companion thread.
type Job = Box<dyn FnOnce() + Send>;

thread_local! {
    /// The companion of this thread, while it has no work.
    static IDLE: Cell<Option<Sender<Job>>> = const { Cell::new(None) };
}

/// Why work has no result.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfinished {
    /// It took too long.
    OutOfTime,
    /// Its thread ended.
    Died,
    /// No thread could be started.
    NotStarted(String),
}

/// Runs `work`, and waits for its result no longer than `limit`.
pub(super) fn run_within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Unfinished> {
    let (sender, receiver) = channel();
    let job: Job = Box::new(move || drop(sender.send(work())));
    let companion = match IDLE.take() {
        Some(companion) => companion,
        None => start_companion().map_err(|error| Unfinished::NotStarted(error.to_string()))?,
    };
    if companion.send(job).is_err() {
        return Err(Unfinished::Died);
    }
    match receiver.recv_timeout(limit) {
        Ok(result) => {
            IDLE.set(Some(companion));
            Ok(result)
        }
        // The companion is busy with work that cannot be stopped. It is left behind, and the next work gets another
        // thread.
        Err(RecvTimeoutError::Timeout) => Err(Unfinished::OutOfTime),
        Err(RecvTimeoutError::Disconnected) => Err(Unfinished::Died),
    }
}

/// Starts a thread that works until its sender is dropped.
fn start_companion() -> std::io::Result<Sender<Job>> {
    let (sender, jobs) = channel::<Job>();
    std::thread::Builder::new()
        .name("arraign-trial".to_owned())
        .spawn(move || jobs.into_iter().for_each(|job| job()))?;
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use std::thread::{self, ThreadId};

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn find_thread() -> Result<ThreadId, Unfinished> {
        run_within(LONG, || thread::current().id())
    }

    #[test]
    fn one_thread_does_all_work_until_it_is_late_or_dies() {
        let first = find_thread().expect("a thread");
        assert_eq!(find_thread(), Ok(first));
        let late = run_within(Duration::ZERO, thread::park);
        assert_eq!(late, Err(Unfinished::OutOfTime));
        let second = find_thread().expect("another thread");
        assert_ne!(first, second);
        let died: Result<(), Unfinished> = run_within(LONG, || std::panic::resume_unwind(Box::new(())));
        assert_eq!(died, Err(Unfinished::Died));
        assert_ne!(find_thread().expect("a third thread"), second);
    }
}
