//! The trials of one run, as far as a comparison looks at them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Compared, Seen};
use crate::outcome::Status;
use crate::report::terminal::headline;
use crate::report::{Standing, Totals};
use crate::score::Effect;
use crate::verdict::{Finding, Verdict};

/// The trials of one run, by name and harness.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trials(BTreeMap<Id, Seen>);

/// What a trial is known by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id {
    pub(super) name: String,
    pub(super) harness: String,
}

impl Trials {
    /// Takes the next verdict: of the attempts of a trial, in their order.
    pub fn add(&mut self, verdict: &Verdict) {
        let mut seen = Seen::of(verdict);
        let id = Id { name: verdict.name.clone(), harness: verdict.harness.clone() };
        if let Some(earlier) = self.0.get(&id) {
            seen.flaky |= earlier.flaky || earlier.standing != seen.standing;
        }
        self.0.insert(id, seen);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.0.values().for_each(|seen| totals.count(seen.standing));
        totals
    }

    /// Each trial of the two runs.
    pub(super) fn beside<'t>(&'t self, after: &'t Trials) -> impl Iterator<Item = Compared> + 't {
        let ids: BTreeSet<&Id> = self.0.keys().chain(after.0.keys()).collect();
        ids.into_iter().map(|id| Compared::of(id, self.0.get(id), after.0.get(id)))
    }
}

impl<'v> FromIterator<&'v Verdict> for Trials {
    fn from_iter<I: IntoIterator<Item = &'v Verdict>>(verdicts: I) -> Self {
        let mut trials = Self::default();
        verdicts.into_iter().for_each(|verdict| trials.add(verdict));
        trials
    }
}

impl Seen {
    fn of(verdict: &Verdict) -> Self {
        Self {
            standing: Standing::of(verdict),
            score: verdict.score,
            flaky: is_flaky(verdict),
            claim: (!verdict.passed).then(|| headline(verdict)),
        }
    }
}

/// Whether the attempts of a trial, or its runs, ended differently.
pub(in crate::report) fn is_flaky(verdict: &Verdict) -> bool {
    !verdict.earlier_attempts.is_empty() || wavers(verdict)
}

/// Whether some of a trial's runs are red, and others are not.
fn wavers(verdict: &Verdict) -> bool {
    if let Some(statistics) = &verdict.statistics {
        return statistics.passed > 0 && statistics.passed < statistics.runs;
    }
    let is_red = |finding: &&Finding| {
        let counts = !finding.of_all_runs && matches!(finding.effect, Effect::Fail | Effect::Gate);
        counts && finding.status != Status::Pass
    };
    let red: BTreeSet<usize> = verdict.findings.iter().filter(is_red).map(|finding| finding.run).collect();
    !red.is_empty() && red.len() < verdict.runs.len()
}
