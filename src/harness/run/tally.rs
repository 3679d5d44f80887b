//! The results of trials that are kept in memory until the end of the run: rows for the summary, and text blocks for
//! `ARRAIGN_VERBOSE`.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::case::Case;
use crate::harness::plan::Plan;
use crate::harness::settings::EnvSettings;
use crate::outcome::{State, Status, UndecidedCause};
use crate::report::block::render_case_block;
use crate::report::pinned::render_pinned;
use crate::report::terminal::render_quarantined;
use crate::score::Effect;
use crate::source::lock;
use crate::verdict::rebase::prefix_file;
use crate::verdict::summary::{Group, Row, SUMMARY_VERSION, Selection, Summary};
use crate::verdict::{RunSummary, Verdict};

/// Collects the results of trials as they end.
pub(crate) struct Tally {
    /// The run will have a summary.
    rows_wanted: bool,
    blocks_wanted: bool,
    selection: Selection,
    entries: Mutex<TallyEntries>,
}

/// The collected results, each with its trial's number in the plan, because trials end in any order.
#[derive(Default)]
struct TallyEntries {
    rows: Vec<(usize, Row)>,
    blocks: Vec<(usize, String)>,
    red: Vec<(usize, RedTrial)>,
    undecided: Vec<(usize, UndecidedTrial)>,
    pinned: Vec<(usize, String)>,
    quarantined: Vec<(usize, String)>,
    unexercised: UnexercisedRules,
    /// The number of passing trials with a reward that no check reads.
    unread_rewards: usize,
}

/// The rules of order that nothing in the run of a passing trial concerned: such a trial is green without them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct UnexercisedRules {
    pub(crate) rules: usize,
    pub(crate) trials: usize,
}

/// A trial that fails the run, for the table of checks.
pub(crate) struct RedTrial {
    pub(in crate::harness) name: String,
    /// The checks that do not hold, and what else is wrong.
    pub(in crate::harness) reasons: BTreeSet<String>,
}

impl RedTrial {
    /// Takes from the verdict what the table needs. `None` for a trial that does not fail the run.
    fn from_verdict(verdict: &Verdict) -> Option<Self> {
        if verdict.passed || verdict.is_quarantined() {
            return None;
        }
        let mut reasons = BTreeSet::new();
        if !verdict.errors.is_empty() {
            reasons.insert("an error".to_owned());
        }
        if verdict.snapshot_diff.is_some() {
            reasons.insert("the snapshot".to_owned());
        }
        let counted = verdict
            .findings
            .iter()
            .filter(|finding| verdict.snapshot_diff.is_none() && finding.effect != Effect::Points);
        reasons.extend(counted.filter_map(|finding| match finding.status {
            Status::Pass => None,
            Status::Fail => Some(finding.check.clone()),
            Status::Undecided => Some(format!("{}, undecided", finding.check)),
            Status::Error => Some(format!("{}, an error", finding.check)),
        }));
        if reasons.is_empty() {
            reasons.insert("another verdict is expected".to_owned());
        }
        Some(Self { name: verdict.name.clone(), reasons })
    }
}

/// A trial that failed because its evidence does not decide a check.
pub(crate) struct UndecidedTrial {
    pub(in crate::harness) name: String,
    pub(in crate::harness) cause: UndecidedCause,
    /// An agent can record the run again.
    pub(in crate::harness) has_agent: bool,
    /// The file of the run that the cause is about.
    pub(in crate::harness) file: Option<String>,
}

impl UndecidedTrial {
    /// Takes from the verdict of `case` what the summary needs. `None` for a trial that is not undecided.
    fn from_verdict(case: &Case, verdict: &Verdict) -> Option<Self> {
        if verdict.passed || verdict.status != Status::Undecided {
            return None;
        }
        // The causes are ordered by what a user does first, so the smallest one represents the trial.
        let causes = verdict.findings.iter().filter_map(|finding| Some((finding.undecided?, finding.run)));
        let (first, run) = causes.min()?;
        Some(Self {
            name: verdict.name.clone(),
            cause: first,
            has_agent: case.agent.is_some(),
            file: verdict.runs.get(run).and_then(|run| run.file.clone()),
        })
    }

    /// Prefixes the path of its trace with `folder`, if it is relative.
    fn below(mut self, folder: &str) -> Self {
        self.file.iter_mut().for_each(|file| prefix_file(file, folder));
        self
    }
}

impl Tally {
    /// Creates an empty tally. Keeps rows only for a run with a summary, and blocks only for a verbose run.
    pub(crate) fn new(plan: &Plan, settings: &EnvSettings) -> Self {
        // Rows of thousands of trials take memory, and only the summary reads them.
        let rows_wanted =
            settings.nextest.is_none() && (settings.output_json.is_some() || !plan.golden.is_empty());
        Self {
            rows_wanted,
            blocks_wanted: settings.verbose,
            selection: plan.make_selection(settings),
            entries: Mutex::default(),
        }
    }

