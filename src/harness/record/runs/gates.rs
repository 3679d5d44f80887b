//! Decides the gates that no part of a run could decide alone.

use std::collections::{HashMap, HashSet};

use super::RunError;
use super::index::StoredTrial;
use crate::engine::{DividedGate, MeasuredCase};
use crate::verdict::Verdict;

/// Decides the gate with this verdict. `None` if the verdict is not that of an undecided gate, or if a case of the gate has no
/// verdict in this run.
pub(super) fn decide_gate(trials: &[StoredTrial], deferred: &Verdict) -> Result<Option<Verdict>, RunError> {
    let Some(gate) = DividedGate::from_verdict(deferred) else { return Ok(None) };
    let wanted: HashSet<&str> = gate.cases.iter().map(String::as_str).collect();
    let mut measured = HashMap::new();
    for trial in trials {
        let (harness, name) = trial.id();
        if harness == deferred.harness && wanted.contains(name) {
            measured.insert(name.to_owned(), MeasuredCase::from_verdict(&trial.read_verdict()?));
        }
    }
    Ok(gate.decide(deferred, &measured))
}
