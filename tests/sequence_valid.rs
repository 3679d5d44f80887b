//! `sequence_valid` against a peer's verdicts, against definitions written another way, and on wrong settings.

use std::fs;
use std::path::Path;

use arraign::check::{BUILTIN, Check, Registry, Scope};
use arraign::evidence::Evidence;
use arraign::outcome::{Outcome, State};
use arraign::place::{LoadErrors, Source};
use arraign::source::Files;
use arraign::trace::{Arguments, Call, Trace};
use arraign::yaml::Document;
use serde_json::{Value, json};

const GLOB: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// The check that `settings` describe, in a file called `case.yaml` in `folder`.
fn read_in(folder: &Path, settings: &str) -> Result<Box<dyn Check>, LoadErrors> {
    let kind = BUILTIN.iter().find(|kind| kind.name == "sequence_valid").expect("it is built in");
    let (kinds, files) = (Registry::default(), Files::new(folder, folder));
    let scope = Scope { kinds: &kinds, files: &files, folder };
    let documents = Document::parse(&Source::new("case.yaml", settings))?;
    (kind.read)(documents[0].root(), &scope)
}

fn read(settings: &str) -> Result<Box<dyn Check>, LoadErrors> {
    read_in(Path::new("."), settings)
}

fn outcome(settings: &str, trace: &Trace) -> Outcome {
    let check = read(settings).unwrap_or_else(|errors| panic!("{settings}\n{errors}"));
    check.check(&Evidence::of(trace)).expect("an outcome")
}

fn trace(calls: &[(&str, Value)]) -> Trace {
    let mut trace = Trace::default();
    for (turn, (name, arguments)) in calls.iter().enumerate() {
        trace.push_call(Call::new(*name, Arguments::from_json(arguments.clone()), turn + 1));
    }
    trace
}

fn named(names: &[&str]) -> Trace {
    trace(&names.iter().map(|name| (*name, json!({}))).collect::<Vec<_>>())
}

fn state(outcome: &Outcome) -> State {
    outcome.items[0].state
}

