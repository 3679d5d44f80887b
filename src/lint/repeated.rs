//! `repeated_check`: a case contains the same check twice. The second one counts twice in a score and tests nothing.

use std::collections::HashMap;

use super::LintRemark;
use crate::case::{Case, Expectation};
use crate::place::Location;

pub(super) fn find_remarks(case: &Case) -> Vec<LintRemark> {
    let mut first_places: HashMap<String, Location> = HashMap::new();
    let mut remarks = Vec::new();
    for expectation in &case.expectations {
        let at = expectation.place.locate();
        let Some(key) = check_key(expectation) else { continue };
        match first_places.get(&key) {
            Some(first) if *first != at => remarks.push(build_remark(expectation, at, first)),
            // A setting can make several checks, and they are no repetition.
            // Expectations with the same place come from the same setting.
            Some(_) => {}
            None => drop(first_places.insert(key, at)),
        }
    }
    remarks
}

/// Returns a text that is equal for equal checks.
fn check_key(expectation: &Expectation) -> Option<String> {
    let settings = expectation.settings().node()?.to_json();
    Some(format!("{} {:?} {settings}", expectation.check, expectation.turn))
}

fn build_remark(expectation: &Expectation, at: Location, first: &Location) -> LintRemark {
    let check = expectation.check;
    let place = first;
    LintRemark {
        lint: "repeated_check",
        at,
        message: format!("this `{check}` repeats the one at {place}"),
        help: "remove one of the two",
    }
}
