//! What this repository's own cases notice: four of five mutants of each trace, but for those that a suite declares as not its
//! business, with the reason.

use arraign::__internals::harness::mutation::mutate_cases;
use arraign::__internals::mutate::{MutationOptions, tally_traces};
use arraign::Harness;
use arraign::verdict::MutantFate;

const MIN_SHARE: f64 = 0.8;

#[test]
fn our_own_cases_notice_four_of_five_mutants_of_each_trace_or_say_why_not() {
    let harness = Harness::new("evals").at(env!("CARGO_MANIFEST_DIR"));
    let mut options = MutationOptions::new(&[]);
    options.finds_additions = false;
    let report = mutate_cases(&harness, options).expect("the cases are found");
    let traces = tally_traces(&report.cases);
    let below: Vec<String> = traces
        .iter()
        .filter(|trace| trace.kill_rate() < MIN_SHARE)
        .map(|trace| format!("{}: {} of {}", trace.trace, trace.killed, trace.count_mutants()))
        .collect();
    assert!(below.is_empty(), "{below:#?}");
    let undeclared = traces.iter().filter(|trace| trace.ignored == 0).count();
    assert!(undeclared > 50 && traces.len() > 130, "{undeclared} of {} traces declare nothing", traces.len());
    let mutants = report.cases.iter().flat_map(|case| case.mutants().map(move |(_, mutant)| (case, mutant)));
    let silent: Vec<&str> = mutants
        .filter(|(_, mutant)| matches!(mutant.fate, MutantFate::Ignored { reason: None }))
        .map(|(case, _)| case.name.as_str())
        .collect();
    assert!(silent.is_empty(), "ignored without a reason: {silent:?}");
}