fn errors(settings: &str) -> Vec<String> {
    match read(settings) {
        Ok(_) => panic!("this was accepted:\n{settings}"),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

mod peer {
    use super::*;

    /// What the peer's verdict is for us.
    enum Ours {
        States(Vec<String>),
        Refused,
    }

    /// The peer takes a glob by the letter and lets rules stand that cannot hold or cannot fail; all else agrees.
    fn ours(case: &Value) -> Ours {
        let rules = case["rules"].as_array().expect("rules");
        if rules.iter().any(is_a_mistake) {
            return Ours::Refused;
        }
        let verdicts = case["outcomes"].as_array().expect("outcomes").iter().map(|state| state.as_str());
        let pairs = rules.iter().zip(verdicts);
        Ours::States(
            pairs.map(|(rule, verdict)| ours_for(rule, verdict.expect("text"), &case["calls"])).collect(),
        )
    }

    fn is_a_mistake(rule: &Value) -> bool {
        rule["pattern"] == "" || rule["within"] == 0 || rule["tools"] == json!([]) || {
            rule["type"] == "before" && rule["first"] == rule["then"]
        }
    }

    fn ours_for(rule: &Value, verdict: &str, calls: &Value) -> String {
        let glob =
            ["tool", "pattern"].iter().find_map(|key| rule[*key].as_str().filter(|name| name.contains(GLOB)));
        let Some(glob) = glob else { return verdict.to_owned() };
        let glob = arraign::pattern::ToolPattern::new(glob).expect("a glob");
        let hit = calls
            .as_array()
            .expect("calls")
            .iter()
            .any(|call| glob.matches(call["tool"].as_str().expect("a name")));
        let held = match rule["type"].as_str() {
            Some("require") => hit,
            Some("blocklist") => !hit,
            other => panic!("what a glob means in {other:?} is not stated here"),
        };
        if held { "held".to_owned() } else { "violated".to_owned() }
    }

    fn states(outcome: &Outcome) -> Vec<String> {
        let states = outcome.items.iter().map(|item| serde_json::to_value(item.state).expect("a word"));
        states.map(|state| state.as_str().expect("a word").to_owned()).collect()
    }

    fn settings(case: &Value) -> String {
        let aliases = case["aliases_yaml"].as_str().unwrap_or_default();
        format!("rules: {}\n{aliases}\n", case["rules"])
    }

    fn policy(case: &Value) -> String {
        let aliases = case["aliases_yaml"].as_str().unwrap_or_default();
        format!("version: \"1\"\n{aliases}\nsequences: {}\n", case["rules"])
    }

    fn run_of(case: &Value) -> Trace {
        let calls = case["calls"].as_array().expect("calls").iter();
        let calls: Vec<_> =
            calls.map(|call| (call["tool"].as_str().expect("a name"), call["args"].clone())).collect();
        trace(&calls)
    }

    fn cases() -> Vec<Value> {
        let text = fs::read_to_string("tests/goldens/assay/sequence_rules.json").expect("the goldens");
        let goldens: Value = serde_json::from_str(&text).expect("JSON");
        goldens["cases"].as_array().expect("cases").clone()
    }

    fn agrees(case: &Value, read: Result<Box<dyn Check>, LoadErrors>) {
        let id = &case["id"];
        match (ours(case), read) {
            (Ours::Refused, read) => assert!(read.is_err(), "{id} should be refused"),
            (Ours::States(_), Err(errors)) => panic!("{id}: {errors}"),
            (Ours::States(expected), Ok(check)) => {
                let outcome = check.check(&Evidence::of(&run_of(case))).expect("an outcome");
                assert_eq!(states(&outcome), expected, "{id}: {}", case["what"]);
                assert_eq!(outcome.violations.is_empty(), !expected.contains(&"violated".to_owned()), "{id}");
            }
        }
    }

    #[test]
    fn inline_rules_agree_with_the_peer() {
        let cases = cases();
        assert!(cases.len() >= 39);
        cases.iter().for_each(|case| agrees(case, read(&settings(case))));
    }

    #[test]
    fn rules_of_a_policy_file_agree_with_the_peer() {
        let folder = tempfile::tempdir().expect("a folder");
        for case in &cases() {
            let name = format!("{}.yaml", case["id"].as_str().expect("an id"));
            fs::write(folder.path().join(&name), policy(case)).expect("it is written");
            agrees(case, read_in(folder.path(), &format!("policy: {name}")));
        }
    }
}

mod definitions {
    use super::*;

    /// A linear congruential generator: the runs are the same on every machine.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).expect("31 bits") % limit
        }

        fn run(&mut self) -> Vec<&'static str> {
            (0..self.below(9)).map(|_| ["a", "b", "c", "d"][self.below(4)]).collect()
        }
    }

    /// Holds `settings` against `naive` on a thousand runs. `None` from `naive`: not exercised.
    fn agree(settings: &str, naive: impl Fn(&str) -> Option<bool>) {
        let mut dice = Dice(7);
        for _ in 0..1000 {
            let run = dice.run();
            let expected = match naive(&run.concat()) {
                None => State::NotExercised,
                Some(true) => State::Held,
                Some(false) => State::Violated,
            };
            assert_eq!(state(&outcome(settings, &named(&run))), expected, "{settings} on {run:?}");
        }
    }

    #[test]
    fn before_is_a_cut_at_the_first_then() {
        agree("rules: [{type: before, first: a, then: b}]", |run| Some(run.split_once('b')?.0.contains('a')));
    }

    #[test]
    fn immediately_before_leaves_no_then_without_its_first() {
        agree("rules: [{type: immediately_before, first: a, then: b}]", |run| {
            run.contains('b').then(|| !run.replace("ab", "").contains('b'))
        });
    }

    #[test]
    fn never_after_is_an_empty_rest() {
        agree("rules: [{type: never_after, trigger: a, forbidden: b}]", |run| {
            Some(!run.split_once('a')?.1.contains('b'))
        });
    }

    #[test]
    fn count_is_the_number_of_pieces() {
        agree("rules: [{type: count, tool: a, min: 1, max: 2}]", |run| {
            Some((2..=3).contains(&run.split('a').count()))
        });
    }

    #[test]
    fn after_is_a_window_behind_each_trigger() {
        agree("rules: [{type: after, trigger: a, then: b, within: 2}]", |run| {
            let mut rests = run.match_indices('a').map(|(at, _)| &run[at + 1..]).peekable();
            rests.peek()?;
            Some(rests.all(|rest| rest.chars().take(2).any(|call| call == 'b')))
        });
    }

    #[test]
    fn a_strict_sequence_is_a_word_at_the_first_member() {
        agree("rules: [{type: sequence, tools: [a, b, c], strict: true}]", |run| {
            Some(run[run.find(['a', 'b', 'c'])?..].starts_with("abc"))
        });
    }

    #[test]
    fn a_loose_sequence_meets_its_members_in_order_for_the_first_time() {
        agree("rules: [{type: sequence, tools: [a, b, c]}]", |run| {
            run.find(['a', 'b', 'c'])?;
            let [a, b, c] = ['a', 'b', 'c'].map(|member| run.find(member));
            Some(a.is_some() && b.is_some() && c.is_some() && a < b && b < c)
        });
    }

    #[test]
    fn an_exact_sequence_is_equality() {
        agree("sequence: [a, b]", |run| Some(run == "ab"));
    }
}

