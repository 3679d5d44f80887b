//! The gate of a suite whose cases run in several processes, none of which knows all of them: a report that merges their runs
//! decides it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::gate::{GATE, GateRule, MeasuredCase, evaluate_gate};
use super::regression::EarlierMeans;
use crate::json;
use crate::outcome::Status;
use crate::verdict::summary::Group;
use crate::verdict::{Finding, Verdict};

/// The value of the finding that contains the gate.
const VALUE: &str = "divided";

/// The settings that decide a gate, beside the verdicts of its cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DividedGate {
    /// The requirements of the gate.
    pub rule: GateRule,
    /// The prefix of the names of the suite's trials.
    pub suite: String,
    /// The names of the trials that the gate sums up.
    pub cases: Vec<String>,
    /// The earlier means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<EarlierMeans>,
}

impl DividedGate {
    /// Returns the gate whose undecided verdict this is.
    pub fn from_verdict(verdict: &Verdict) -> Option<Self> {
        let value = verdict.findings.iter().find_map(|finding| finding.values.get(VALUE))?;
        json::from_json(value.clone()).ok()
    }

    /// Returns the verdict of the gate's trial `name` in a process that runs a part of the trials.
    pub fn defer(&self, name: &str) -> Verdict {
        let unfit = "this process runs a part of the trials, and the gate needs all of its cases".to_owned();
        let help =
            "`cargo arraign report --merge DIR...` over the run folders of all parts decides it".to_owned();
        let value = json::to_json(self).unwrap_or_default();
        let finding = Finding {
            status: Status::Undecided,
            unfit: Some(unfit),
            help: Some(help),
            values: [(VALUE.to_owned(), value)].into(),
            ..Finding::empty_at(GATE, self.rule.at.clone())
        };
        Verdict {
            status: Status::Undecided,
            findings: vec![finding],
            ..Verdict::empty(name, self.rule.at.clone())
        }
    }

    /// Decides the gate, whose verdict in one of the parts was `deferred`. `None` if a case is missing.
    pub fn decide(&self, deferred: &Verdict, measured: &HashMap<String, MeasuredCase>) -> Option<Verdict> {
        let cases: Vec<MeasuredCase> =
            self.cases.iter().map(|name| measured.get(name).cloned()).collect::<Option<_>>()?;
        let now = Group::from_rows(&self.suite, &cases.iter().map(|case| &case.row));
        let baseline = self.baseline.as_ref().map(|earlier| earlier.compare(&now));
        let decided = evaluate_gate(&self.rule, &deferred.name, &cases, baseline);
        Some(Verdict {
            harness: deferred.harness.clone(),
            variant: deferred.variant.clone(),
            case_name: deferred.case_name.clone(),
            rerun: deferred.rerun.clone(),
            quarantine: deferred.quarantine.clone().filter(|_| !decided.passed),
            duration_ms: deferred.duration_ms,
            ..decided
        })
    }
}
