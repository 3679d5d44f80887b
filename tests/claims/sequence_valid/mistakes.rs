//! One mistake at a time, with its place and its sentence.

use std::fs;

use super::*;

/// A rule, and what is said of it on line 2 from which column; several mistakes are split by `|`.
const OF_A_RULE: &[(&str, &str)] = &[
    ("{type: require}", "3: `tool` is missing"),
    ("{type: require, tool: ''}", "25: an empty name matches nothing"),
    ("{type: require, tool: a, tools: [b]}", "35: give `tool` or `tools`, not both"),
    ("{type: require, tools: []}", "26: `tools` is empty: name at least one tool"),
    ("{type: require, tool: 7}", "25: expected a text, found `7` (help: quote it, so that it is a text)"),
    ("{type: require, toool: a}", "19: unknown key `toool` (help: did you mean `tool`?)"),
    ("{type: require, tool: 'a['}", "25: `a[` is not a pattern: unclosed character class; missing ']'"),
    ("{type: require, tool: {tool: a, args_match: {}}}", "47: `args_match` must name at least one argument"),
    ("{type: require, tool: {tool: a, args_match: {x: '('}}}", "51: `(` is not a pattern: unclosed group"),
    ("{type: require, tool: {args_match: {x: y}}}", "25: `tool` is missing"),
    (
        "{type: before, first: a, then: a}",
        "34: `a` cannot come before itself (help: `first` and `then` name different tools)",
    ),
    ("{type: before, first: a, then: []}", "34: `then` is empty: name at least one tool"),
    (
        "{type: before, first: 1, then: 2}",
        "25: expected a text, found `1` (help: quote it, so that it is a text)|34: expected a text, found `2` (help: quote it, so that it is a text)",
    ),
    (
        "{type: immediately_before, first: a, then: [b, a]}",
        "50: `a` cannot come before itself (help: `first` and `then` name different tools)",
    ),
    (
        "{type: blocklist, pattern: ''}",
        "30: `pattern` is empty: it would match every name (help: name the tools to block)",
    ),
    ("{type: blocklist, tools: [a], pattern: b}", "42: give `tools` or `pattern`, not both"),
    ("{type: allowlist, tools: []}", "28: `tools` is empty: name at least one tool"),
    (
        "{type: count, tool: a}",
        "3: a `count` without a bound holds always (help: give `min`, `max` or both, or `exactly` alone)",
    ),
    (
        "{type: count, tool: a, min: 0}",
        "31: `min: 0` holds always (help: give `min`, `max` or both, or `exactly` alone)",
    ),
    (
        "{type: count, tool: a, min: 3, max: 2}",
        "31: `min` is more than `max` (help: give `min`, `max` or both, or `exactly` alone)",
    ),
    (
        "{type: count, tool: a, exactly: 3, max: 2}",
        "35: `exactly` leaves nothing to `min` and `max` (help: give `min`, `max` or both, or `exactly` alone)",
    ),
    ("{type: count, tool: a, max: -1}", "31: expected a whole number from 0 up, found `-1`"),
    ("{type: max_calls, tool: a}", "3: `max` is missing"),
    (
        "{type: max_calls, tool: a, max: 1, min: 0}",
        "43: `min` has no meaning with `type: max_calls` (help: settings of this type: `tool`, `max`)",
    ),
    ("{type: eventually, tool: a}", "3: `within` is missing"),
    ("{type: eventually, tool: a, within: 0}", "39: expected a number of calls, 1 or more, or `any`"),
    ("{type: after, trigger: a, then: b, within: 0}", "46: expected a number of calls, 1 or more, or `any`"),
    (
        "{type: after, trigger: a, then: b, within: all}",
        "46: expected a number of calls, 1 or more, or `any`",
    ),
    (
        "{type: never_after, trigger: [a], forbidden: b}",
        "32: expected a text, found a list (help: write one text, not a list: a check or a rule can be written once for each text)",
    ),
    ("{type: sequence, tools: []}", "27: `tools` is empty: name at least one tool"),
    (
        "{type: sequence, tools: [a], strict: yes}",
        "40: expected `true` or `false`, found the text `yes` (help: write `true`)",
    ),
    (
        "{type: requires, tool: a}",
        "10: `requires` is not one of the known values (help: did you mean `require`?)",
    ),
    ("require", "3: expected a mapping of settings, found the text `require`"),
];

#[test]
fn each_mistake_of_a_rule_has_its_place_and_its_sentence() {
    for (rule, error) in OF_A_RULE {
        let expected: Vec<String> = error.split('|').map(|error| format!("case.yaml:2:{error}")).collect();
        assert_eq!(errors(&format!("rules:\n- {rule}\n")), expected, "{rule}");
    }
    assert_eq!(errors("rules:\n- {tool: a}\n"), ["case.yaml:2:3: `type` is missing"]);
}

/// Settings, and what is said of them.
const OF_THE_SETTINGS: &[(&str, &str)] = &[
    (
        "{}",
        "1:1: `rules` is missing (help: give `rules`, a `policy` file with rules, or one exact `sequence`)",
    ),
    ("rules: []", "1:8: an empty list of rules checks nothing (help: add a rule)"),
    ("rules: {type: require}", "1:8: `rules` is a list of rules, not a mapping"),
    ("sequence: []", "1:11: `sequence` is empty: name at least one tool"),
    (
        "sequence: [a]\nsame_turn: alow",
        "2:12: `alow` is not one of the known values (help: did you mean `allow`?)",
    ),
    (
        "sequence: [a]\nrequire_exercized: true",
        "2:1: unknown key `require_exercized` (help: did you mean `require_exercised`?)",
    ),
    (
        "sequence: [a]\naliases: {A: []}",
        "2:14: the alias `A` has no members (help: list its tools, or drop it)",
    ),
    ("sequence: [a]\naliases: [a]", "2:10: expected a mapping, found a list"),
    (
        "sequence: [a]\naliases: {A: [b], B: [A, c]}",
        "2:23: `A` is an alias itself, and aliases do not nest (help: list its members here)",
    ),
    (
        "policy: gone.yaml\nrules: [{type: require, tool: a}]",
        "1:9: `rules` and `policy` are both given (help: move the rules to one place)|1:9: gone.yaml: no such file",
    ),
];

#[test]
fn each_mistake_of_the_settings_has_its_place_and_its_sentence() {
    for (settings, error) in OF_THE_SETTINGS {
        let expected: Vec<String> = error.split('|').map(|error| format!("case.yaml:{error}")).collect();
        assert_eq!(errors(settings), expected, "{settings}");
    }
}

#[test]
fn all_mistakes_of_a_policy_are_reported_at_once_and_in_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it is written");
    write("list.yaml", "- {type: require}\n- {type: eventualy, tool: a}\n");
    write("empty.yaml", "[]");
    write("keys.yaml", "version: '1'\nsequence: []\n");
    for (name, expected) in [
        (
            "list.yaml",
            "list.yaml:1:3: `tool` is missing\nlist.yaml:2:10: `eventualy` is not one of the known values (help: did you mean `eventually`?)",
        ),
        ("empty.yaml", "empty.yaml:1:1: an empty list of rules checks nothing (help: add a rule)"),
        ("keys.yaml", "keys.yaml:2:1: unknown key `sequence` (help: did you mean `sequences`?)"),
    ] {
        let error = read_in(folder.path(), &format!("policy: {name}")).err().expect("it is wrong");
        assert_eq!(error.to_string(), expected);
    }
}
