//! Runs work on a second thread that each test thread keeps, while the test thread watches its time limits.
//!
//! Rust cannot stop a thread. If a part of the work exceeds its limit, the test thread says what that means, and leaves the
//! companion alone with it; the next work gets a new one. Otherwise one companion does all work of a test thread. Handing work
//! over costs as much as a part of a trial, so a test thread hands over many trials at once, and each of them limits itself
//! by [`run_limited`]. No further thread is needed to watch.

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::source::lock;

/// Work for a companion.
type Job = Box<dyn FnOnce() + Send>;

/// The longest time that a test thread sleeps before it looks at the limits. A limit that ends earlier wakes it up.
const MAX_SLEEP: Duration = Duration::from_secs(1);

thread_local! {
    /// The companion of this test thread, while it has no work.
    static IDLE: Cell<Option<Companion>> = const { Cell::new(None) };
    /// On a companion: what its test thread watches.
    static WATCHED: RefCell<Option<Arc<Watch>>> = const { RefCell::new(None) };
}

struct Companion {
    jobs: Sender<Job>,
    watch: Arc<Watch>,
}

/// The state that a companion and its test thread share.
#[derive(Default)]
struct Watch {
    state: Mutex<WatchState>,
    changed: Condvar,
}

#[derive(Default)]
struct WatchState {
    is_done: bool,
    /// The companion is late or has died, and nobody watches it any more.
    is_abandoned: bool,
    limited: Option<LimitedPart>,
    /// When the test thread looks at the limits next.
    wakes_at: Option<Instant>,
}

/// The part of the work that must end in time.
struct LimitedPart {
    deadline: Instant,
    on_late: Job,
}

/// Runs `work` on the companion of this thread, and waits until it ends or exceeds a limit.
///
/// # Errors
/// No thread could be started.
pub(super) fn run_watched(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let companion = match IDLE.take() {
        Some(companion) => companion,
        None => start_companion()?,
    };
    lock(&companion.watch.state).is_done = false;
    if companion.jobs.send(Box::new(work)).is_ok() && companion.watch.wait_for_end() {
        IDLE.set(Some(companion));
    }
    Ok(())
}

/// Runs a part of the work on a companion. If it exceeds `limit`, the test thread calls `on_late`, and a later result is
/// dropped: then the caller gets `None` and must end. On other threads, there is no limit.
pub(super) fn run_limited<T>(
    limit: Duration,
    on_late: impl FnOnce() + Send + 'static,
    part: impl FnOnce() -> T,
) -> Option<T> {
    let Some(watch) = WATCHED.with_borrow(Clone::clone) else { return Some(part()) };
    watch.begin_part(limit, Box::new(on_late));
    let result = part();
    watch.end_part().then_some(result)
}

/// Runs `work` on a companion, and waits for its result no longer than `limit`. `None` if it takes longer, or panics.
pub(super) fn run_within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<Option<T>> {
    let (sender, receiver) = channel();
    run_watched(move || {
        if let Some(result) = run_limited(limit, || (), work) {
            let _ = sender.send(result);
        }
    })?;
    Ok(receiver.try_recv().ok())
}

/// Whether this thread is a companion that was late.
pub(super) fn is_abandoned() -> bool {
    WATCHED.with_borrow(|watch| watch.as_ref().is_some_and(|watch| lock(&watch.state).is_abandoned))
}

/// Starts a thread that works until its sender is dropped.
fn start_companion() -> io::Result<Companion> {
    let (jobs, received) = channel::<Job>();
    let watch = Arc::new(Watch::default());
    let own = Arc::clone(&watch);
    thread::Builder::new().name("arraign-trial".to_owned()).spawn(move || {
        WATCHED.set(Some(Arc::clone(&own)));
        for job in received {
            let _done = NotifyDone(&own);
            job();
        }
    })?;
    Ok(Companion { jobs, watch })
}

/// Says that a job has ended, also if it panics. A panic ends the companion.
struct NotifyDone<'w>(&'w Watch);

