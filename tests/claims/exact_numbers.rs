//! Numbers are compared by their digits, and shown as they were written.

use arraign::__internals::report::terminal::render_red_trial;
use arraign::Harness;
use arraign::Status;
use arraign::json::JsonNumber;
use arraign::verdict::Verdict;

/// 10^20, and the next integer, which is the same 64-bit float.
const EVEN: &str = "100000000000000000000";
const ODD: &str = "100000000000000000001";

fn evaluate(case: &str) -> Verdict {
    let suite = Harness::new("evals").parse(case).unwrap_or_else(|errors| panic!("{errors}\n{case}"));
    let arraign::__internals::case::TraceFrom::Inline(trace) = &suite.cases[0].trace else {
        panic!("no trace")
    };
    arraign::evaluate(&suite.cases[0], trace)
}

/// The status of a check on a run that pays this amount and says it.
fn status(amount: &str, check: &str) -> Status {
    let case = format!(
        "{{expect: [{check}], trace: [{{call: pay, args: {{wei: {amount}}}, result: {{wei: {amount}}}}}, \
         {{say: '{{\"wei\": {amount}}}'}}]}}"
    );
    evaluate(&case).status
}

#[test]
fn two_integers_that_are_one_float_differ() {
    for check in [
        "{call: {tool: pay, args: {wei: N}}}",
        "{calls: [{pay: {wei: N}}]}",
        "{call: {tool: pay, times: 1, args: {wei: N}}}",
        "{call: {tool: pay, args: {wei: {at_most: N}}}}",
        "{call: {tool: pay, args: {wei: {between: [1, N]}}}}",
        "{call: {tool: pay, args: {wei: {any: [1, N]}}}}",
        "{args_valid: {schema: {pay: {type: object, properties: {wei: {const: N}}}}}}",
        "{args_valid: {schema: {pay: {type: object, properties: {wei: {enum: [1, N]}}}}}}",
        "{args_valid: {schema: {pay: {type: object, properties: {wei: {maximum: N}}}}}}",
        "{tool_output_valid: {schemas: {pay: {properties: {wei: {maximum: N}}}}}}",
        "{json_schema: {schema: {properties: {wei: {const: N}}}}}",
        "{jsonpath: {path: $.wei, equals: N}}",
        "{tool_input: {tool: pay, type: jsonpath, path: $.wei, equals: N}}",
        "{jsonpath_exists: {path: '$[?@ == N]'}}",
        "{equals: '{\"wei\": N}'}",
    ] {
        let check = |number: &str| check.replace('N', number);
        assert_eq!(status(EVEN, &check(EVEN)), Status::Pass, "{}", check(EVEN));
        assert_eq!(status(ODD, &check(ODD)), Status::Pass, "{}", check(ODD));
        assert_eq!(status(ODD, &check(EVEN)), Status::Fail, "{}", check(EVEN));
    }
    let twice = |other: &str| {
        evaluate(&format!(
            "{{expect: [{{no_repeated_calls: true}}], trace: [{{call: pay, args: {{wei: {EVEN}}}}}, \
             {{call: pay, args: {{wei: {other}}}}}, {{say: done}}]}}"
        ))
        .status
    };
    assert_eq!((twice(ODD), twice(EVEN)), (Status::Pass, Status::Fail));
}

#[test]
fn a_decimal_is_the_number_that_it_writes() {
    let alike =
        |one: &str, other: &str| status(one, &format!("{{call: {{tool: pay, args: {{wei: {other}}}}}}}"));
    for (one, other) in
        [("1.50", "1.5"), ("0.1", "0.10000000000000001"), ("1e3", "1000"), ("1.0", "1"), ("-0.0", "0")]
    {
        assert_eq!(alike(one, other), Status::Pass, "{one} {other}");
        assert_eq!(alike(other, one), Status::Pass, "{other} {one}");
    }
    for (one, other) in [
        ("0.1", "0.10000000000000000001"),
        ("1e400", "1e401"),
        ("2512292042121000000", "2512292042121000001"),
    ] {
        assert_eq!(alike(one, other), Status::Fail, "{one} {other}");
        assert_eq!(alike(other, one), Status::Fail, "{other} {one}");
    }
}

/// Its exponent is not expanded: that would take a gigabyte.
#[test]
fn a_huge_exponent_is_compared_at_once() {
    let huge = JsonNumber::parse("1e999999999").expect("a number");
    let start = std::time::Instant::now();
    for _ in 0..1000 {
        assert!(huge > JsonNumber::parse("1e999999998").expect("a number"));
        assert!(huge == JsonNumber::parse("10e999999998").expect("a number"));
    }
    assert!(start.elapsed().as_millis() < 1000, "{:?}", start.elapsed());
}

#[test]
fn a_violation_shows_the_digits_as_they_were_written() {
    for check in [
        "{call: {tool: pay, args: {wei: 7}}}",
        "{args_valid: {schema: {pay: {type: object, properties: {wei: {maximum: 99999999999999999999.50}}}}}}",
    ] {
        let case =
            format!("{{expect: [{check}], trace: [{{call: pay, args: {{wei: {ODD}}}}}, {{say: done}}]}}");
        let verdict = evaluate(&case);
        assert_eq!(verdict.status, Status::Fail);
        let log = arraign::json::to_string(&verdict).expect("JSON");
        assert!(log.contains(ODD) && !log.contains("1e20") && !log.contains("1e+20"), "{log}");
        let terminal = render_red_trial(&verdict);
        assert!(terminal.contains(ODD), "{terminal}");
        if check.contains("maximum") {
            assert!(log.contains("value exceeds maximum of 99999999999999999999.50"), "{log}");
        }
    }
}

/// Items are told apart by their digits, and a long list is not compared pair by pair.
#[test]
fn unique_items_are_told_apart_by_their_digits() {
    let status = |items: &str| {
        let schema = "{json_schema: {schema: {type: array, uniqueItems: true}}}";
        evaluate(&format!("{{expect: [{schema}], trace: [{{say: '[{items}]'}}]}}")).status
    };
    assert_eq!(status(&format!("{EVEN}, {ODD}")), Status::Pass);
    assert_eq!(status("1, 1.0"), Status::Fail);
    assert_eq!(status(r#"{"a": 1, "b": 2}, {"b": 2.0, "a": 1}"#), Status::Fail);
    let many: Vec<String> = (0..50_000).map(|number| format!("{EVEN}{number}")).collect();
    let start = std::time::Instant::now();
    assert_eq!(status(&many.join(", ")), Status::Pass);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
