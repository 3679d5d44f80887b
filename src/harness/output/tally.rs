//! What is kept of the trials of an in-process run until it ends: a row each for the summary, and a block each where
//! they are asked for.

use std::sync::{Mutex, PoisonError};

use crate::harness::plan::Plan;
use crate::harness::settings::Settings;
use crate::report::block::render_case_block;
use crate::verdict::Verdict;
use crate::verdict::summary::{Group, Row, SUMMARY_VERSION, Selection, Summary};

/// The trials of a run, as they end.
pub(in crate::harness) struct Tally {
    /// A summary will be made.
    rows_wanted: bool,
    blocks_wanted: bool,
    selection: Selection,
    kept: Mutex<Kept>,
}

/// Each with its number in the plan: trials end in any order.
#[derive(Default)]
struct Kept {
    rows: Vec<(usize, Row)>,
    blocks: Vec<(usize, String)>,
}

impl Tally {
    /// Nothing has ended yet. What nobody will ask for is not kept.
    pub(in crate::harness) fn new(plan: &Plan, settings: &Settings) -> Self {
        let rows_wanted =
            settings.nextest.is_none() && (settings.output_json.is_some() || !plan.golden.is_empty());
        Self {
            rows_wanted,
            blocks_wanted: settings.verbose,
            selection: plan.selection(settings),
            kept: Mutex::default(),
        }
    }

    /// Keeps what is wanted of the case's trial of this number.
    pub(in crate::harness) fn add_case(&self, number: usize, verdict: &Verdict) {
        if self.rows_wanted {
            let row = Row::from_verdict(verdict);
            self.with_kept(|kept| kept.rows.push((number, row)));
        }
        self.add_block(number, verdict);
    }

    /// Keeps the block of any trial, where blocks are wanted.
    pub(in crate::harness) fn add_block(&self, number: usize, verdict: &Verdict) {
        if self.blocks_wanted {
            let block = render_case_block(verdict);
            self.with_kept(|kept| kept.blocks.push((number, block)));
        }
    }

    /// The blocks of the trials that ran, in the order of the plan.
    pub(in crate::harness) fn take_blocks(&self) -> Vec<String> {
        let mut blocks = self.with_kept(|kept| std::mem::take(&mut kept.blocks));
        blocks.sort_by_key(|(number, _)| *number);
        blocks.into_iter().map(|(_, block)| block).collect()
    }

    /// What the trials that ran come to.
    pub(in crate::harness) fn make_summary(&self) -> Summary {
        let mut rows = self.with_kept(|kept| std::mem::take(&mut kept.rows));
        // Sums of fractions depend on their order; that of threads must not be seen.
        rows.sort_by_key(|(number, _)| *number);
        let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
        Summary::from_rows(&self.selection, &rows)
    }

    /// The summary of a run that holds nothing but the cases of one suite.
    pub(in crate::harness) fn summary_of(&self, suite: Group) -> Summary {
        let total = Group { name: "all".to_owned(), ..suite.clone() };
        Summary { schema_version: SUMMARY_VERSION, tier: self.selection.tier, total, suites: vec![suite] }
    }

    fn with_kept<T>(&self, look: impl FnOnce(&mut Kept) -> T) -> T {
        look(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
