//! The section of mutants: for each trace, how many the cases on it notice, and the survivors. The trace of which the cases
//! notice the smallest share comes first.

use serde::Serialize;

use super::charts::ChartBar;
use crate::mutate::{TraceMutation, tally_traces};
use crate::report::plain::escape_line;
use crate::verdict::{CaseMutation, MutantFate, MutantResult};
use crate::yaml::render_entry;

/// The largest number of survivors on the page.
const MAX_SURVIVORS: usize = 1000;

/// The number of traces that are shown at once. The others are folded.
const SHOWN_TRACES: usize = 8;

/// The section; `None` if the run has tried no mutants.
#[derive(Serialize)]
pub(super) struct MutationSection {
    killed: usize,
    all: usize,
    /// The number of traces without survivors.
    complete: usize,
    traces: Vec<MutatedTrace>,
    /// The traces after the first ones.
    more: Vec<MutatedTrace>,
    /// The number of these traces.
    folded: usize,
    /// The number of survivors that are not shown.
    left_out: usize,
}

#[derive(Serialize)]
struct MutatedTrace {
    bar: ChartBar,
    survivors: Vec<SurvivorRow>,
}

#[derive(Serialize)]
struct SurvivorRow {
    change: String,
    /// The entry of `expect` that notices the change.
    addition: Option<String>,
    /// The case that should notice the change, if it is not that of the row before.
    case: Option<String>,
}

/// Builds the section from the mutants of all cases.
pub(super) fn build_section(cases: &[CaseMutation]) -> Option<MutationSection> {
    let mut traces = tally_traces(cases);
    if traces.is_empty() {
        return None;
    }
    let killed = traces.iter().map(|trace| trace.killed).sum();
    let all = traces.iter().map(TraceMutation::count_mutants).sum();
    let complete = traces.iter().filter(|trace| trace.survivors.is_empty()).count();
    traces.retain(|trace| !trace.survivors.is_empty());
    // The trace of which the least is noticed comes first, and is the last to be left out.
    traces.sort_by(|one, other| one.kill_rate().total_cmp(&other.kill_rate()));
    let mut room = MAX_SURVIVORS;
    let mut left_out = 0;
    let mut shown: Vec<MutatedTrace> = Vec::with_capacity(traces.len());
    for trace in &traces {
        let count = trace.survivors.len().min(room);
        room -= count;
        left_out += trace.survivors.len() - count;
        shown.push(build_trace(trace, count));
    }
    let more = shown.split_off(shown.len().min(SHOWN_TRACES));
    Some(MutationSection { killed, all, complete, traces: shown, folded: more.len(), more, left_out })
}

fn build_trace(trace: &TraceMutation<'_>, shown: usize) -> MutatedTrace {
    let killed = trace.killed;
    let all = trace.count_mutants();
    let ignored = if trace.ignored > 0 { format!(", {} ignored", trace.ignored) } else { String::new() };
    let told = format!("{killed} of {all} noticed{ignored}");
    let mut last = None;
    let survivors = trace.survivors.iter().take(shown).map(|(case, mutant)| {
        // The name of a case stands once above its survivors.
        let is_new = last.replace(&case.name) != Some(&case.name);
        build_row(is_new.then_some(case), mutant)
    });
    let survivors = survivors.collect();
    MutatedTrace { bar: ChartBar::of_share(trace.trace, told, "pass", killed, all), survivors }
}

fn build_row(case: Option<&&CaseMutation>, mutant: &MutantResult) -> SurvivorRow {
    let addition = match &mutant.fate {
        MutantFate::Survived { addition: Some(addition), .. } => Some(escape_line(&render_entry(addition))),
        _ => None,
    };
    SurvivorRow {
        change: escape_line(&mutant.change),
        addition,
        case: case.map(|case| escape_line(&case.name)),
    }
}
