//! Expected calls: what does not change a verdict, and that many calls are compared at once.

use arraign::Harness;
use arraign::json::{Json, JsonMap, json};
use arraign::verdict::Verdict;

/// The verdict on a case that is written as JSON.
fn verdict(case: &Json) -> Verdict {
    let suite =
        Harness::new("evals").parse(&case.to_string()).unwrap_or_else(|errors| panic!("{errors}\n{case}"));
    let arraign::__internals::case::TraceFrom::Inline(trace) = &suite.cases[0].trace else {
        panic!("no trace")
    };
    arraign::evaluate(&suite.cases[0], trace)
}

/// Numbers that look random, and are the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    fn arguments(&mut self) -> Json {
        let mut arguments = JsonMap::new();
        for name in ["id", "to"] {
            if self.below(2) == 0 {
                arguments.insert(name.to_owned(), json!(self.below(2)));
            }
        }
        Json::Object(arguments)
    }

    fn entry(&mut self) -> Json {
        let tool = ["get", "put"][self.below(2)];
        match self.below(4) {
            0 => json!(tool),
            1 => json!({"tool": tool, "args": self.arguments(), "optional": self.below(2) == 0}),
            2 => json!({"any_of": [tool, {"put": {"id": {"at_most": 0}}}, {"get": self.arguments()}]}),
            _ => json!({tool: self.arguments()}),
        }
    }
}

/// The same entries, alternatives and keys in another order.
fn permute(value: &Json, numbers: &mut Numbers, lists: bool) -> Json {
    match value {
        Json::Object(fields) => {
            let mut fields: Vec<(String, Json)> = fields
                .iter()
                .map(|(key, value)| (key.to_string(), permute(value, numbers, lists || key == "any_of")))
                .collect();
            numbers.shuffle(&mut fields);
            Json::Object(fields.into_iter().collect())
        }
        Json::Array(elements) => {
            let mut elements: Vec<Json> =
                elements.iter().map(|element| permute(element, numbers, false)).collect();
            if lists {
                numbers.shuffle(&mut elements);
            }
            Json::Array(elements)
        }
        scalar => scalar.clone(),
    }
}

#[test]
fn the_order_of_what_has_no_order_changes_no_verdict() {
    let mut numbers = Numbers(3);
    let mut passed = 0;
    for round in 0..600 {
        let mode = ["exact", "in_order", "unordered", "subset", "superset"][round % 5];
        let list: Vec<Json> = (0..numbers.below(4)).map(|_| numbers.entry()).collect();
        let tools = ["get", "put"];
        let calls: Vec<Json> = (0..numbers.below(5))
            .map(|_| json!({"call": tools[numbers.below(2)], "args": numbers.arguments()}))
            .collect();
        let case = |list: &Json, calls: &Json| json!({"expect": [{"calls": {"mode": mode, "list": list}}], "allow_vacuous": true, "trace": {"calls": calls}});
        let is_free = !matches!(mode, "exact" | "in_order");
        let list = Json::Array(list);
        let calls = Json::Array(calls);
        let before = verdict(&case(&list, &calls));
        let other = permute(&list, &mut numbers, is_free);
        let after = verdict(&case(&other, &permute(&calls, &mut numbers, is_free)));
        assert_eq!(
            (before.status, before.score),
            (after.status, after.score),
            "{mode} {list} {other} {calls}"
        );
        passed += usize::from(before.passed);
    }
    assert!((100..500).contains(&passed), "{passed} of 600 pass");
}

#[test]
fn a_call_of_many_is_found_by_its_arguments() {
    let count = 300;
    let call = |id: usize| json!({"call": "get", "args": {"id": id, "page": 1}});
    let entry = |id: usize| json!({"get": {"id": id}});
    let calls: Vec<Json> = (0..count).map(call).collect();
    let list: Vec<Json> = (0..count).rev().map(entry).collect();
    let case = json!({"expect": [{"calls": {"mode": "unordered", "list": list}}], "trace": {"calls": calls}});
    assert!(verdict(&case).passed);
    let case = json!({"expect": [{"calls": {"mode": "exact", "list": list}}], "trace": {"calls": calls}});
    let exact = verdict(&case);
    assert_eq!(exact.findings[0].stats["calls_not_expected"], count as u64 - 1, "one pair keeps the order");
}
