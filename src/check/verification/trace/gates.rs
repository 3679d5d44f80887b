//! Quality gates: type check, lint and coverage, run after the first change of code.

use super::super::breakdown::{Breakdown, GATES};
use super::super::purpose::Purpose;
use super::{JudgedRun, lost};

/// Returns the name of a gate, and its weight among all three.
pub(in crate::check::verification) fn named(gate: Purpose) -> (&'static str, f64) {
    match gate {
        Purpose::Type => ("type check", 0.33),
        Purpose::Lint => ("lint", 0.33),
        _ => ("coverage", 0.34),
    }
}

pub(super) fn judge(run: &JudgedRun<'_>, found: &mut Breakdown) -> f64 {
    let gates = &run.settings.gates;
    // Gates are asked for only after a change of code: without one, there is nothing that they could find.
    let (Some((first, _)), false) = (run.facts.code_edits, gates.is_empty()) else {
        found.part("quality gates", None);
        return 1.0;
    };
    let whole: f64 = gates.iter().map(|gate| named(*gate).1).sum();
    let mut missing = Vec::new();
    let mut score = 0.0;
    for gate in gates {
        let (name, weight) = named(*gate);
        // A gate that ran before the first change has seen the old code.
        let kept = run.facts.gates.iter().any(|ran| ran.purpose == *gate && ran.at > first);
        if found.keep(name, kept) > 0.0 {
            score += weight / whole;
        } else {
            missing.push(name);
        }
    }
    if !missing.is_empty() {
        let why = format!("not run after the first change of code: {}", missing.join(", "));
        let help = "run them; `gates: [type, lint]` says which ones this project has";
        found.lost.push(lost(GATES * (1.0 - score), why, help));
    }
    score
}
