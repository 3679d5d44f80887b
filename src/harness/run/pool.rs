//! The threads that run trials. Those that report results only wait for them, because a trial that hangs must not hold one of
//! them.
//!
//! Handing each trial to another thread, and waking the thread that waits and the one that prints, costs a fifth of a trial of
//! 100 microseconds. So the threads of a [`TrialPool`] run the trials in the order of the run, ahead of those who report, and wake
//! those who wait once in [`WINDOW`]: these find many results, and the messages of all of them arrive at the printer together.
//! A result is printed late by the window at most, or by [`PATIENCE`] if a slow trial follows it on the same thread.
//!
//! A thread whose trial is late is lost: whoever waits for the trial makes its result, and the next who asks starts another
//! thread.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::source::lock;

/// How long a thread runs further trials before it wakes those who wait. A person does not notice such a delay, and about a
/// dozen usual trials fit in.
const WINDOW: Duration = Duration::from_millis(2);

/// The longest sleep of a thread that waits for a result.
const PATIENCE: Duration = Duration::from_millis(100);

/// Runs a trial. `None` if it was late.
pub(super) type RunTrial<J, R> = fn(J, &LateTrial<J, R>) -> Option<R>;

/// Numbered trials, each of which runs once.
pub(super) struct TrialPool<J, R> {
    state: Mutex<PoolState<J, R>>,
    /// There are further results.
    ended: Condvar,
    /// Whether a trial runs only when somebody asks for it.
    on_demand: bool,
    most_threads: usize,
    run: RunTrial<J, R>,
}

struct PoolState<J, R> {
    /// The trials that no thread has taken.
    waiting: Vec<Option<J>>,
    /// The numbers of the trials to run next. A thread that finds none ends.
    queue: VecDeque<usize>,
    /// The ends of the trials that nobody has asked for yet, each with how long the trial took.
    ends: HashMap<usize, (TrialEnd<R>, Duration)>,
    /// The number of threads that work.
    threads: usize,
}

/// How a trial has ended.
enum TrialEnd<R> {
    Returned(R),
    Panicked(Box<dyn Any + Send>),
    /// It has not ended in time. Whoever waits for the trial makes its result.
    Late(Box<dyn FnOnce() -> R + Send>),
}

/// A trial that has ended.
pub(super) struct EndedTrial<R> {
    /// The result of the trial, or its panic.
    pub(super) result: thread::Result<R>,
    /// How long the trial took.
    pub(super) took: Duration,
}

/// Lets a trial say that it is late.
pub(super) struct LateTrial<J, R> {
    pool: Arc<TrialPool<J, R>>,
    number: usize,
    started: Instant,
}

impl<J, R> Clone for LateTrial<J, R> {
    fn clone(&self) -> Self {
        Self { pool: Arc::clone(&self.pool), number: self.number, started: self.started }
    }
}

impl<J, R> LateTrial<J, R> {
    /// Ends the trial, whose thread is lost. `make_result` runs on the thread that waits for it.
    pub(super) fn end(self, make_result: impl FnOnce() -> R + Send + 'static) {
        let mut state = lock(&self.pool.state);
        state.ends.insert(self.number, (TrialEnd::Late(Box::new(make_result)), self.started.elapsed()));
        state.threads -= 1;
        self.pool.ended.notify_all();
    }
}

impl<J: Send + 'static, R: Send + 'static> TrialPool<J, R> {
    /// Creates a pool of at most so many threads. The trials with a number in `ahead` run in this order, before anybody asks
    /// for them. Without `ahead`, each trial runs when somebody asks for it.
    pub(super) fn new(
        trials: impl Iterator<Item = J>,
        ahead: Option<Vec<usize>>,
        most_threads: usize,
        run: RunTrial<J, R>,
    ) -> Arc<Self> {
        let on_demand = ahead.is_none();
        let state = PoolState {
            waiting: trials.map(Some).collect(),
            queue: ahead.unwrap_or_default().into(),
            ends: HashMap::new(),
            threads: 0,
        };
        Arc::new(Self { state: Mutex::new(state), ended: Condvar::new(), on_demand, most_threads, run })
    }

