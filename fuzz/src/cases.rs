//! A file of cases: it is loaded, and the cases with an inline trace are evaluated.

use arraign::__internals::case::TraceFrom;
use arraign::Harness;

/// Loads a file of cases, and evaluates those with an inline trace.
pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(suite) = Harness::new("evals").parse(text) else { return };
    for case in &suite.cases {
        if let TraceFrom::Inline(trace) = &case.trace {
            let verdict = arraign::evaluate(case, trace);
            // A verdict can pass in spite of violations, which may be expected or cost points only. It never depends on chance.
            assert_eq!(verdict.passed, arraign::evaluate(case, trace).passed);
        }
    }
}
