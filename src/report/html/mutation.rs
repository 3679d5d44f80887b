//! The section of mutants: for each trace, how many the cases on it notice, and the survivors.

use serde::Serialize;

use super::charts::ChartBar;
use crate::mutate::{TraceMutation, tally_traces};
use crate::report::plain::escape_line;
use crate::verdict::{CaseMutation, MutantFate, MutantResult};
use crate::yaml::render_flow;

/// The largest number of survivors on the page.
const MAX_SURVIVORS: usize = 1000;

/// The section; `None` if the run has tried no mutants.
#[derive(Serialize)]
pub(super) struct MutationSection {
    killed: usize,
    all: usize,
    traces: Vec<MutatedTrace>,
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
    case: String,
}

/// Builds the section from the mutants of all cases.
pub(super) fn build_section(cases: &[CaseMutation]) -> Option<MutationSection> {
    let traces = tally_traces(cases);
    if traces.is_empty() {
        return None;
    }
    let mut room = MAX_SURVIVORS;
    let mut section = MutationSection { killed: 0, all: 0, traces: Vec::new(), left_out: 0 };
    for trace in &traces {
        section.killed += trace.killed;
        section.all += trace.count_mutants();
        let shown = trace.survivors.len().min(room);
        room -= shown;
        section.left_out += trace.survivors.len() - shown;
        section.traces.push(build_trace(trace, shown));
    }
    Some(section)
}

fn build_trace(trace: &TraceMutation<'_>, shown: usize) -> MutatedTrace {
    let (killed, all) = (trace.killed, trace.count_mutants());
    let told = format!("{killed} of {all} noticed");
    let survivors = trace.survivors.iter().take(shown).map(|(case, mutant)| build_row(case, mutant));
    MutatedTrace { bar: ChartBar::of_share(trace.trace, told, killed, all), survivors: survivors.collect() }
}

fn build_row(case: &CaseMutation, mutant: &MutantResult) -> SurvivorRow {
    let addition = match &mutant.fate {
        MutantFate::Survived { addition: Some(addition) } => Some(escape_line(&render_flow(addition))),
        _ => None,
    };
    SurvivorRow { change: escape_line(&mutant.change), addition, case: escape_line(&case.name) }
}
