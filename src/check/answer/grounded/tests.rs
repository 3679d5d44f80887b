//! What supports what, as a table.

use super::*;
use crate::json::{self, Json};
use crate::pattern::read_examples;
use crate::trace::{Arguments, Call, Role, Trace};

const EXAMPLES: &str = include_str!("tests.json");

/// What the answer says without support from a result of `result`.
fn orphans(answer: &str, result: Json) -> Vec<String> {
    let mut trace = Trace { answer: Some(answer.to_owned()), ..Trace::default() };
    trace.push_message(Role::User, "Hello");
    trace.push_call(Call { result: Some(result), ..Call::new("get", Arguments::none(), 1) });
    let atoms = all_atoms();
    let from = list_all_sources();
    let check = Grounded { max_unsupported: Allowed::default(), atoms, from, claims: false };
    let outcome = check.check(&Evidence::of(&trace)).expect("it can be decided");
    let lost: f64 = outcome.losses.iter().map(|loss| loss.points).sum();
    assert!((lost + outcome.score.get() - 1.0).abs() < 1e-9);
    let values = outcome.violations.into_iter().filter_map(|violation| violation.value);
    values.filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

#[test]
fn a_value_is_supported_in_any_spelling() {
    for (answer, result) in read_examples::<(String, Json)>(EXAMPLES, "supported") {
        assert_eq!(orphans(&answer, result), Vec::<String>::new(), "{answer}");
    }
}

#[test]
fn what_differs_is_without_support() {
    for (answer, result) in read_examples::<(String, Json)>(EXAMPLES, "unsupported") {
        let stated: Vec<String> = find_atoms(&answer, AtomKind::ALL)
            .into_iter()
            .map(|atom| answer[atom.range].to_owned())
            .collect();
        assert!(!stated.is_empty() || answer == "TRK-8", "{answer}");
        assert_eq!(orphans(&answer, result), stated, "{answer}");
    }
}

#[test]
fn hints_name_the_nearest_value() {
    let near = |answer: &str, result: &str| {
        let evidence = [Leaf::Text(result)];
        let claim = find_atoms(answer, AtomKind::ALL).remove(0);
        let readings = claim.readings.iter().map(|reading| (claim.kind, reading));
        nearest::nearest(&claim.readings, &KnownFacts::new(&evidence, readings).expect("few texts"))
    };
    for (answer, result, hint) in read_examples::<(String, String, Option<String>)>(EXAMPLES, "nearest") {
        assert_eq!(near(&answer, &result), hint, "{answer}");
    }
}

#[test]
fn a_count_or_a_share_may_be_without_support() {
    let allowed = |text: &str| json::from_str::<Allowed>(text);
    assert!(allowed("2").expect("a count").allows(2, 3) && !allowed("2").expect("a count").allows(3, 9));
    assert!(
        allowed("0.1").expect("a share").allows(1, 10) && !allowed("0.1").expect("a share").allows(2, 19)
    );
    for wrong in ["-1", "1.5", "1e300", "-0.5"] {
        assert!(allowed(wrong).is_err(), "{wrong}");
    }
}
