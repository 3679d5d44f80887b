//! What is kept of the trials of an in-process run until it ends: a row each for the summary, and a block each where
//! they are asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::plan::{GoldenSuite, Plan};
use super::settings::Settings;
use crate::case::Tier;
use crate::report::block::block;
use crate::verdict::Verdict;
use crate::verdict::summary::{Group, Row, SUMMARY_VERSION, Summary};

/// The trials of a run, as they end.
pub(super) struct Tally {
    /// A summary will be made.
    rows_wanted: bool,
    blocks_wanted: bool,
    tier: Tier,
    skipped: usize,
    suites: Vec<GoldenSuite>,
    kept: Mutex<Kept>,
}

/// Each with its number in the plan: trials end in any order.
#[derive(Default)]
struct Kept {
    rows: Vec<(usize, Arc<str>, Row)>,
    blocks: Vec<(usize, String)>,
}

impl Tally {
    /// Nothing has ended yet. What nobody will ask for is not kept.
    pub(super) fn new(plan: &mut Plan, settings: &Settings) -> Self {
        let rows_wanted =
            settings.nextest.is_none() && (settings.output_json.is_some() || !plan.golden.is_empty());
        Self {
            rows_wanted,
            blocks_wanted: settings.verbose,
            tier: settings.tier.unwrap_or(Tier::Full),
            skipped: plan.skipped,
            suites: std::mem::take(&mut plan.golden),
            kept: Mutex::default(),
        }
    }

    /// Keeps what is wanted of the case's trial of this number.
    pub(super) fn add_case(&self, number: usize, suite: &Arc<str>, verdict: &Verdict) {
        if self.rows_wanted {
            let row = Row::of(verdict);
            self.kept(|kept| kept.rows.push((number, Arc::clone(suite), row)));
        }
        self.add_block(number, verdict);
    }

    /// Keeps the block of any trial, where blocks are wanted.
    pub(super) fn add_block(&self, number: usize, verdict: &Verdict) {
        if self.blocks_wanted {
            let block = block(verdict);
            self.kept(|kept| kept.blocks.push((number, block)));
        }
    }

    /// The blocks of the trials that ran, in the order of the plan.
    pub(super) fn blocks(&self) -> Vec<String> {
        let mut blocks = self.kept(|kept| std::mem::take(&mut kept.blocks));
        blocks.sort_by_key(|(number, _)| *number);
        blocks.into_iter().map(|(_, block)| block).collect()
    }

    /// What the trials that ran come to.
    pub(super) fn summary(&self) -> Summary {
        let mut rows = self.kept(|kept| std::mem::take(&mut kept.rows));
        // Sums of fractions depend on their order; that of threads must not be seen.
        rows.sort_by_key(|(number, _, _)| *number);
        let total = Group::of("all", &rows.iter().map(|(_, _, row)| row));
        Summary {
            schema_version: SUMMARY_VERSION,
            tier: self.tier,
            total: Group { skipped: self.skipped, ..total },
            suites: self.groups(&rows),
        }
    }

    /// The summary of a run that holds nothing but the cases of one suite.
    pub(super) fn summary_of(&self, suite: Group) -> Summary {
        let total = Group { name: "all".to_owned(), ..suite.clone() };
        Summary { schema_version: SUMMARY_VERSION, tier: self.tier, total, suites: vec![suite] }
    }

    /// The suites whose golden rows ran.
    fn groups(&self, rows: &[(usize, Arc<str>, Row)]) -> Vec<Group> {
        let mut by_suite: HashMap<&str, Vec<&Row>> = HashMap::new();
        for (_, suite, row) in rows {
            by_suite.entry(suite).or_default().push(row);
        }
        let group = |suite: &GoldenSuite| {
            let rows =
                by_suite.get(&*suite.name).filter(|rows| rows.iter().any(|row| row.golden.is_some()))?;
            let group = Group::of(&suite.name, &rows.iter().copied());
            Some(Group { skipped: suite.skipped, gate: suite.gate, ..group })
        };
        self.suites.iter().filter_map(group).collect()
    }

    fn kept<T>(&self, look: impl FnOnce(&mut Kept) -> T) -> T {
        look(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
