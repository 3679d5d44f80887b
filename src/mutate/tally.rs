//! The mutants by trace: one is noticed if any case on the trace notices it.

use std::collections::HashMap;

use crate::verdict::{CaseMutation, MutantFate, MutantResult};

/// The mutants of one trace.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceMutation<'m> {
    /// The trace.
    pub trace: &'m str,
    /// The fingerprint of the run.
    pub fingerprint: &'m str,
    /// The names of the cases on it.
    pub cases: Vec<&'m str>,
    /// The number of mutants that some case notices.
    pub killed: usize,
    /// The number of mutants that no case notices, and that some case declares as harmless.
    pub ignored: usize,
    /// The mutants that no case notices, each with the first case on the trace.
    pub survivors: Vec<(&'m CaseMutation, &'m MutantResult)>,
}

impl TraceMutation<'_> {
    /// The number of mutants that a case should notice.
    pub fn count_mutants(&self) -> usize {
        self.killed + self.survivors.len()
    }

    /// The number of survivors on which a check is undecided: a trial would be red, and no check is violated.
    pub fn count_undecided(&self) -> usize {
        self.survivors.iter().filter(|(_, mutant)| mutant.is_undecided()).count()
    }

    /// The share of noticed mutants; 1 without any mutant.
    pub fn kill_rate(&self) -> f64 {
        share(self.killed, self.count_mutants())
    }
}

/// Returns `part` of `all` as a share; 1 if there is nothing.
pub fn share(part: usize, all: usize) -> f64 {
    let count = crate::outcome::count_to_f64;
    if all == 0 { 1.0 } else { count(part) / count(all) }
}

/// The best fate of a mutant so far, and where it was seen first.
struct MutantTally<'m> {
    first: (&'m CaseMutation, &'m MutantResult),
    is_killed: bool,
    is_ignored: bool,
}

/// Groups the mutants of all cases by their traces, in the order of the cases.
pub fn tally_traces(cases: &[CaseMutation]) -> Vec<TraceMutation<'_>> {
    let mut order: Vec<(&str, &str)> = Vec::new();
    let mut names: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut tallies: HashMap<&str, Vec<MutantTally<'_>>> = HashMap::new();
    let mut found: HashMap<(&str, &str), usize> = HashMap::new();
    // Two cases can use one trace, also by different names, so runs are grouped by fingerprint and mutants by id. The first
    // case that reports a mutant is the one that a survivor is shown with.
    for case in cases {
        for run in case.runs.iter().filter(|run| run.left_out.is_none()) {
            let key = run.fingerprint.as_str();
            if !tallies.contains_key(key) {
                order.push((key, &run.trace));
            }
            names.entry(key).or_default().push(&case.name);
            let known = tallies.entry(key).or_default();
            for mutant in &run.mutants {
                let at = *found.entry((key, &mutant.id)).or_insert_with(|| {
                    known.push(MutantTally { first: (case, mutant), is_killed: false, is_ignored: false });
                    known.len() - 1
                });
                known[at].is_killed |= mutant.is_killed();
                known[at].is_ignored |= matches!(mutant.fate, MutantFate::Ignored { .. });
            }
        }
    }
    let traces = order.into_iter();
    traces.map(|(key, trace)| summarize_trace(key, trace, names.remove(key), tallies.remove(key))).collect()
}

fn summarize_trace<'m>(
    fingerprint: &'m str,
    trace: &'m str,
    cases: Option<Vec<&'m str>>,
    mutants: Option<Vec<MutantTally<'m>>>,
) -> TraceMutation<'m> {
    let mutants = mutants.unwrap_or_default();
    let survivors = mutants.iter().filter(|mutant| !mutant.is_killed && !mutant.is_ignored);
    TraceMutation {
        trace,
        fingerprint,
        cases: cases.unwrap_or_default(),
        killed: mutants.iter().filter(|mutant| mutant.is_killed).count(),
        ignored: mutants.iter().filter(|mutant| !mutant.is_killed && mutant.is_ignored).count(),
        survivors: survivors.map(|mutant| mutant.first).collect(),
    }
}