mod verdicts {
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
            ["case.yaml:1:74: `b` cannot come before itself (help: `first` and `then` name different tools)"]
        );
        let found =
            outcome("rules: [{type: before, first: [b, a], then: [c, d]}]", &named(&["b", "c", "d", "a"]));
        let [first, second] = found.violations.as_slice() else { panic!("{:?}", found.violations) };
        assert_eq!(first.message, "`c` was called without `a` before it");
        assert_eq!(
            (first.at.as_str(), first.rule, first.call, first.tool.as_deref()),
            ("/rules/0/first/1", Some(1), Some(2), Some("c"))
        );
        assert_eq!(first.actual.as_deref(), Some("`a` came only as call 4"));
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
        assert_eq!(violation.policy.as_ref().expect("a place").to_string(), "p.yaml:4:5");
    }

    #[test]
    fn calls_of_one_turn_do_not_stand_before_each_other() {
        let mut run = named(&["look", "act"]);
        run.calls[1].turn = 1;
        let rules = "rules: [{type: before, first: look, then: act}]";
        let found = outcome(rules, &run);
        let help = found.violations[0].suggestion.as_deref();
        assert_eq!(help, Some("same turn: the second call could not have seen the first's result"));
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
            (json!([1, "x"]), false),
            (json!("not an object"), false),
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
}

mod mistakes {
    use super::*;

    const TYPES: &str = "known here: `require`, `before`, `immediately_before`, `blocklist`, `allowlist`, `count`, \
                         `max_calls`, `eventually`, `after`, `never_after`, `sequence`";

