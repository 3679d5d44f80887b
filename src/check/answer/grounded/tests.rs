//! What supports what, as a table.

use serde_json::{Value, json};

use super::*;
use crate::trace::{Arguments, Call, Role, Trace};

/// What the answer says without support from a result of `result`.
fn orphans(answer: &str, result: Value) -> Vec<String> {
    let mut trace = Trace { answer: Some(answer.to_owned()), ..Trace::default() };
    trace.push_message(Role::User, "Hello");
    trace.push_call(Call { result: Some(result), ..Call::new("get", Arguments::none(), 1) });
    let (atoms, from) = (all_atoms(), everywhere());
    let check = Grounded { max_unsupported: Allowed::default(), atoms, from, claims: false };
    let outcome = check.check(&Evidence::of(&trace)).expect("it can be decided");
    let lost: f64 = outcome.losses.iter().map(|loss| loss.points).sum();
    assert!((lost + outcome.score.get() - 1.0).abs() < 1e-9);
    let values = outcome.violations.into_iter().filter_map(|violation| violation.value);
    values.filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

#[test]
fn a_value_is_supported_in_any_spelling() {
    for (answer, result) in [
        ("$1,234.50", json!({"total": 1234.5})),
        ("$1,234.50", json!("total: 1234.5 USD")),
        ("1.234,50 €", json!("EUR 1,234.50")),
        ("50 %", json!({"share": 0.5})),
        ("50 %", json!("50%")),
        ("1.0", json!(1)),
        ("5 kilograms", json!({"weight_kg": 5})),
        ("5 kilograms", json!("5kg")),
        ("March 3rd, 2025", json!({"at": "2025-03-03T10:00:00Z"})),
        ("on 3 March at 10 AM", json!({"at": "2025-03-03T10:00:00Z"})),
        ("in March 2025, or 2025", json!({"at": "2025-03-03"})),
        ("March 3, 2025", json!("3 March; this year is 2025")),
        ("03/04/2025", json!("2025-04-03")),
        ("a refund of $30", json!({"amount": -30})),
        ("card 4421893", json!({"id": "card_4421893"})),
        ("the card ending in 1893", json!({"number": "4111111111111893"})),
        ("your 2 orders", json!([{"id": "a"}, {"id": "b"}])),
        ("your 2 tickets", json!("two tickets")),
        ("1 call", json!(null)),
        ("order #W2378156", json!({"orders": {"#W2378156": {}}})),
        ("\"It is sent\"", json!({"text": "we say: it  is sent."})),
        ("main.rs, C:\\a\\b.txt", json!("src/main.rs c:/a/b.txt")),
        ("https://a.example/x.", json!("see (https://a.example/x/)")),
        ("٤٢", json!(42)),
        ("1.234 (1,234)", json!(1234)),
    ] {
        assert_eq!(orphans(answer, result), Vec::<String>::new(), "{answer}");
    }
}

#[test]
fn what_differs_is_without_support() {
    for (answer, result) in [
        ("$1,234.50", json!({"total": 1234.05})),
        ("$50", json!("50 EUR")),
        ("5 kg", json!("5 lb")),
        ("5 hours", json!("5 days")),
        ("5000 lb", json!("5000 kg")),
        ("-5 °C", json!(5)),
        ("50%", json!("50 kg")),
        ("100%", json!(1)),
        ("March 4, 2025", json!("2025-03-03")),
        ("March 3, 2026", json!("2025-03-03")),
        ("10:00 PM", json!("10:00")),
        ("TRK-8", json!("TRK-88")),
        ("TRK-89", json!("TRK-88")),
        ("\"sent\"", json!("presented")),
        ("12.35", json!(12.3456)),
        ("30", json!([10, 20])),
        ("/etc/hosts", json!("/etc/host")),
        ("3 orders", json!(["a", "b"])),
    ] {
        let stated: Vec<String> =
            find_atoms(answer, AtomKind::ALL).into_iter().map(|atom| answer[atom.range].to_owned()).collect();
        assert!(!stated.is_empty() || answer == "TRK-8", "{answer}");
        assert_eq!(orphans(answer, result), stated, "{answer}");
    }
}

#[test]
fn hints_name_the_nearest_value() {
    let near = |answer: &str, result: &str| {
        let evidence = [Leaf::Text(result)];
        let claim = find_atoms(answer, AtomKind::ALL).remove(0);
        nearest::nearest(&claim.readings, &Known::new(&evidence, claim.readings.iter()).expect("few texts"))
    };
    for (answer, result, hint) in [
        ("$45.00", "45.99 46.00 EUR", Some("`45.99`")),
        ("$45.98", "45.99", Some("`45.99`")),
        ("$50", "50 EUR", Some("`50 EUR`")),
        ("12.35", "12.3456", Some("`12.3456`")),
        ("2025-03-04", "2025-03-01, 2025-03-03", Some("`2025-03-03`")),
        ("March 3, 2024", "2025-03-03", Some("`2025-03-03`")),
        ("10:20", "10:15", Some("`10:15`")),
        ("TRK-98", "TRK-88", Some("`TRK-88`")),
        ("$7,000", "12", None),
    ] {
        assert_eq!(near(answer, result).as_deref(), hint, "{answer}");
    }
}

#[test]
fn a_count_or_a_share_may_be_without_support() {
    let allowed = |text: &str| serde_json::from_str::<Allowed>(text);
    assert!(allowed("2").expect("a count").allows(2, 3) && !allowed("2").expect("a count").allows(3, 9));
    assert!(
        allowed("0.1").expect("a share").allows(1, 10) && !allowed("0.1").expect("a share").allows(2, 19)
    );
    for wrong in ["-1", "1.5", "1e300", "-0.5"] {
        assert!(allowed(wrong).is_err(), "{wrong}");
    }
}