    /// Waits for the end of the trial `number`, and returns it. Each end is returned once.
    pub(super) fn take_end(self: &Arc<Self>, number: usize) -> EndedTrial<R> {
        let mut state = lock(&self.state);
        if self.on_demand {
            state.queue.push_back(number);
        }
        let (end, took) = loop {
            if let Some(end) = state.ends.remove(&number) {
                break end;
            }
            if state.queue.is_empty() && state.waiting[number].is_some() {
                // It is not among those that run ahead.
                state.queue.push_back(number);
            }
            if state.threads < self.most_threads && !state.queue.is_empty() {
                state.threads += usize::from(self.start_thread());
            }
            if state.threads == 0 && !state.queue.is_empty() {
                // No thread can be started. Then this one works, and a trial that hangs holds it.
                state.threads = 1;
                drop(state);
                self.run_queue();
                state = lock(&self.state);
            } else {
                let woken = self.ended.wait_timeout(state, PATIENCE);
                state = woken.unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        drop(state);
        let result = match end {
            TrialEnd::Returned(result) => Ok(result),
            TrialEnd::Panicked(panicked) => Err(panicked),
            TrialEnd::Late(make_result) => panic::catch_unwind(AssertUnwindSafe(make_result)),
        };
        EndedTrial { result, took }
    }

    /// Starts a thread that works until the queue is empty. Returns whether it could be started.
    fn start_thread(self: &Arc<Self>) -> bool {
        let pool = Arc::clone(self);
        let builder = thread::Builder::new().name("arraign-trial".to_owned());
        builder.spawn(move || pool.run_queue()).is_ok()
    }

    /// Runs trials until the queue is empty, or one of them is late.
    fn run_queue(self: &Arc<Self>) {
        let mut woken = Instant::now();
        let mut state = lock(&self.state);
        loop {
            let Some(number) = state.queue.pop_front() else {
                state.threads -= 1;
                self.ended.notify_all();
                return;
            };
            let Some(trial) = state.waiting[number].take() else { continue };
            drop(state);
            let started = Instant::now();
            let late = LateTrial { pool: Arc::clone(self), number, started };
            let end = match panic::catch_unwind(AssertUnwindSafe(|| (self.run)(trial, &late))) {
                Ok(Some(result)) => TrialEnd::Returned(result),
                Err(panicked) => TrialEnd::Panicked(panicked),
                // The trial was late, and this thread is counted no more.
                Ok(None) => return,
            };
            state = lock(&self.state);
            state.ends.insert(number, (end, started.elapsed()));
            if self.on_demand || woken.elapsed() >= WINDOW {
                self.ended.notify_all();
                woken = Instant::now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::thread::ThreadId;

    use super::super::limit::run_limited;
    use super::*;

    fn new_pool<R: Send + 'static>(
        trials: usize,
        ahead: Option<Vec<usize>>,
        threads: usize,
        run: RunTrial<usize, R>,
    ) -> Arc<TrialPool<usize, R>> {
        TrialPool::new(0..trials, ahead, threads, run)
    }

    fn take<R: Send + 'static>(pool: &Arc<TrialPool<usize, R>>, number: usize) -> R {
        pool.take_end(number).result.expect("no panic")
    }

    #[test]
    fn each_trial_runs_once_whoever_asks() {
        for ahead in [None, Some((0..1000).collect())] {
            let pool = new_pool(1000, ahead, 2, |number, _| Some(number * 2));
            let results: HashSet<usize> = thread::scope(|scope| {
                let ask = |first: usize| {
                    let pool = &pool;
                    scope.spawn(move || {
                        (first..1000).step_by(3).map(|number| take(pool, number)).collect::<Vec<_>>()
                    })
                };
                let threads = [0, 1, 2].map(ask);
                threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
            });
            assert_eq!(results, (0..1000).map(|number| number * 2).collect());
        }
    }

    #[test]
    fn trials_run_at_the_same_time() {
        // Each trial waits for the other: run one after the other, they would never end.
        static BOTH: Barrier = Barrier::new(2);
        let pool: Arc<TrialPool<usize, ThreadId>> = new_pool(2, Some(vec![0, 1]), 2, |_, _| {
            BOTH.wait();
            Some(thread::current().id())
        });
        let ends = thread::scope(|scope| {
            let other = scope.spawn(|| take(&pool, 1));
            [take(&pool, 0), other.join().expect("no panic")]
        });
        assert_ne!(ends[0], ends[1]);
    }

    #[test]
    fn trials_run_ahead_only_if_they_may() {
        let pool = new_pool(4, Some(vec![0, 2]), 1, |number, _| Some(number));
        assert_eq!([take(&pool, 0), take(&pool, 2)], [0, 2]);
        let has_started =
            |pool: &TrialPool<usize, usize>, number: usize| lock(&pool.state).waiting[number].is_none();
        assert_eq!([0, 1, 2, 3].map(|number| has_started(&pool, number)), [true, false, true, false]);
        assert_eq!(take(&pool, 1), 1);
        let on_demand = new_pool(2, None, 1, |number, _| Some(number));
        assert_eq!(take(&on_demand, 1), 1);
        assert!(!has_started(&on_demand, 0));
    }

    #[test]
    fn without_threads_the_caller_works() {
        let pool = new_pool(2, None, 0, |_, _| Some(thread::current().id()));
        assert_eq!([take(&pool, 0), take(&pool, 1)], [thread::current().id(); 2]);
    }

    #[test]
    fn a_panic_reaches_the_caller_of_its_trial() {
        let pool = new_pool(2, Some(vec![0, 1]), 1, |number, _| {
            if number == 1 { panic::resume_unwind(Box::new("no")) } else { Some(number) }
        });
        assert_eq!(take(&pool, 0), 0);
        let panicked = pool.take_end(1).result.expect_err("a panic");
        assert_eq!(panicked.downcast_ref::<&str>(), Some(&"no"));
    }

    fn never_end() -> ! {
        loop {
            thread::park();
        }
    }

    /// The only thread of the pool is lost with the second trial.
    #[test]
    fn a_late_trial_has_the_result_of_its_caller_and_the_others_run_elsewhere() {
        for ahead in [None, Some(vec![0, 1, 2, 3])] {
            let pool = new_pool(4, ahead, 1, |number, late| {
                let limit = if number == 1 { Duration::ZERO } else { Duration::from_mins(1) };
                let late = late.clone();
                run_limited(
                    limit,
                    move || late.end(|| 100),
                    || if number == 1 { never_end() } else { number },
                )
            });
            assert_eq!([0, 1, 2, 3].map(|number| take(&pool, number)), [0, 100, 2, 3]);
        }
    }
}
