//! Runs trials ahead of libtest-mimic, so that its printing thread wakes up once for many trials.
//!
//! libtest-mimic's worker threads send each result to the thread that prints, and wake it. For a trial of 100
//! microseconds, that costs a fifth of the time, and so does handing the trial to the companion of the worker, which has
//! a time limit. A [`JobBatch`] avoids most wake-ups:
//!
//! 1. A worker asks for trial `n`, and its companion runs it.
//! 2. For the next [`JobBatch::window`] the companion runs trials that no worker has asked for, and stores their results.
//! 3. The worker returns the result of `n`. When a worker asks for one of the others, the stored result is there at once,
//!    so the messages of all these trials arrive at the printing thread together.
//!
//! Each trial runs exactly once, because a companion takes the job out of its mutex before running it. A worker that asks
//! for a trial which is still running does not idle: its companion runs other trials until the result is there, and for
//! the window at least.
//!
//! The cost is that the result of `n` is printed late, at most by the window and one more trial. Its verdict log is
//! written before that.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use super::companion::{is_abandoned, run_watched};
use crate::source::lock;

/// The result of a job, or its panic.
type JobResult<R> = Result<R, Box<dyn Any + Send>>;

/// Runs a job. A job that is late has its result delivered by its watcher, and returns none.
type Work<J, R> = fn(J, &Delivery<J, R>) -> Option<R>;

/// Numbered jobs, each of which runs once, on the first thread that takes it.
pub(crate) struct JobBatch<J, R> {
    jobs: Vec<BatchJob<J, R>>,
    /// The numbers of the jobs that may run ahead, in the order in which they do.
    run_ahead: Vec<usize>,
    /// The index in `run_ahead` of the next job to look at.
    next: AtomicUsize,
    /// How long after the start of a job its thread may run others before it returns the result.
    window: Duration,
    work: Work<J, R>,
}

struct BatchJob<J, R> {
    /// The job until a thread takes it.
    waiting: Mutex<Option<J>>,
    /// The result after the job ran; unset while it waits or runs. The inner `None` means that the result has been returned
    /// to a caller.
    result: OnceLock<Mutex<Option<JobResult<R>>>>,
}

impl<J, R> BatchJob<J, R> {
    fn new(job: J) -> Self {
        Self { waiting: Mutex::new(Some(job)), result: OnceLock::new() }
    }
}

/// Where the result of a job goes.
pub(crate) struct Delivery<J, R> {
    batch: Arc<JobBatch<J, R>>,
    number: usize,
}

impl<J, R> Clone for Delivery<J, R> {
    fn clone(&self) -> Self {
        Self { batch: Arc::clone(&self.batch), number: self.number }
    }
}

impl<J, R> Delivery<J, R> {
    /// Delivers the result of a job that does not end.
    pub(crate) fn deliver(&self, result: R) {
        self.deliver_any(Ok(result));
    }

    /// The first result counts.
    fn deliver_any(&self, result: JobResult<R>) {
        let _ = self.batch.jobs[self.number].result.set(Mutex::new(Some(result)));
    }
}

impl<J: Send + 'static, R: Send + 'static> JobBatch<J, R> {
    /// Creates a batch of `jobs`, which `work` runs. Those with a number in `run_ahead` may run before a caller asks for them,
    /// within `window` after the start of another job.
    pub(crate) fn new(
        jobs: impl Iterator<Item = J>,
        run_ahead: Vec<usize>,
        window: Duration,
        work: Work<J, R>,
    ) -> Self {
        Self { jobs: jobs.map(BatchJob::new).collect(), run_ahead, next: AtomicUsize::new(0), window, work }
    }

    /// Returns the result of the job `number`, which runs now unless it has run ahead. Returns `None` if the result was
    /// returned before.
    ///
    /// # Panics
    /// Panics as the job did.
    pub(crate) fn take_result(self: &Arc<Self>, number: usize) -> Option<R> {
        let job = &self.jobs[number];
        if job.result.get().is_none() {
            let batch = Arc::clone(self);
            if run_watched(move || batch.work_for(number)).is_err() {
                // No thread can be started: then this one works, without a limit.
                self.work_for(number);
            }
        }
        // Another thread may still run the job.
        let result = lock(job.result.wait()).take()?;
        Some(result.unwrap_or_else(|panicked| panic::resume_unwind(panicked)))
    }

    /// Runs the job `number`, unless another thread does, and those that run ahead of their callers.
    fn work_for(self: &Arc<Self>, number: usize) {
        let job = &self.jobs[number];
        let started = Instant::now();
        let own = lock(&job.waiting).take();
        if let Some(own) = own {
            self.run_job(number, own);
        }
        // The caller prints a line for each result, and printing wakes its thread. More jobs are run first, for a short time
        // only, so that results still appear one after the other. A job that another thread runs may end at any moment,
        // but a hand-over for so little would cost more than it gives.
        while (started.elapsed() < self.window || job.result.get().is_none()) && self.run_next() {}
    }

