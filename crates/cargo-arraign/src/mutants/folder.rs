//! The mutants of all cases of a folder. Cases are independent, so they are shared among threads; the result does not depend
//! on their number.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use arraign::__internals::harness::sources::EvidenceSources;
use arraign::__internals::judge::JudgeSession;
use arraign::__internals::mutate::{CaseMutator, is_stopped};
use arraign::__internals::place::Place;
use arraign::__internals::suite::{Library, build_trial_name, find_case_files, load_all, load_recorded};
use arraign::verdict::CaseMutation;
use arraign::{Case, LoadError, LoadErrors, Suite};

/// The options of a search for mutants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MutationOptions<'o> {
    /// Only cases with names that contain one of these texts; without any, all cases.
    pub(crate) filters: &'o [String],
    /// Whether additions that kill survivors are searched for.
    pub(crate) finds_additions: bool,
    /// Set from outside to stop. A case that is not finished by then is left out of the report.
    pub(crate) stop: Option<&'o AtomicBool>,
}

impl<'o> MutationOptions<'o> {
    /// The cases with names that contain one of `filters`, and additions for their survivors.
    pub(crate) fn new(filters: &'o [String]) -> Self {
        Self { filters, finds_additions: true, stop: None }
    }

    /// Stops as soon as the flag is set.
    #[must_use]
    pub(crate) fn stop_at(self, stop: &'o AtomicBool) -> Self {
        Self { stop: Some(stop), ..self }
    }
}

/// The mutants of all cases of a folder.
#[derive(Debug, Default)]
pub(crate) struct MutationReport {
    /// The cases, in the order of their files.
    pub(crate) cases: Vec<CaseMutation>,
    /// The errors in files that do not load.
    pub(crate) unread: Vec<LoadErrors>,
    /// The number of cases that were not tried, because the mutation was stopped.
    pub(crate) untried: usize,
}

impl MutationReport {
    /// Takes cases that were mutated elsewhere.
    pub(crate) fn from_cases(cases: Vec<CaseMutation>) -> Self {
        Self { cases, ..Self::default() }
    }
}

/// Tries the mutants of all cases of a folder. It is an error if the files cannot be listed.
pub(super) fn mutate_folder(
    library: Library<'_>,
    sources: EvidenceSources<'_>,
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
    // An interrupt may come in the middle of a case. Its part of the mutants is dropped, because it would look like
    // all of them.
    let tried = run_parallel(&cases, |case| {
        let is_open = !is_stopped(options.stop);
        let result = is_open.then(|| case.mutate_case(library, sources, options))?;
        (!is_stopped(options.stop)).then_some(result)
    });
    report.cases = tried.into_iter().flatten().collect();
    report.untried = cases.len() - report.cases.len();
    Ok(report)
}

/// Tries the mutants of one case as if its file contained `text`. Additions are not searched for.
pub(super) fn mutate_case_in_text(
    library: Library<'_>,
    sources: EvidenceSources<'_>,
    path: &Path,
    text: &str,
    name: &str,
) -> Result<CaseMutation, LoadErrors> {
    let cases = Suite::parse(path, text, library)?.cases.into_iter();
    let mut cases = cases.map(|case| FolderCase::new(case, path, library));
    let Some(case) = cases.find(|case| case.name == name) else {
        return Err(LoadError::new(Place::of_file(library.files.name(path)), "the case is gone").into());
    };
    Ok(case.mutate_case(
        library,
        sources,
        MutationOptions { finds_additions: false, ..MutationOptions::new(&[]) },
    ))
}

/// A case, its file, and the name of its trial.
pub(super) struct FolderCase {
    pub(super) case: Arc<Case>,
    pub(super) path: PathBuf,
    pub(super) name: String,
}

impl FolderCase {
    pub(super) fn new(case: Arc<Case>, path: &Path, library: Library<'_>) -> Self {
        let below = path.strip_prefix(library.files.root()).unwrap_or(path);
        let name = build_trial_name(below, case.id.as_deref());
        Self { case, path: path.to_owned(), name }
    }

    fn mutate_case(
        &self,
        library: Library<'_>,
        sources: EvidenceSources<'_>,
        options: MutationOptions<'_>,
    ) -> CaseMutation {
        let session = JudgeSession::new(sources.judges, library.files, &self.path, String::new());
        let programs = sources.programs.map(|programs| programs.of_case(&self.case, &self.path));
        let mutator = CaseMutator {
            session: Some(&session),
            programs: programs.as_ref().map(|programs| programs as _),
            finds_additions: options.finds_additions,
            stop: options.stop,
            ..CaseMutator::new(&self.case, &self.name, library)
        };
        match load_recorded(&self.case, &self.path, library.files) {
            Ok(recorded) => mutator.mutate_runs(&recorded),
            Err(why) => mutator.leave_out(why.into()),
        }
    }
}

/// Calls `work` with each item on all processors, and returns the results in the order of the items.
fn run_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    // Each thread takes the next item until the list is empty, so that a slow item does not delay the others.
    let take_items = || {
        while let Some((at, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
        {
            let result = work(item);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    thread::scope(|scope| {
        // The caller's own thread is one of them.
        for _ in 1..threads {
            scope.spawn(take_items);
        }
        take_items();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