impl Drop for NotifyDone<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.is_done = true;
        state.is_abandoned |= thread::panicking();
        // A part that panicked did not end itself.
        state.limited = None;
        drop(state);
        self.0.changed.notify_one();
    }
}

impl Watch {
    fn begin_part(&self, limit: Duration, on_late: Job) {
        let deadline = Instant::now() + limit;
        let mut state = lock(&self.state);
        state.limited = Some(LimitedPart { deadline, on_late });
        // Most limits end long after the test thread looks again, and cost no wake-up.
        if state.wakes_at.is_some_and(|wakes_at| deadline < wakes_at) {
            self.changed.notify_one();
        }
    }

    /// Returns whether the part ended before its test thread called it late.
    fn end_part(&self) -> bool {
        lock(&self.state).limited.take().is_some()
    }

    /// Waits until the job ends. `false` if a part of it is late or the companion has died: then it is abandoned.
    fn wait_for_end(&self) -> bool {
        let mut state = lock(&self.state);
        while !state.is_done {
            let now = Instant::now();
            if let Some(late) = state.limited.take_if(|part| part.deadline <= now) {
                state.is_abandoned = true;
                drop(state);
                (late.on_late)();
                return false;
            }
            let rest = state.limited.as_ref().map_or(MAX_SLEEP, |part| part.deadline - now).min(MAX_SLEEP);
            state.wakes_at = Some(now + rest);
            let woken = self.changed.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner);
            state = woken.0;
        }
        state.wakes_at = None;
        !state.is_abandoned
    }
}

#[cfg(test)]
mod tests {
    use std::thread::ThreadId;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn find_thread() -> Option<ThreadId> {
        run_within(LONG, || thread::current().id()).expect("a thread")
    }

    #[test]
    fn one_thread_does_all_work_until_it_is_late_or_dies() {
        let first = find_thread().expect("a result");
        assert_eq!(find_thread(), Some(first));
        assert_eq!(run_within(Duration::ZERO, thread::park).expect("a thread"), None);
        let second = find_thread().expect("a result");
        assert_ne!(first, second);
        let died = run_within(LONG, || std::panic::resume_unwind(Box::new(())));
        assert_eq!(died.expect("a thread"), None::<()>);
        assert_ne!(find_thread(), Some(second));
    }

    /// A hand-over for each trial would cost a fifth of it.
    #[test]
    fn many_limited_parts_need_one_hand_over() {
        let (sender, threads) = channel();
        run_watched(move || {
            for number in 0..100_usize {
                let part = || (number, thread::current().id());
                sender.send(run_limited(LONG, || unreachable!("nothing is late"), part)).expect("a receiver");
            }
        })
        .expect("a thread");
        let parts: Vec<(usize, ThreadId)> = threads.iter().map(|part| part.expect("a result")).collect();
        assert!(
            parts.iter().enumerate().all(|(at, (number, thread))| at == *number && *thread == parts[0].1)
        );
    }

    #[test]
    fn a_late_part_is_told_by_the_test_thread_and_its_companion_is_left_alone() {
        let (sender, receiver) = channel();
        let (release, released) = channel::<()>();
        let late = sender.clone();
        run_watched(move || {
            let on_late = move || late.send((thread::current().id(), false)).expect("a receiver");
            let result = run_limited(Duration::ZERO, on_late, || released.recv());
            assert!(result.is_none());
            sender.send((thread::current().id(), is_abandoned())).expect("a receiver");
        })
        .expect("a thread");
        assert_eq!(receiver.recv(), Ok((thread::current().id(), false)));
        release.send(()).expect("the part waits");
        let (companion, is_left_alone) = receiver.recv().expect("the companion ends");
        assert!(is_left_alone && companion != thread::current().id());
    }

    #[test]
    fn without_a_companion_there_is_no_limit() {
        assert_eq!(run_limited(Duration::ZERO, || unreachable!("nobody watches"), || 7), Some(7));
        assert!(!is_abandoned());
    }
}