    /// Runs the next waiting job of `run_ahead`. Returns whether there was one. A companion that was late takes no more.
    fn run_next(self: &Arc<Self>) -> bool {
        if is_abandoned() {
            return false;
        }
        // `fetch_add` gives each index to one thread only. Jobs that their callers have taken in the meantime are skipped.
        while let Some(number) = self.run_ahead.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let Some(waiting) = lock(&self.jobs[*number].waiting).take() else { continue };
            self.run_job(*number, waiting);
            return true;
        }
        false
    }

    /// Runs a job and stores its result. A panic is kept for the caller who asks for the result.
    fn run_job(self: &Arc<Self>, number: usize, job: J) {
        let delivery = Delivery { batch: Arc::clone(self), number };
        let result = panic::catch_unwind(AssertUnwindSafe(|| (self.work)(job, &delivery)));
        match result {
            Ok(Some(result)) => delivery.deliver(result),
            Ok(None) => {}
            Err(panicked) => delivery.deliver_any(Err(panicked)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::thread::{self, ThreadId};

    use super::super::companion::run_limited;
    use super::*;

    fn new_batch<R: Send + 'static>(
        jobs: std::ops::Range<usize>,
        run_ahead: Vec<usize>,
        window: Duration,
        work: Work<usize, R>,
    ) -> Arc<JobBatch<usize, R>> {
        Arc::new(JobBatch::new(jobs, run_ahead, window, work))
    }

    #[test]
    fn each_job_runs_once_on_any_thread() {
        let batch =
            new_batch(0..1000, (0..1000).collect(), Duration::from_micros(1), |number, _| Some(number * 2));
        let results: HashSet<usize> = thread::scope(|scope| {
            let ask = |first: usize| {
                let batch = &batch;
                scope.spawn(move || {
                    (first..1000).step_by(3).map(|number| batch.take_result(number)).collect::<Vec<_>>()
                })
            };
            let threads = [0, 1, 2].map(ask);
            threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).flatten().collect()
        });
        assert_eq!(results, (0..1000).map(|number| number * 2).collect());
        assert_eq!(batch.take_result(7), None);
    }

    #[test]
    fn a_result_is_returned_once() {
        let batch = new_batch(0..2, vec![0, 1], Duration::MAX, |number, _| Some(number));
        assert_eq!([batch.take_result(0), batch.take_result(1)], [Some(0), Some(1)]);
        assert_eq!([batch.take_result(0), batch.take_result(1)], [None, None]);
    }

    #[test]
    fn jobs_run_at_the_same_time() {
        // Each job waits for the other: run one after the other, they would never end.
        static BOTH: Barrier = Barrier::new(2);
        let batch: Arc<JobBatch<usize, ThreadId>> = new_batch(0..2, vec![0, 1], Duration::MAX, |_, _| {
            BOTH.wait();
            Some(thread::current().id())
        });
        let (one, other) = thread::scope(|scope| {
            let other = scope.spawn(|| batch.take_result(1));
            (batch.take_result(0), other.join().expect("no panic"))
        });
        assert_ne!(one.expect("a result"), other.expect("a result"));
    }

    #[test]
    fn only_jobs_that_may_run_ahead_do() {
        let batch = new_batch(0..4, vec![0, 2], Duration::MAX, |number, _| Some(number));
        let has_started = |number: usize| lock(&batch.jobs[number].waiting).is_none();
        assert_eq!(batch.take_result(0), Some(0));
        assert_eq!([0, 1, 2, 3].map(has_started), [true, false, true, false]);
        assert_eq!([batch.take_result(2), batch.take_result(3)], [Some(2), Some(3)]);
    }

    #[test]
    fn a_caller_whose_job_runs_elsewhere_works_for_the_window() {
        let work: Work<usize, usize> = |number, delivery| {
            // The other thread ends job 0 meanwhile.
            Delivery { batch: Arc::clone(&delivery.batch), number: 0 }.deliver(0);
            Some(number)
        };
        let batch = new_batch(0..4, vec![1, 2, 3], Duration::MAX, work);
        let taken_elsewhere = lock(&batch.jobs[0].waiting).take();
        assert_eq!((taken_elsewhere, batch.take_result(0)), (Some(0), Some(0)));
        assert!(batch.jobs.iter().all(|job| job.result.get().is_some()));
    }

    #[test]
    fn no_job_runs_ahead_after_the_window() {
        let batch = new_batch(0..2, vec![0, 1], Duration::ZERO, |number, _| Some(number));
        assert_eq!(batch.take_result(0), Some(0));
        assert!(lock(&batch.jobs[1].waiting).is_some());
    }

    #[test]
    fn a_panic_reaches_the_caller_of_its_job() {
        let batch = new_batch(0..2, vec![0, 1], Duration::MAX, |number, _| {
            if number == 1 { panic::resume_unwind(Box::new("no")) } else { Some(number) }
        });
        assert_eq!(batch.take_result(0), Some(0));
        let panicked = panic::catch_unwind(AssertUnwindSafe(|| batch.take_result(1))).expect_err("a panic");
        assert_eq!(panicked.downcast_ref::<&str>(), Some(&"no"));
    }

    fn never_end() -> ! {
        loop {
            thread::park();
        }
    }

    /// The second job never ends. It runs ahead of its caller, on the companion that ran the first.
    #[test]
    fn a_late_job_has_the_result_of_its_watcher_and_the_others_run_elsewhere() {
        let batch = new_batch(0..4, vec![0, 1, 2, 3], Duration::MAX, |number, delivery| {
            let limit = if number == 1 { Duration::ZERO } else { Duration::from_secs(60) };
            let late = delivery.clone();
            run_limited(limit, move || late.deliver(100), || if number == 1 { never_end() } else { number })
        });
        assert_eq!(
            [0, 1, 2, 3].map(|number| batch.take_result(number)),
            [Some(0), Some(100), Some(2), Some(3)]
        );
    }
}
