//! The judge of a run: its readiness, its usage by trials, and its recordings that no case uses any more.

use std::collections::{HashMap, HashSet};
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use super::asking::AskProgress;
use crate::case::Case;
use crate::harness::cli::HarnessCommand;
use crate::harness::plan::{Plan, TrialWork};
use crate::harness::record::store::Store;
use crate::harness::settings::{EnvSettings, Shard};
use crate::harness::stderr::report_load_errors;
use crate::judge::{CASSETTES, Judge, JudgePool, JudgeSession, JudgeUsage, cassette_prefix};
use crate::place::{LoadError, LoadErrors};
use crate::source::{Files, lock};
use crate::suite::is_support;

/// The judge, and the cases that may ask it.
pub(crate) struct RunJudge {
    pool: JudgePool,
    /// All cases and their files; `None` if not all cases were read, or not all of them run.
    cases: Option<Vec<(Arc<Case>, Arc<PathBuf>)>>,
    /// What follows the names of cases in those of their recordings, for each variant.
    suffixes: Vec<String>,
    /// The number of trials that may ask the judge.
    trials: usize,
    activity: Mutex<JudgeActivity>,
}

/// The trials that have asked the judge.
#[derive(Default)]
struct JudgeActivity {
    /// The names of the trials with an answer: a set, because the gate of a suite evaluates its cases again.
    answered: HashSet<String>,
    at_work: Vec<String>,
}

impl RunJudge {
    /// Checks that the judge of each case can be asked. If the command line names the trials, an error belongs to its trial;
    /// otherwise it is printed, with `folder` before relative paths. Returns the exit code of the process after printing an error.
    pub(crate) fn prepare(
        own: Option<Arc<dyn Judge>>,
        plan: &mut Plan,
        command: &HarnessCommand,
        folder: &str,
    ) -> Result<Self, ExitCode> {
        let mode = command.settings.judge;
        let pool = JudgePool::new(mode, own, |name| env::var_os(name))
            .with_shards(command.settings.shard.map(Shard::count));
        let mut errors = LoadErrors::new();
        if !command.arguments.list {
            refuse_unready(&pool, plan, command.exact_names().is_some(), &mut errors);
        }
        errors.or(()).map_err(|errors| report_load_errors(&errors, folder))?;
        let arguments = &command.arguments;
        // A recording is unused only if none of all cases uses it, so that every case must run.
        let all_selected = plan.skipped == 0 && command.filters.is_empty() && arguments.skip.is_empty();
        let all_run = all_selected && !arguments.list && !arguments.ignored;
        let trials = if mode.asks_judge() { count_askers(plan, command) } else { 0 };
        Ok(Self {
            pool,
            cases: all_run.then(|| plan.list_cases()),
            suffixes: command.variants.list_suffixes().to_vec(),
            trials,
            activity: Mutex::default(),
        })
    }

    /// Counts the trials that may ask the judge, those that have ended, and those that ask now.
    pub(crate) fn count_asking(&self) -> AskProgress {
        let activity = lock(&self.activity);
        AskProgress {
            asked: self.trials,
            // More trials may ask than were counted, and the line must not show 3 of 2.
            answered: activity.answered.len().min(self.trials),
            at_work: activity.at_work.clone(),
        }
    }

    /// Calls `ask`, and counts the trial `name` as asking the judge until it returns.
    pub(crate) fn track_asking<T>(&self, name: &str, ask: impl FnOnce() -> T) -> T {
        lock(&self.activity).at_work.push(name.to_owned());
        let answer = ask();
        let mut activity = lock(&self.activity);
        activity.at_work.retain(|other| other != name);
        activity.answered.insert(name.to_owned());
        answer
    }

    /// Under nextest, records the usage in a file. There each trial is a separate process, and the judge's budget is for all
    /// of them together.
    pub(crate) fn with_shared_ledger(self, store: &Store, settings: &EnvSettings) -> Self {
        match settings.nextest {
            Some(_) => Self { pool: self.pool.with_ledger(store.judge_ledger()), ..self },
            None => self,
        }
    }