    /// Adds the trial of a case, which has this number in the plan.
    ///
    /// With `tolerated`, it passes although its verdict does not.
    pub(crate) fn add_case(&self, number: usize, case: &Case, verdict: &Verdict, tolerated: bool) {
        if let Some(trial) = UndecidedTrial::from_verdict(case, verdict) {
            lock(&self.entries).undecided.push((number, trial));
        }
        if let Some(pinned) = render_pinned(verdict) {
            let line = format!("{}: {pinned}", verdict.name);
            lock(&self.entries).pinned.push((number, line));
        }
        lock(&self.entries).unexercised.add_verdict(verdict);
        let has_reward =
            |run: &RunSummary| run.rewards.as_ref().is_some_and(|given| !given.values.is_empty());
        if verdict.passed && !case.reads_reward() && verdict.runs.iter().any(has_reward) {
            lock(&self.entries).unread_rewards += 1;
        }
        // Rows take memory for each trial, and only a summary needs them.
        if self.rows_wanted {
            let row = Row::from_verdict(verdict);
            lock(&self.entries).rows.push((number, row));
        }
        self.add_block(number, verdict, tolerated);
    }

    /// Adds the text block of any trial, which has this number in the plan, and its message if it is red or quarantined.
    pub(crate) fn add_block(&self, number: usize, verdict: &Verdict, tolerated: bool) {
        if let Some(trial) = RedTrial::from_verdict(verdict).filter(|_| !tolerated) {
            lock(&self.entries).red.push((number, trial));
        }
        if verdict.is_quarantined() {
            let line = render_quarantined(verdict);
            lock(&self.entries).quarantined.push((number, line));
        }
        if self.blocks_wanted {
            let block = render_case_block(verdict);
            lock(&self.entries).blocks.push((number, block));
        }
    }

    /// Takes the blocks of the trials that ran, in the order of the plan.
    pub(crate) fn take_blocks(&self) -> Vec<String> {
        take_in_order(&mut lock(&self.entries).blocks)
    }

    /// Takes the trials that fail the run.
    pub(crate) fn take_red(&self) -> Vec<RedTrial> {
        take_in_order(&mut lock(&self.entries).red)
    }

    /// Takes the undecided trials of cases, with `folder` before the relative paths of their traces.
    pub(crate) fn take_undecided(&self, folder: &str) -> Vec<UndecidedTrial> {
        let trials = take_in_order(&mut lock(&self.entries).undecided);
        trials.into_iter().map(|trial| trial.below(folder)).collect()
    }

    /// Counts the rules that passing trials did not exercise.
    pub(crate) fn count_unexercised(&self) -> UnexercisedRules {
        lock(&self.entries).unexercised
    }

    /// Counts the passing trials with a reward that no check reads.
    pub(crate) fn count_unread_rewards(&self) -> usize {
        lock(&self.entries).unread_rewards
    }

    /// Takes a line for each trial that passes with pinned violations.
    pub(crate) fn take_pinned(&self) -> Vec<String> {
        take_in_order(&mut lock(&self.entries).pinned)
    }

    /// Takes a line for each trial that has failed and does not decide the run.
    pub(crate) fn take_quarantined(&self) -> Vec<String> {
        take_in_order(&mut lock(&self.entries).quarantined)
    }

    /// Sums up the trials that ran.
    pub(crate) fn make_summary(&self) -> Summary {
        Summary::from_rows(&self.selection, &take_in_order(&mut lock(&self.entries).rows))
    }

    /// Returns the summary of a run that contains only the cases of one suite.
    pub(crate) fn summary_of(&self, suite: Group) -> Summary {
        let total = Group { name: "all".to_owned(), ..suite.clone() };
        Summary { schema_version: SUMMARY_VERSION, tier: self.selection.tier, total, suites: vec![suite] }
    }
}

/// Takes the entries, in the order of the plan. Threads end in any order, and a sum of floats depends on it.
fn take_in_order<T>(entries: &mut Vec<(usize, T)>) -> Vec<T> {
    let mut entries = std::mem::take(entries);
    entries.sort_by_key(|(number, _)| *number);
    entries.into_iter().map(|(_, entry)| entry).collect()
}

impl UnexercisedRules {
    /// The only check whose rules can be about nothing without a mistake in them.
    const CHECK: &str = "sequence_valid";

    fn add_verdict(&mut self, verdict: &Verdict) {
        let findings =
            verdict.findings.iter().filter(|finding| verdict.passed && finding.check == Self::CHECK);
        let items = findings.flat_map(|finding| &finding.items);
        let rules = items.filter(|item| item.state == State::NotExercised).count();
        self.rules += rules;
        self.trials += usize::from(rules > 0);
    }
}
