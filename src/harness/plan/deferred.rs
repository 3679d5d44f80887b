//! Cases that their trials read again, so that the memory of a run does not grow with the number of its cases.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::{CaseWork, Plan, TrialWork};
use crate::harness::settings::CaseOverrides;
use crate::place::{LoadError, LoadErrors, Place};
use crate::source::lock;
use crate::suite::{Library, Suite};

/// The number of cases that a plan keeps. Reading a case twice takes time, and so many fit into 70 MB.
pub(in crate::harness) const KEPT_CASES: usize = 10_000;

/// A larger file is kept: it would be read again as a whole.
const MOST_TRIALS: usize = 1_000;

/// The number of files that stay in memory for the next trials, which are mostly of the same files.
const RECENT_SUITES: usize = 4;

/// A case of which only its file and its id are kept.
pub(in crate::harness) struct DeferredCase {
    path: Arc<PathBuf>,
    suite: Arc<str>,
    id: Option<String>,
    overrides: CaseOverrides,
}

/// The files that were read again last, the latest at the end.
#[derive(Default)]
pub(in crate::harness) struct RecentSuites(Mutex<VecDeque<RecentSuite>>);

#[derive(Clone)]
struct RecentSuite {
    path: Arc<PathBuf>,
    /// `None` until a trial has read the file.
    suite: Arc<Mutex<Option<Arc<Suite>>>>,
}

/// Defers the cases of a file for which nothing is prepared before the trials run.
pub(super) fn defer_cases(plan: &mut Plan, overrides: CaseOverrides) {
    // A gate holds all cases of its file.
    let has_gate = plan.trials.iter().any(|trial| matches!(trial.work, TrialWork::Gate(_)));
    if has_gate || plan.trials.len() > MOST_TRIALS {
        return;
    }
    for trial in &mut plan.trials {
        trial.work = match std::mem::replace(&mut trial.work, TrialWork::Broken(LoadErrors::new())) {
            TrialWork::Case(work) if trial.ignore.is_none() && may_defer(&work) => {
                let id = work.case.id.clone();
                TrialWork::Deferred(DeferredCase { path: work.path, suite: work.suite, id, overrides })
            }
            work => work,
        };
    }
}

/// Whether nobody looks at the case before its trial runs.
fn may_defer(work: &CaseWork) -> bool {
    let case = &work.case;
    work.run.is_none()
        && case.agent.is_none()
        && case.snapshot.is_none()
        && !case.asks_a_judge()
        && !case.runs_programs()
}

impl DeferredCase {
    /// Reads the case of the trial `name` again. The error contains the mistakes that were made in the meantime.
    pub(in crate::harness) fn read_again(
        self,
        name: &str,
        recent: &RecentSuites,
        library: Library<'_>,
    ) -> Result<CaseWork, LoadErrors> {
        let Self { path, suite, id, overrides } = self;
        let loaded = recent.load(&path, library)?;
        if let Some(case) = loaded.case(id.as_deref()) {
            return Ok(CaseWork {
                case: overrides.apply(case),
                path,
                suite,
                variant: None,
                run: None,
                attack: None,
            });
        }
        let place = Place::of_file(library.files.name(&path));
        let problem = format!("the file has changed since the run began: it no longer has the case `{name}`");
        Err(LoadError::new(place, problem).into())
    }
}

impl RecentSuites {
    fn load(&self, path: &Arc<PathBuf>, library: Library<'_>) -> Result<Arc<Suite>, LoadErrors> {
        let recent = self.find_or_add(path);
        // Trials of one file run at the same time, and only the first of them reads it. Trials of other files do not wait.
        let mut suite = lock(&recent.suite);
        if let Some(suite) = &*suite {
            return Ok(Arc::clone(suite));
        }
        let loaded = Arc::new(Suite::load(path, library)?);
        *suite = Some(Arc::clone(&loaded));
        Ok(loaded)
    }

    fn find_or_add(&self, path: &Arc<PathBuf>) -> RecentSuite {
        let mut suites = lock(&self.0);
        if let Some(recent) = suites.iter().find(|recent| Arc::ptr_eq(&recent.path, path)) {
            return recent.clone();
        }
        let recent = RecentSuite { path: Arc::clone(path), suite: Arc::default() };
        if suites.len() == RECENT_SUITES {
            suites.pop_front();
        }
        suites.push_back(recent.clone());
        recent
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::case::Quarantine;
    use crate::check::{Registry, Tables};
    use crate::harness::plan::{PlanSource, plan_all};
    use crate::harness::settings::{EnvSettings, VariantSelection};
    use crate::source::Files;

    /// Writes files of cases, and plans them with room for one case.
    fn plan_folder(files: &[(&str, &str)], read: impl FnOnce(Plan, Library<'_>)) {
        let folder = TempDir::new().expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("it is written");
        }
        let kinds = Registry::default();
        let tables = Tables::default();
        let opener = Files::new(folder.path(), folder.path());
        let library = Library { kinds: &kinds, files: &opener, tables: &tables };
        let source = PlanSource {
            library,
            settings: &EnvSettings::default(),
            variants: &VariantSelection::default(),
            quarantine: &Quarantine::default(),
        };
        let plan = plan_all(source, 1).expect("the cases are valid");
        read(plan, library);
    }

    fn list_deferred(plan: Plan) -> Vec<(String, DeferredCase)> {
        let trials = plan.trials.into_iter().filter_map(|trial| match trial.work {
            TrialWork::Deferred(case) => Some((trial.name, case)),
            _ => None,
        });
        trials.collect()
    }

    const PLAIN: &str = "[{id: a, trace: {calls: [], answer: x}, expect: [contains: x]}]";

    #[test]
    fn cases_beyond_those_that_are_kept_are_read_again() {
        let two = "[{id: b, trace: {calls: []}, expect: [contains: x]}, {id: c, expect: [contains: y]}]";
        plan_folder(&[("1.yaml", PLAIN), ("2.yaml", two), ("3.yaml", two)], |plan, library| {
            let deferred = list_deferred(plan);
            let names: Vec<_> = deferred.iter().map(|(name, _)| name).collect();
            assert_eq!(names, ["2::b", "2::c", "3::b", "3::c"]);
            let recent = RecentSuites::default();
            for (name, case) in deferred {
                let work = case.read_again(&name, &recent, library).expect("the file is unchanged");
                assert!(name.ends_with(work.case.id.as_deref().expect("an id")), "{name}");
                assert_eq!(work.case.expectations.len(), 1);
            }
        });
    }

    #[test]
    fn cases_that_something_is_prepared_for_are_kept() {
        let others = "tests: [{id: b, ignore: later, expect: [contains: x]}, {id: c, snapshot: true, expect: [contains: x]}]";
        let gated = "{gate: {mean: 0.5}, tests: [{id: d, expect: [contains: x]}]}";
        plan_folder(&[("1.yaml", PLAIN), ("2.yaml", others), ("3.yaml", gated)], |plan, _| {
            assert!(list_deferred(plan).is_empty());
        });
    }

    #[test]
    fn a_case_that_is_gone_is_an_error_of_its_trial() {
        let other = PLAIN.replace("id: a", "id: b");
        plan_folder(&[("1.yaml", PLAIN), ("2.yaml", &other), ("3.yaml", &other)], |plan, library| {
            for (name, case) in list_deferred(plan) {
                fs::write(&*case.path, PLAIN).expect("it is written");
                let read = case.read_again(&name, &RecentSuites::default(), library);
                let error = read.map(|_| ()).expect_err("the case is gone").to_string();
                assert!(error.contains(&format!("no longer has the case `{name}`")), "{error}");
            }
        });
    }
}