    #[test]
    fn each_mistake_of_a_rule_has_its_place_and_its_sentence() {
        for (rule, error) in [
            ("{type: require}", "3: `tool` is missing"),
            ("{type: require, tool: ''}", "25: an empty name matches nothing"),
            ("{type: require, tool: a, tools: [b]}", "35: give `tool` or `tools`, not both"),
            ("{type: require, tools: []}", "26: `tools` is empty: name at least one tool"),
            ("{type: require, tool: 7}", "25: a tool is a name or `{tool, args_match}`, not a number"),
            (
                "{type: require, toool: a}",
                "3: `tool` is missing|19: unknown key `toool` (help: did you mean `tool`?)",
            ),
            (
                "{type: require, tool: 'a['}",
                "25: `a[` is not a pattern: unclosed character class; missing ']'",
            ),
            (
                "{type: require, tool: {tool: a, args_match: {}}}",
                "47: `args_match` is a mapping of arguments to patterns, not an empty one",
            ),
            (
                "{type: require, tool: {tool: a, args_match: {x: '('}}}",
                "51: `(` is not a pattern: unclosed group",
            ),
            ("{type: require, tool: {args_match: {x: y}}}", "25: `tool` is missing"),
            (
                "{type: before, first: a, then: a}",
                "34: `a` cannot come before itself (help: `first` and `then` name different tools)",
            ),
            ("{type: before, first: a, then: []}", "34: `then` is empty: name at least one tool"),
            (
                "{type: before, first: 1, then: 2}",
                "25: a tool is a name or `{tool, args_match}`, not a number|34: a tool is a name or `{tool, args_match}`, not a number",
            ),
            (
                "{type: immediately_before, first: a, then: [b, a]}",
                "46: `a` cannot come before itself (help: `first` and `then` name different tools)",
            ),
            (
                "{type: blocklist, pattern: ''}",
                "30: an empty `pattern` is part of every name (help: name the tools to block)",
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
            ("{type: count, tool: a, max: -1}", "31: invalid value: integer `-1`, expected usize"),
            ("{type: max_calls, tool: a}", "3: `max` is missing"),
            (
                "{type: max_calls, tool: a, max: 1, min: 0}",
                "38: unknown key `min` (help: did you mean `max`?)",
            ),
            ("{type: eventually, tool: a}", "3: `within` is missing"),
            (
                "{type: eventually, tool: a, within: 0}",
                "39: `within: 0` leaves no call to look at (help: give 1 or more)",
            ),
            (
                "{type: after, trigger: a, then: b, within: 0}",
                "46: `within: 0` leaves no call to look at (help: give 1 or more)",
            ),
            (
                "{type: after, trigger: a, then: b, within: all}",
                "46: `within` is a number of calls, 1 or more, or `any`",
            ),
            (
                "{type: never_after, trigger: [a], forbidden: b}",
                "32: a tool is a name or `{tool, args_match}`, not a list",
            ),
            ("{type: sequence, tools: []}", "27: `tools` is empty: name at least one tool"),
            (
                "{type: sequence, tools: [a], strict: yes}",
                "40: invalid type: string \"yes\", expected a boolean",
            ),
            (
                "{type: requires, tool: a}",
                "10: no type of rule is called `requires` (help: did you mean `require`?)",
            ),
            ("require", "3: a rule is a mapping of keys to values, not a string"),
        ] {
            let expected: Vec<String> =
                error.split('|').map(|error| format!("case.yaml:2:{error}")).collect();
            assert_eq!(errors(&format!("rules:\n- {rule}\n")), expected, "{rule}");
        }
        assert_eq!(
            errors("rules:\n- {tool: a}\n"),
            [format!("case.yaml:2:3: `type` is missing (help: {TYPES})")]
        );
    }

    #[test]
    fn each_mistake_of_the_settings_has_its_place_and_its_sentence() {
        for (settings, error) in [
            (
                "{}",
                "1:1: `rules` is missing (help: give `rules`, a `policy` file with rules, or one exact `sequence`)",
            ),
            ("rules: []", "1:8: an empty list of rules checks nothing (help: add a rule)"),
            ("rules: {type: require}", "1:8: `rules` is a list of rules, not a mapping"),
            ("sequence: []", "1:11: `sequence` is empty: name at least one tool"),
            (
                "sequence: [a]\nsame_turn: alow",
                "2:12: `alow` is none of the known values (help: did you mean `allow`?)",
            ),
            (
                "sequence: [a]\nrequire_exercized: true",
                "2:1: unknown key `require_exercized` (help: did you mean `require_exercised`?)",
            ),
            (
                "sequence: [a]\naliases: {A: []}",
                "2:11: the alias `A` has no members (help: list its tools, or drop it)",
            ),
            ("sequence: [a]\naliases: [a]", "2:10: `aliases` is a mapping of names to tools, not a list"),
            (
                "sequence: [a]\naliases: {A: [b], B: [A, c]}",
                "2:23: `A` is an alias itself, and aliases do not nest (help: list its members here)",
            ),
            (
                "policy: gone.yaml\nrules: [{type: require, tool: a}]",
                "1:9: `rules` and `policy` are both given (help: move the rules to one place)|1:9: gone.yaml: no such file",
            ),
        ] {
            let expected: Vec<String> = error.split('|').map(|error| format!("case.yaml:{error}")).collect();
            assert_eq!(errors(settings), expected, "{settings}");
        }
    }

    #[test]
    fn all_mistakes_of_a_policy_are_reported_at_once_and_in_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let write =
            |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it is written");
        write("list.yaml", "- {type: require}\n- {type: eventualy, tool: a}\n");
        write("empty.yaml", "[]");
        write("keys.yaml", "version: '1'\nsequence: []\n");
        for (name, expected) in [
            (
                "list.yaml",
                "list.yaml:1:3: `tool` is missing\nlist.yaml:2:10: no type of rule is called `eventualy` (help: did you mean `eventually`?)",
            ),
            ("empty.yaml", "empty.yaml:1:1: an empty list of rules checks nothing (help: add a rule)"),
            (
                "keys.yaml",
                "keys.yaml:1:1: `sequences` is missing\nkeys.yaml:2:1: unknown key `sequence` (help: did you mean `sequences`?)",
            ),
        ] {
            let error = read_in(folder.path(), &format!("policy: {name}")).err().expect("it is wrong");
            assert_eq!(error.to_string(), expected);
        }
    }
}
