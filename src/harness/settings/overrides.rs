//! What one run says in place of its cases: `ARRAIGN_PASS_THRESHOLD` and `ARRAIGN_REPEAT`.

use std::sync::Arc;

use super::read_variable;
use crate::case::Case;
use crate::suite::SuiteGate;

/// What one run says in place of its cases.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CaseOverrides {
    /// The score at which golden rows pass, and the mean that gates require, from 0 to 1.
    pub pass_threshold: Option<f64>,
    /// The number of runs of each case with an agent.
    pub repeat: Option<u32>,
}

/// The setting of a scorecard that [`CaseOverrides::pass_threshold`] replaces.
const PASS_THRESHOLD: &str = "pass_threshold";

impl CaseOverrides {
    /// Reads the environment. The error is a message for the user.
    pub(super) fn read_environment() -> Result<Self, String> {
        let pass_threshold = read_variable("ARRAIGN_PASS_THRESHOLD").map(|text| {
            parse_threshold(&text).map_err(|problem| format!("ARRAIGN_PASS_THRESHOLD is `{text}`: {problem}"))
        });
        let repeat = read_variable("ARRAIGN_REPEAT").map(|text| {
            parse_repeat(&text).map_err(|problem| format!("ARRAIGN_REPEAT is `{text}`: {problem}"))
        });
        Ok(Self { pass_threshold: pass_threshold.transpose()?, repeat: repeat.transpose()? })
    }

    /// Returns these, and those of `other` for what they do not say.
    pub(in crate::harness) fn or(self, other: Self) -> Self {
        Self {
            pass_threshold: self.pass_threshold.or(other.pass_threshold),
            repeat: self.repeat.or(other.repeat),
        }
    }

    /// Returns the case as this run wants it.
    pub(in crate::harness) fn apply(self, case: &Arc<Case>) -> Arc<Case> {
        if self == Self::default() {
            return Arc::clone(case);
        }
        let mut changed = Case::clone(case);
        if let Some(least) = self.pass_threshold {
            let cards = changed.scorecards.iter_mut().filter(|card| card.threshold.setting == PASS_THRESHOLD);
            cards.for_each(|card| card.threshold.least = least);
        }
        // A case without an agent has the runs that somebody recorded.
        if let Some(runs) = self.repeat.filter(|_| case.agent.is_some()) {
            let place = case.repeat.as_ref().map_or_else(|| case.place.clone(), |(_, place)| place.clone());
            changed.repeat = Some((runs, place));
        }
        Arc::new(changed)
    }

    /// Returns the gate as this run wants it. A gate without a required mean has none here, either.
    pub(in crate::harness) fn apply_to_gate(self, mut gate: SuiteGate) -> SuiteGate {
        gate.mean = gate.mean.map(|mean| self.pass_threshold.unwrap_or(mean));
        gate
    }
}

/// Parses a share from 0 to 1. The error says what is expected.
pub fn parse_threshold(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// Parses a number of runs. The error says what is expected.
pub fn parse_repeat(text: &str) -> Result<u32, String> {
    let runs = text.parse().ok().filter(|runs| (1..=1000).contains(runs));
    runs.ok_or_else(|| "expected a number of runs, from 1 to 1000".to_owned())
}
