//! The judge of a run of the harness: who it is, what trials ask of it, and which of its recordings nobody asks for.

use std::collections::{HashMap, HashSet};
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::asking::Asking;
use crate::case::Case;
use crate::harness::cli::Command;
use crate::harness::output::stderr::report_load_errors;
use crate::harness::plan::{Plan, Work};
use crate::harness::record::store::Store;
use crate::harness::settings::Settings;
use crate::judge::{CASSETTES, Judge, JudgeMode, JudgePool, JudgeSession, JudgeUsage, cassette_prefix};
use crate::place::{LoadError, LoadErrors};
use crate::source::Files;
use crate::suite::is_support;

/// The judge, and the cases that may ask it.
pub(in crate::harness) struct RunJudge {
    panel: JudgePool,
    /// All cases and their files; `None` where not all were read, or not all run.
    cases: Option<Vec<(Arc<Case>, Arc<PathBuf>)>>,
    /// How many trials may ask it.
    trials: usize,
    heard: Mutex<JudgeActivity>,
}

/// The trials that have asked the judge.
#[derive(Default)]
struct JudgeActivity {
    /// By their names: the gate of a suite holds its cases once more.
    answered: HashSet<String>,
    at_work: Vec<String>,
}

impl RunJudge {
    /// Holds that the judge of each case can be asked. Where trials are named, the mistake is the trial's. The error is
    /// how the process ends: a mistake was told.
    pub(in crate::harness) fn prepare(
        own: Option<Arc<dyn Judge>>,
        plan: &mut Plan,
        command: &Command,
        mode: JudgeMode,
    ) -> Result<Self, ExitCode> {
        let panel = JudgePool::new(mode, own, |name| env::var_os(name));
        let mut errors = LoadErrors::new();
        if !command.arguments.list {
            refuse_unready(&panel, plan, command.exact_names().is_some(), &mut errors);
        }
        errors.or(()).map_err(|errors| report_load_errors(&errors))?;
        let asked = &command.arguments;
        let all_read = plan.skipped == 0 && command.filters.is_empty() && asked.skip.is_empty();
        let whole = all_read && !asked.list && !asked.ignored;
        let trials = if mode.asks_judge() { count_askers(plan, command) } else { 0 };
        Ok(Self { panel, cases: whole.then(|| plan.list_cases()), trials, heard: Mutex::default() })
    }

    /// How many trials may ask the judge, how many of those have ended, and which ask it now.
    pub(in crate::harness) fn count_asking(&self) -> Asking {
        let heard = self.lock_activity();
        Asking {
            asked: self.trials,
            answered: heard.answered.len().min(self.trials),
            at_work: heard.at_work.clone(),
        }
    }

    /// Does what may ask the judge for the trial `name`.
    pub(in crate::harness) fn track_asking<T>(&self, name: &str, ask: impl FnOnce() -> T) -> T {
        self.lock_activity().at_work.push(name.to_owned());
        let answer = ask();
        let mut heard = self.lock_activity();
        heard.at_work.retain(|other| other != name);
        heard.answered.insert(name.to_owned());
        answer
    }

    fn lock_activity(&self) -> MutexGuard<'_, JudgeActivity> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Under nextest each trial is a process of its own, and the budget that of all: they share what they spend.
    pub(in crate::harness) fn with_shared_ledger(self, store: &Store, settings: &Settings) -> Self {
        match settings.nextest {
            Some(_) => Self { panel: self.panel.with_ledger(store.judge_ledger()), ..self },
            None => self,
        }
    }

    /// What a trial may ask whose case stands in `file`, and which `rerun` runs alone.
    pub(in crate::harness) fn open_hearing<'h>(
        &'h self,
        rerun: String,
        file: &'h Path,
        files: &'h Files,
    ) -> JudgeSession<'h> {
        JudgeSession::new(&self.panel, (files, file), rerun)
    }

    /// What was spent.
    pub(in crate::harness) fn amount_spent(&self) -> JudgeUsage {
        self.panel.own_usage()
    }

    /// Recordings that no case of this whole run has asked for. A case that asked for none at all may not have got so
    /// far: its recordings stay.
    pub(in crate::harness) fn find_stale(&self, files: &Files) -> Vec<String> {
        let Some(cases) = &self.cases else { return Vec::new() };
        let found = files.walk(files.root(), has_none).unwrap_or_default().into_iter();
        let cassettes: Vec<PathBuf> = found.filter(|path| is_cassette(path)).collect();
        if cassettes.is_empty() {
            return Vec::new();
        }
        let homes: HashSet<PathBuf> = cases.iter().map(|(case, path)| cassette_prefix(case, path)).collect();
        let used = self.panel.used_cassettes();
        let is_stale = |path: &PathBuf| match home_of(path) {
            Some(home) if homes.contains(&home) => used.get(&home).is_some_and(|used| !used.contains(path)),
            _ => true,
        };
        cassettes.into_iter().filter(is_stale).map(|path| files.name(&path)).collect()
    }
}

/// One mistake a judge, not one a case.
fn refuse_unready(panel: &JudgePool, plan: &mut Plan, named: bool, errors: &mut LoadErrors) {
    let mut ready: HashMap<String, Result<(), LoadError>> = HashMap::new();
    for planned in &mut plan.trials {
        let Work::Case(work) = &planned.work else { continue };
        let Some(settings) = work.case.judge.as_ref().filter(|_| work.case.asks_a_judge()) else { continue };
        let refuse = || {
            let problem = panel.check_ready(settings).err();
            problem.map_or(Ok(()), |problem| Err(LoadError::new(settings.place.clone(), problem)))
        };
        let known = ready.contains_key(&settings.place.to_string());
        let found = ready.entry(settings.place.to_string()).or_insert_with(refuse);
        let Err(error) = found.clone() else { continue };
        if named {
            planned.work = Work::Broken(error.into());
        } else if !known {
            errors.push(error);
        }
    }
}

/// How many trials may ask the judge.
fn count_askers(plan: &Plan, command: &Command) -> usize {
    let asks = |work: &Work| matches!(work, Work::Case(work) if work.case.asks_a_judge());
    plan.to_run(command).filter(|planned| asks(&planned.work)).count()
}

/// `cassettes/s/a.0123.json` as `cassettes/s/a.`.
fn home_of(path: &Path) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_str()?;
    let (case, _) = stem.rsplit_once('.')?;
    Some(path.with_file_name(format!("{case}.")))
}

/// Cassettes lie beside cases: where there are none, as among thousands of traces, they need no search.
fn has_none(path: &Path) -> bool {
    let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    hidden || is_support(path) && !path.iter().any(|step| step == CASSETTES)
}

fn is_cassette(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::parent);
    path.extension().is_some_and(|extension| extension == "json")
        && folder.is_some_and(|folder| folder.ends_with(CASSETTES))
}
