//! What a verdict says: items, violations, places, counterexamples.

use std::fs;

use super::*;

#[test]
fn an_idle_rule_passes_says_so_and_fails_when_it_must_be_exercised() {
    let rules = "rules: [{type: require, tool: a}, {type: before, first: x, then: y}]";
    let idle = outcome(rules, &named(&["a"]));
    assert_eq!((idle.violations.len(), idle.items[1].state), (0, State::NotExercised));
    assert_eq!(idle.items[1].label, "rule 2: before");
    assert_eq!(idle.items[1].note.as_deref(), Some("`y` was never called"));
    let strict = outcome(&format!("{rules}\nrequire_exercised: true"), &named(&["a"]));
    assert_eq!(strict.violations.len(), 1);
    assert_eq!((strict.violations[0].rule, strict.violations[0].at.as_str()), (Some(2), "/rules/1"));
    assert!(strict.score.get() < 1.0);
}

#[test]
fn a_violation_names_the_rule_the_key_and_the_call() {
    let rules = "rules: [{type: require, tool: b}, {type: before, first: [b, a], then: [b, c]}]";
    assert_eq!(
        errors(rules),
        ["case.yaml:1:72: `b` cannot come before itself (help: `first` and `then` name different tools)"]
    );
    let found =
        outcome("rules: [{type: before, first: [b, a], then: [c, d]}]", &named(&["b", "c", "d", "a"]));
    let [first, second] = found.violations.as_slice() else { panic!("{:?}", found.violations) };
    assert_eq!(first.message, "`c` was called without `a` before it");
    assert_eq!(
        (first.at.as_str(), first.rule, first.call, first.tool.as_deref()),
        ("/rules/0/first/1", Some(1), Some(2), Some("c"))
    );
    let prefix = "shortest prefix that violates the rule: calls 1 to 2";
    assert_eq!(first.actual, Some(format!("`a` came only as call 4\n{prefix}")));
    assert_eq!((second.call, second.tool.as_deref()), (Some(3), Some("d")));
    assert_eq!((found.stats["calls_checked"], found.stats["rules"]), (4, 1));
}

#[test]
fn a_violation_of_a_policy_says_where_its_rule_stands() {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = "aliases: {Net: [curl, wget]}\nsequences:\n  - {type: require, tool: Net}\n  - {type: max_calls, tool: Net, max: 1}\n";
    fs::write(folder.path().join("p.yaml"), policy).expect("it is written");
    let check = read_in(folder.path(), "policy: p.yaml").expect("it is valid");
    let found = check.check(&Evidence::of(&named(&["curl", "wget"]))).expect("an outcome");
    let [violation] = found.violations.as_slice() else { panic!("{:?}", found.violations) };
    assert_eq!(violation.message, "`Net` was called twice, but should be called at most once");
    assert_eq!(
        (violation.at.as_str(), violation.rule, violation.calls.as_slice()),
        ("/policy", Some(2), &[1, 2][..])
    );
    assert_eq!(violation.policy_at.as_ref().expect("a place").to_string(), "p.yaml:4:5");
}

#[test]
fn calls_of_one_turn_do_not_stand_before_each_other() {
    let mut run = named(&["look", "act"]);
    run.calls[1].turn = 1;
    let rules = "rules: [{type: before, first: look, then: act}]";
    let found = outcome(rules, &run);
    let help = found.violations[0].suggestion.as_deref().expect("a help");
    assert!(
        help.starts_with("same turn: the second call could not have seen the first's result; "),
        "{help}"
    );
    assert!(help.ends_with("or say `same_turn: allow`"), "{help}");
    assert!(outcome(&format!("{rules}\nsame_turn: allow"), &run).violations.is_empty());
    run.calls[1].agent_path = vec!["nested".to_owned()];
    assert!(outcome(rules, &run).violations.is_empty(), "each agent counts its own turns");
}

#[test]
fn arguments_match_as_text_and_a_missing_one_does_not() {
    let rules = r#"rules: [{type: require, tool: {tool: f, args_match: {a: '^\[1,"x"\]$', b: "Y"}}}]"#;
    for (arguments, held) in [
        (json!({"a": [1, "x"], "b": "xYz"}), true),
        (json!({"a": [1, "x"], "b": "xyz"}), false),
        (json!({"a": [1, "x"]}), false),
    ] {
        let found = outcome(rules, &trace(&[("f", arguments.clone())]));
        assert_eq!(state(&found) == State::Held, held, "{arguments}");
    }
}

#[test]
fn every_type_of_rule_refuses_its_counterexample() {
    for rule in [
        "{type: require, tool: 'a*'}",
        "{type: before, first: a, then: {tool: b, args_match: {x: '^[0-9]{3}$'}}}",
        "{type: immediately_before, first: a, then: b}",
        "{type: blocklist, tools: {tool: sh, args_match: {c: 'rm\\s+-rf'}}}",
        "{type: blocklist, pattern: '*_x'}",
        "{type: allowlist, tools: [a, b]}",
        "{type: count, tool: a, max: 2}",
        "{type: count, tool: a, exactly: 0}",
        "{type: count, tool: a, min: 1, max: 99999999}",
        "{type: eventually, tool: a, within: 1}",
        "{type: after, trigger: a, then: b, within: any}",
        "{type: never_after, trigger: a, forbidden: a}",
        "{type: sequence, tools: [a, a]}",
        "{type: sequence, tools: [a, b], strict: true}",
    ] {
        let check = read(&format!("rules: [{rule}]")).unwrap_or_else(|errors| panic!("{rule}: {errors}"));
        let evidence = check.counterexample().unwrap_or_else(|| panic!("{rule} has none"));
        assert!(!check.check(&evidence).expect("an outcome").violations.is_empty(), "{rule}");
    }
}

#[test]
fn a_check_that_cannot_fail_has_no_counterexample() {
    for rule in ["{type: allowlist, tools: '*'}", "{type: sequence, tools: a}"] {
        assert!(read(&format!("rules: [{rule}]")).expect(rule).counterexample().is_none(), "{rule}");
    }
}