    /// Opens a session for a trial, whose case is in `file` and which the command `rerun` runs alone.
    pub(crate) fn open_session<'h>(
        &'h self,
        rerun: String,
        file: &'h Path,
        files: &'h Files,
    ) -> JudgeSession<'h> {
        JudgeSession::new(&self.pool, files, file, rerun)
    }

    /// The requests, tokens and costs of this process.
    pub(crate) fn amount_spent(&self) -> JudgeUsage {
        self.pool.own_usage()
    }

    /// Returns the prefixes of the recordings of a case, with those of variants that do not run now.
    fn list_prefixes(&self, case: &Case, path: &Path) -> Vec<PathBuf> {
        let has_variants = case.agent.is_some();
        let suffixes = self.suffixes.iter().filter(|suffix| suffix.is_empty() || has_variants);
        suffixes.map(|suffix| cassette_prefix(case, path, suffix)).collect()
    }

    /// Returns the names of the recordings that no case uses any more. Only a run of all cases can tell.
    ///
    /// A recording is stale if its case does not exist, or if the case has used other recordings but not this one. A case
    /// that has used none keeps its recordings, because it may have failed before it asked the judge.
    pub(crate) fn find_stale(&self, files: &Files) -> Vec<String> {
        let Some(cases) = &self.cases else { return Vec::new() };
        let found = files.walk(files.root(), cannot_hold_cassettes).unwrap_or_default().into_iter();
        let cassettes: Vec<PathBuf> = found.filter(|path| is_cassette(path)).collect();
        // Most projects have no recordings, and need no walk over their cases.
        if cassettes.is_empty() {
            return Vec::new();
        }
        let prefixes: HashSet<PathBuf> =
            cases.iter().flat_map(|(case, path)| self.list_prefixes(case, path)).collect();
        let used = self.pool.used_cassettes();
        let stale = cassettes.into_iter().filter(|path| match prefix_of(path) {
            Some(prefix) if prefixes.contains(&prefix) => {
                used.get(&prefix).is_some_and(|used| !used.contains(path))
            }
            _ => true,
        });
        stale.map(|path| files.name(&path)).collect()
    }
}

/// Replaces the trials whose judge cannot be asked, or collects the errors. Many cases share the settings of one judge, so
/// its error is reported once, and found by the place of those settings.
fn refuse_unready(pool: &JudgePool, plan: &mut Plan, named: bool, errors: &mut LoadErrors) {
    let mut readiness: HashMap<String, Result<(), LoadError>> = HashMap::new();
    for planned in &mut plan.trials {
        let TrialWork::Case(work) = &planned.work else { continue };
        let Some(settings) = work.case.judge.as_ref().filter(|_| work.case.asks_a_judge()) else { continue };
        let place = settings.place.to_string();
        let is_reported = readiness.contains_key(&place);
        let checked = readiness.entry(place).or_insert_with(|| {
            pool.check_ready(settings).map_err(|problem| LoadError::new(settings.place.clone(), problem))
        });
        let Err(error) = checked.clone() else { continue };
        // A named trial reports the mistake itself. A whole run ends before it begins.
        if named {
            planned.work = TrialWork::Broken(error.into());
        } else if !is_reported {
            errors.push(error);
        }
    }
}

/// Counts the trials that may ask the judge.
fn count_askers(plan: &Plan, command: &HarnessCommand) -> usize {
    plan.trials_to_run(command)
        .filter(|planned| matches!(&planned.work, TrialWork::Case(work) if work.case.asks_a_judge()))
        .count()
}

/// Returns the prefix of a case's cassettes: `cassettes/s/a.` for `cassettes/s/a.0123.json`.
fn prefix_of(path: &Path) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_str()?;
    let (case, _) = stem.rsplit_once('.')?;
    Some(path.with_file_name(format!("{case}.")))
}

/// Whether the walk skips a folder. Cassettes are beside cases, so folders of traces, which can hold thousands of files,
/// are not searched.
fn cannot_hold_cassettes(path: &Path) -> bool {
    let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    hidden || is_support(path) && !path.iter().any(|step| step == CASSETTES)
}

fn is_cassette(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::parent);
    path.extension().is_some_and(|extension| extension == "json")
        && folder.is_some_and(|folder| folder.ends_with(CASSETTES))
}
