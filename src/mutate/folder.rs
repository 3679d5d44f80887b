//! The mutants of all cases of a folder. Cases are independent, so they are shared among threads; the result does not depend
//! on their number.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::CaseMutator;
use crate::case::Case;
use crate::judge::{JudgePool, JudgeSession};
use crate::place::LoadErrors;
use crate::source::lock;
use crate::suite::{Library, build_trial_name, find_case_files, load_all, load_recorded};
use crate::verdict::CaseMutation;

/// What is mutated, and what is searched for.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct MutationOptions<'o> {
    /// Only cases with names that contain one of these texts; without any, all cases.
    pub filters: &'o [String],
    /// Whether additions that kill survivors are searched for.
    pub finds_additions: bool,
}

impl<'o> MutationOptions<'o> {
    /// The cases with names that contain one of `filters`, and additions for their survivors.
    pub fn new(filters: &'o [String]) -> Self {
        Self { filters, finds_additions: true }
    }
}

/// The mutants of all cases of a folder.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct MutationReport {
    /// The cases, in the order of their files.
    pub cases: Vec<CaseMutation>,
    /// The errors in files that do not load.
    pub unread: Vec<LoadErrors>,
}

impl MutationReport {
    /// Takes cases that were mutated elsewhere.
    pub fn from_cases(cases: Vec<CaseMutation>) -> Self {
        Self { cases, unread: Vec::new() }
    }
}

/// Tries the mutants of all cases of a folder. It is an error if the files cannot be listed.
pub(crate) fn mutate_folder(
    library: Library<'_>,
    judges: &JudgePool,
    options: MutationOptions<'_>,
) -> Result<MutationReport, LoadErrors> {
    let mut report = MutationReport::default();
    let mut cases = Vec::new();
    for (path, suite) in load_all(find_case_files(library.files)?, library) {
        match suite {
            Ok(suite) => {
                cases.extend(suite.cases.into_iter().map(|case| FolderCase::new(case, &path, library)));
            }
            Err(errors) => report.unread.push(errors),
        }
    }
    let filters = options.filters;
    cases.retain(|case| filters.is_empty() || filters.iter().any(|filter| case.name.contains(filter)));
    report.cases = run_parallel(&cases, |case| case.mutate_case(library, judges, options));
    Ok(report)
}

/// A case, its file, and the name of its trial.
struct FolderCase {
    case: Arc<Case>,
    path: PathBuf,
    name: String,
}

impl FolderCase {
    fn new(case: Arc<Case>, path: &Path, library: Library<'_>) -> Self {
        let below = path.strip_prefix(library.files.root()).unwrap_or(path);
        let name = build_trial_name(below, case.id.as_deref());
        Self { case, path: path.to_owned(), name }
    }

    fn mutate_case(
        &self,
        library: Library<'_>,
        judges: &JudgePool,
        options: MutationOptions<'_>,
    ) -> CaseMutation {
        let session = JudgeSession::new(judges, (library.files, &self.path), String::new());
        let mutator = CaseMutator {
            case: &self.case,
            name: &self.name,
            library,
            session: Some(&session),
            finds_additions: options.finds_additions,
        };
        match load_recorded(&self.case, &self.path, library.files) {
            Ok(recorded) => mutator.mutate_runs(&recorded),
            Err(why) => mutator.leave_out(why),
        }
    }
}

/// Calls `work` with each item on all processors, and returns the results in the order of the items.
fn run_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    // Each thread takes the next item until none is left, so that a slow item does not delay the others.
    let take_items = || {
        while let Some((at, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
        {
            let result = work(item);
            lock(&results).push((at, result));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(take_items);
        }
        take_items();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
