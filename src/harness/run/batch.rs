//! Trials that end together.
//!
//! libtest-mimic's threads hand each trial that ends to the thread that prints, and wake it: of a trial of 100
//! microseconds, that is a fifth. So a thread that has run a trial goes on with the next ones for a moment before it
//! says so. These have ended when libtest-mimic asks for them, and the thread that prints is woken once for many. If one
//! of them takes its time, the trial before it is told of when both have ended: its verdict is written already.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// What a job came to: its result, or its panic.
type Ended<R> = Result<R, Box<dyn Any + Send>>;

/// Jobs by their numbers, each done once, by whoever comes first.
pub(in crate::harness) struct Batch<J, R> {
    jobs: Vec<Job<J, R>>,
    /// The numbers of those that may be done before they are asked for.
    order: Vec<usize>,
    /// How many of these are taken.
    taken: AtomicUsize,
    /// How long the end of one may be kept back.
    moment: Duration,
    work: fn(J) -> R,
}

struct Job<J, R> {
    /// Nobody has begun it.
    waiting: Mutex<Option<J>>,
    ended: OnceLock<Mutex<Option<Ended<R>>>>,
}

impl<J, R> Batch<J, R> {
    /// The jobs `jobs`, each to be done by `work`; those of the numbers `order` may be done before they are asked for.
    /// `moment` is how long the end of one may be kept back for others.
    pub(in crate::harness) fn new(
        jobs: impl Iterator<Item = J>,
        order: Vec<usize>,
        moment: Duration,
        work: fn(J) -> R,
    ) -> Self {
        let waiting = |job| Job { waiting: Mutex::new(Some(job)), ended: OnceLock::new() };
        Self { jobs: jobs.map(waiting).collect(), order, taken: AtomicUsize::new(0), moment, work }
    }

    /// What the job of this number comes to. While another thread is at it, this one does what comes after. `None`: it
    /// was asked for before.
    ///
    /// # Panics
    /// As the job did.
    pub(in crate::harness) fn take(&self, number: usize) -> Option<R> {
        let job = &self.jobs[number];
        let own = locked(&job.waiting).take();
        if let Some(begun) = own {
            // Whoever asks again gets `None` instead of waiting for a result that this caller takes with it.
            let _ = job.ended.set(Mutex::new(None));
            let started = Instant::now();
            let result = (self.work)(begun);
            while started.elapsed() < self.moment && self.do_next() {}
            return Some(result);
        }
        while job.ended.get().is_none() && self.do_next() {}
        let ended = locked(job.ended.wait()).take()?;
        Some(ended.unwrap_or_else(|panicked| panic::resume_unwind(panicked)))
    }

    /// Whether there was one that nobody had begun.
    fn do_next(&self) -> bool {
        let next = || self.order.get(self.taken.fetch_add(1, Ordering::Relaxed)).map(|at| &self.jobs[*at]);
        while let Some(job) = next() {
            let Some(begun) = locked(&job.waiting).take() else { continue };
            let ended = panic::catch_unwind(AssertUnwindSafe(|| (self.work)(begun)));
            let _ = job.ended.set(Mutex::new(Some(ended)));
            return true;
        }
        false
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::thread::{self, ThreadId};

    use super::*;

    #[test]
    fn each_job_is_done_once_whoever_asks_for_it() {
        let batch =
            Batch::new(0..1000, (0..1000).collect(), Duration::from_micros(1), |number: usize| number * 2);
        let told: HashSet<usize> = thread::scope(|scope| {
            let ask = |first: usize| {
                let batch = &batch;
                scope.spawn(move || {
                    (first..1000).step_by(3).map(|number| batch.take(number)).collect::<Vec<_>>()
                })
            };
            let threads = [0, 1, 2].map(ask);
            threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).flatten().collect()
        });
        assert_eq!(told, (0..1000).map(|number| number * 2).collect());
        assert_eq!(batch.take(7), None);
    }

    #[test]
    fn who_asks_again_gets_nothing_whoever_did_the_job() {
        let batch = Batch::new(0..2, vec![0, 1], Duration::MAX, |number: usize| number);
        assert_eq!([batch.take(0), batch.take(1)], [Some(0), Some(1)]);
        assert_eq!([batch.take(0), batch.take(1)], [None, None]);
    }

    #[test]
    fn jobs_are_done_at_the_same_time() {
        // Each job waits for the other: one after the other they would never end.
        static BOTH: Barrier = Barrier::new(2);
        let batch: Batch<(), ThreadId> = Batch::new([(), ()].into_iter(), vec![0, 1], Duration::MAX, |()| {
            BOTH.wait();
            thread::current().id()
        });
        let (one, other) = thread::scope(|scope| {
            let other = scope.spawn(|| batch.take(1));
            (batch.take(0), other.join().expect("no panic"))
        });
        assert_ne!(one.expect("told"), other.expect("told"));
    }

    #[test]
    fn what_comes_next_is_done_before_it_is_asked_for_and_nothing_else_is() {
        let batch = Batch::new(0..4, vec![0, 2], Duration::MAX, |number: usize| number);
        let begun = |number: usize| locked(&batch.jobs[number].waiting).is_none();
        assert_eq!(batch.take(0), Some(0));
        assert_eq!([0, 1, 2, 3].map(begun), [true, false, true, false]);
        assert_eq!([batch.take(2), batch.take(3)], [Some(2), Some(3)]);
    }

    #[test]
    fn a_long_job_is_told_at_once() {
        let batch = Batch::new(0..2, vec![0, 1], Duration::ZERO, |number: usize| number);
        assert_eq!(batch.take(0), Some(0));
        assert!(locked(&batch.jobs[1].waiting).is_some());
    }

    #[test]
    fn a_panic_is_told_to_the_one_who_asks() {
        let work = |number: usize| if number == 1 { panic::resume_unwind(Box::new("no")) } else { number };
        let batch = Batch::new(0..2, vec![0, 1], Duration::MAX, work);
        assert_eq!(batch.take(0), Some(0));
        let told = panic::catch_unwind(AssertUnwindSafe(|| batch.take(1))).expect_err("a panic");
        assert_eq!(told.downcast_ref::<&str>(), Some(&"no"));
    }
}
