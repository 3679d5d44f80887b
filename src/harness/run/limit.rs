//! The time limits of trials.
//!
//! Rust cannot stop a thread. A part of a trial that exceeds its limit is left alone on its thread, and one further thread, the
//! watchdog, says at the limit what that means for the trial. The watchdog sleeps until the first of all deadlines. Most
//! parts end long before theirs, so a part that begins or ends costs a lock of one map and wakes nobody.

use std::collections::BTreeMap;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::source::lock;

/// The longest limit that the watchdog keeps.
const LONGEST: Duration = Duration::from_hours(8760);

/// The deadlines of this process.
static WATCHDOG: Watchdog = Watchdog {
    state: Mutex::new(WatchdogState { running: BTreeMap::new(), begun: 0, wakes_at: None }),
    changed: Condvar::new(),
    started: Once::new(),
};

/// Says what it means that a part is late.
type OnLate = Box<dyn FnOnce() + Send>;

struct Watchdog {
    state: Mutex<WatchdogState>,
    changed: Condvar,
    started: Once,
}

struct WatchdogState {
    /// What to do at each deadline, the first one first. The number keeps equal deadlines apart.
    running: BTreeMap<(Instant, u64), OnLate>,
    /// The number of parts so far.
    begun: u64,
    /// When the watchdog looks at the deadlines next. `None` if it waits for one.
    wakes_at: Option<Instant>,
}

/// Runs a part of a trial on this thread. If it exceeds `limit`, the watchdog calls `on_late`, and a later result is dropped:
/// then the caller gets `None`.
pub(super) fn run_limited<T>(
    limit: Duration,
    on_late: impl FnOnce() + Send + 'static,
    part: impl FnOnce() -> T,
) -> Option<T> {
    let key = WATCHDOG.begin(limit, Box::new(on_late));
    let result = panic::catch_unwind(AssertUnwindSafe(part));
    // Whoever removes the entry decides: the part that has ended, or the watchdog.
    let unneeded = lock(&WATCHDOG.state).running.remove(&key)?;
    drop(unneeded);
    Some(result.unwrap_or_else(|panicked| panic::resume_unwind(panicked)))
}

/// Runs `work` on a thread of its own, and waits for its result no longer than `limit`. `None` if it takes longer, or panics.
///
/// # Errors
/// No thread could be started.
pub(super) fn run_within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<Option<T>> {
    let (sender, receiver) = channel();
    let late = sender.clone();
    let on_late = move || {
        let _ = late.send(None);
    };
    thread::Builder::new().name("arraign-case".to_owned()).spawn(move || {
        if let Some(result) = run_limited(limit, on_late, work) {
            let _ = sender.send(Some(result));
        }
    })?;
    // Both senders are gone after a panic.
    Ok(receiver.recv().ok().flatten())
}

impl Watchdog {
    /// Returns the key of the part that begins.
    fn begin(&'static self, limit: Duration, on_late: OnLate) -> (Instant, u64) {
        self.started.call_once(|| {
            // Without a thread there are no limits, which is no reason to fail.
            let _ = thread::Builder::new().name("arraign-watchdog".to_owned()).spawn(|| self.watch());
        });
        // No run takes a year, and the clock cannot hold every time that a user can write.
        let deadline = Instant::now() + limit.min(LONGEST);
        let mut state = lock(&self.state);
        state.begun += 1;
        let key = (deadline, state.begun);
        state.running.insert(key, on_late);
        if state.wakes_at.is_none_or(|wakes_at| deadline < wakes_at) {
            state.wakes_at = Some(deadline);
            self.changed.notify_one();
        }
        key
    }

    /// Calls what is late, for as long as the process runs.
    fn watch(&self) {
        let mut state = lock(&self.state);
        loop {
            let now = Instant::now();
            let first = state.running.first_entry().map(|first| first.key().0);
            if first.is_some_and(|deadline| deadline <= now) {
                let late = state.running.pop_first();
                drop(state);
                if let Some((_, on_late)) = late {
                    on_late();
                }
                state = lock(&self.state);
                continue;
            }
            state.wakes_at = first;
            state = match first {
                Some(deadline) => {
                    let woken = self.changed.wait_timeout(state, deadline - now);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn a_part_in_time_has_its_result_and_a_late_one_has_none() {
        assert_eq!(run_limited(LONG, || unreachable!("it is in time"), || 7), Some(7));
        let (sender, receiver) = channel();
        let on_late = move || sender.send("late").expect("the part waits");
        let late = run_limited(Duration::from_millis(1), on_late, || receiver.recv());
        assert_eq!(late, None);
    }

    #[test]
    fn a_limit_that_no_clock_holds_is_kept() {
        assert_eq!(run_limited(Duration::MAX, || unreachable!("it is in time"), || 7), Some(7));
    }

    /// The watchdog sleeps until the deadline of the first part when the second one begins.
    #[test]
    fn a_short_limit_after_a_long_one_is_kept() {
        run_limited(
            LONG,
            || unreachable!("it is in time"),
            || {
                assert_eq!(run_within(Duration::from_millis(1), thread::park).expect("a thread"), None);
            },
        );
    }

    #[test]
    fn work_that_hangs_or_panics_has_no_result() {
        assert_eq!(run_within(LONG, || 7).expect("a thread"), Some(7));
        assert_eq!(run_within(Duration::ZERO, thread::park).expect("a thread"), None);
        let died = run_within(LONG, || panic::resume_unwind(Box::new(())));
        assert_eq!(died.expect("a thread"), None::<()>);
    }
}
