//! What people get wrong in their first hour with a file of cases: each message says what is wrong, where, and what to write.

use crate::package::Package;

const TRACE: &str = r#"{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": null, "tool_calls":
[{"id": "1", "type": "function", "function": {"name": "get_order", "arguments": "{\"id\": \"1042\"}"}}]},
{"role": "tool", "tool_call_id": "1", "content": "shipped"}, {"role": "assistant", "content": "Status: shipped"}]}"#;

/// A file of cases, where its mistake is, and the parts of the message.
const WRONG: &[(&str, &str, &[&str])] = &[
    // The misspelt key is told, and not what is missing without it.
    (
        "- {id: a, trace: traces/t.json, expects: [{tool_called: get_order}]}",
        "1:33",
        &["error: unknown key `expects`", "did you mean `expect`?"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{tool_caled: get_order}]}",
        "1:43",
        &["unknown check `tool_caled`", "did you mean `tool_called`?"],
    ),
    (
        "- id: a\n  trace: traces/t.json\n  expect:\n    - tool_called: get_order\n   - tool_called: x\n",
        "5:4",
        &["this line begins with 3 spaces", "if it belongs to line 4, begin it with 4 spaces"],
    ),
    (
        "- id: a\n  trace: traces/t.json\n expect:\n    - tool_called: get_order\n",
        "3:2",
        &["this line begins with 1 space", "if it belongs to line 2, begin it with 2 spaces"],
    ),
    (
        "tests:\n  - id: a\n    trace: traces/t.json\n  - id: b\n   trace: traces/t.json\n",
        "5:4",
        &["this line begins with 3 spaces", "if it belongs to line 4, begin it with 4 spaces"],
    ),
    (
        "- id: a\n  trace: traces/t.json\n  expect:\n\t- tool_called: get_order\n",
        "4:1",
        &["this line is indented with a tab", "indent with spaces, two a level"],
    ),
    (
        "- id: a\n  trace: traces/t.json\n  expect:\n    tool_called: get_order\n",
        "4:5",
        &["`expect` is a list of checks, not a mapping", "begin each of its lines with `- `"],
    ),
    (
        "expect: [{tool_called: get_order}]\ntests:\n  - {id: a, trace: traces/t.json}\n",
        "1:1",
        &["`expect` is a key of cases, not of a suite", "write it below `defaults`"],
    ),
    (
        "- {id: a, trace: traces/tt.json, expect: [{tool_called: get_order}]}",
        "1:18",
        &["traces/tt.json: no such file; did you mean `traces/t.json`?"],
    ),
    (
        "- {id: a, expect: [{tool_called: get_order}]}",
        "1:8",
        &["no trace: the case names none", "name one: `trace: FILE`"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{tool_called: get_ordr}]}",
        "1:56",
        &["`get_ordr` was never called", "it called `get_order`"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{call: {tool: get_order, args: {id: 1042}}}]}",
        "1:73",
        &["id: \"1042\" -> 1042 expected (a number, not a text)"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{tool_called: '{{tool}}'}]}",
        "1:56",
        &["`{{tool}}` is a placeholder, and no row fills it", "`each` or `cases`"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{retries_at_most: three}]}",
        "1:60",
        &["expected a whole number", "found the text `three`"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{tool_called: *_order}]}",
        "1:56",
        &["is an alias in YAML", "quote it"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{not_called: {tool: refund, args: {amount: {atleast: 100}}}}]}",
        "1:86",
        &["`atleast`", "did you mean `at_least`?"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{regex: 'a(b'}]}",
        "1:50",
        &["this group is not closed: add `)`, or write `\\(`"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{regex: '.*'}]}",
        "1:43",
        &["cannot fail", "make it ask for something"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{contains: 'x'}]}\n- {id: a, trace: traces/t.json, expect: [{contains: 'y'}]}",
        "2:8",
        &["duplicate id `a`", "line 1"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{jsonpath: {path: '$.order-id'}}]}",
        "1:60",
        &["not a JSONPath", "$['order-id']"],
    ),
    (
        "- {id: a, tier: smok, trace: traces/t.json, expect: [{tool_called: get_order}]}",
        "1:17",
        &["`smok` is not one of the known values", "did you mean `smoke`?"],
    ),
    (
        "- id: a\n  trace: traces/t.json\n  expect:\n    - contains: Status: shipped\n",
        "4:23",
        &["quote a text that contains a colon and a space"],
    ),
    (
        "- {id: a, input: another question, trace: traces/t.json, expect: [{tool_called: get_order}]}",
        "1:18",
        &["the case asks", "the run was asked"],
    ),
    (
        "- {id: a, trace: traces/wrong.json, expect: [{tool_called: get_order}]}",
        "1:18",
        &["line 1, column 2", "not JSON"],
    ),
    (
        "prompts: [hi]\nproviders: [openai:gpt-5]\ntests:\n  - assert: [{type: equals, value: x}]\n",
        "1:1",
        &["this is a file of promptfoo", "cargo arraign import evals/s.yaml --from promptfoo"],
    ),
    (
        "- {id: a, trace: traces/t.json, baseline: ~, expect: [{tool_called: get_order}]}",
        "1:43",
        &["expected a text, found nothing", "write a value, or take the key out"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [tool_called]}",
        "1:42",
        &["one check with its settings", "write `- tool_called: VALUE`"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: ['tool_called: get_order']}",
        "1:42",
        &["one check with its settings", "write it without quotes: `- tool_called: get_order`"],
    ),
    (
        "- id: a\n  trace: traces/t.json\n  expect:\n    - tool_called get_order\n",
        "4:7",
        &["one check with its settings", "write a colon behind its name: `- tool_called: get_order`"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{tool_called: get_order, not_called: rm}]}",
        "1:42",
        &["one check with its settings", "begin each check with a `- ` of its own"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{tool_called: [get_order, x]}]}",
        "1:56",
        &["expected a text, found a list", "a check or a rule can be written once for each text"],
    ),
    (
        "- {id: a, trace: traces/t.json, expect: [{cost_at_most: $0.05}]}",
        "1:57",
        &["expected a number", "write the number alone: `0.05`"],
    ),
    (
        "tests:\n  id: a\n  trace: traces/t.json\n  expect: [{tool_called: get_order}]\n",
        "2:3",
        &["`tests` is a list of cases: begin each case with `- `"],
    ),
    (
        "- id: a\n  trace: traces/t.json\n  expect:\n    - contains: \"Done\n",
        "5:1",
        &["not valid YAML", "a quote is left open above"],
    ),
    (
        "- {id: a, trace: trace/t.json, expect: [{tool_called: get_order}]}",
        "1:18",
        &["trace/t.json: no such file; did you mean `traces/t.json`?"],
    ),
    (
        "- {id: a, trace: traces/t.json, include: shard.yaml, expect: [{tool_called: get_order}]}",
        "1:42",
        &["shard.yaml: no such file", "did you mean `shared.yaml`?"],
    ),
    #[cfg(not(windows))]
    (
        "- {id: a, trace: 'traces\\t.json', expect: [{tool_called: get_order}]}",
        "1:18",
        &["no such file; write `traces/t.json`: only Windows separates folders with `\\`"],
    ),
    (
        "- {id: a, trace: traces/cafe\u{301}.json, expect: [{tool_called: get_order}]}",
        "1:18",
        &["no such file; `traces/caf\u{e9}.json` looks the same", "NFC and NFD"],
    ),
    ("{hello: 1}", "1:1", &["this is no file of cases", "`.arraignignore`"]),
    ("tests: []", "1:8", &["`tests` is empty: the suite checks nothing"]),
];

#[test]
fn a_first_mistake_has_its_place_and_what_to_write() {
    let package = Package::of("");
    package.write("evals/traces/t.json", TRACE);
    package.write("evals/traces/caf\u{e9}.json", TRACE);
    package.write("evals/traces/wrong.json", "{wrong");
    package.write("evals/shared.yaml", "tier: smoke\n");
    package.write("evals/.arraignignore", "shared.yaml\n");
    let mut missing = Vec::new();
    for (case, place, parts) in WRONG {
        package.write("evals/s.yaml", case);
        let ran = package.arraign(&["run"]);
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(ran.code.is_some_and(|code| code != 0), "{case}\n{told}");
        let place = format!("evals/s.yaml:{place}");
        let first = told.find("error").map_or("", |at| &told[at..]);
        let mut wanted = parts.iter().copied().chain([place.as_str()]);
        if let Some(part) = wanted.find(|part| !first.contains(part)) {
            missing.push(format!("{case}\nlacks `{part}`\n{told}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn names_are_understood_as_people_type_them() {
    let package = Package::of("[{id: a, trace: traces/t.json, expect: [{tool_called: get_order}]}]");
    package.write("evals/traces/t.json", TRACE);
    package.write("evals/other.yaml", "tests: wrong");
    let one = package.arraign(&["run", "evals/s.yaml"]);
    assert_eq!(one.code, Some(0), "{}{}", one.stdout, one.stderr);
    assert!(one.stdout.contains("1 passed"), "{}", one.stdout);
    package.write("evals/other.yaml", "[{id: b, trace: traces/t.json, expect: [{tool_called: get_order}]}]");
    for filter in ["evals/s.yaml", "s/a", "evals/s"] {
        let ran = package.arraign(&["run", "--", filter]);
        assert_eq!(ran.code, Some(2), "{filter}: {}", ran.stderr);
        assert!(ran.stderr.contains("did you mean `s::a`?"), "{filter}: {}", ran.stderr);
    }
    let id = std::fs::read_dir(package.path("target/arraign")).expect("runs").next().expect("a run");
    let id = id.expect("a run").file_name().into_string().expect("UTF-8");
    for arguments in [&["report", "--run", "2026"][..], &["compare", "2026", "2027"]] {
        let ran = package.arraign(arguments);
        assert!(ran.code == Some(2) && ran.stderr.contains(&format!("`{id}`")), "{}", ran.stderr);
    }
}

/// A file of rows is not also read as a file of cases.
#[test]
fn a_mistake_in_a_file_of_rows_is_told_once() {
    let package =
        Package::of("[{id: a, trace: traces/t.json, cases: rows.jsonl, expect: [{contains: '{{word}}'}]}]");
    package.write("evals/traces/t.json", TRACE);
    for rows in ["{\"word\": \"Status\"}\n[1]\n", "{\"word\": \n"] {
        package.write("evals/rows.jsonl", rows);
        let ran = package.arraign(&["run"]);
        assert_eq!(ran.code, Some(2), "{}", ran.stdout);
        assert!(ran.stderr.contains("1 mistake in the eval files"), "{}", ran.stderr);
        assert!(ran.stderr.contains("evals/rows.jsonl:"), "{}", ran.stderr);
    }
}

#[test]
fn a_filter_without_the_escapes_of_a_name_is_understood() {
    let package = Package::of("[{id: a/b, trace: traces/t.json, expect: [{tool_called: get_order}]}]");
    package.write("evals/traces/t.json", TRACE);
    let ran = package.arraign(&["run", "--", "a/b"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("did you mean `s::a%2Fb`?"), "{}", ran.stderr);
}

#[test]
fn a_misspelt_variable_and_a_wrong_tier_are_told() {
    let package = Package::of("[{id: a, trace: traces/t.json, expect: [{tool_called: get_order}]}]");
    package.write("evals/traces/t.json", TRACE);
    let wrong = package.arraign_with(&[("ARRAIGN_REPROT", "html")], &["run"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.stdout);
    assert!(
        wrong.stderr.contains("ARRAIGN_REPROT") && wrong.stderr.contains("did you mean ARRAIGN_REPORT?"),
        "{}",
        wrong.stderr
    );
    let tier = package.arraign_with(&[("ARRAIGN_TIER", "smok")], &["run"]);
    assert!(tier.code == Some(2) && tier.stderr.contains("expected `smoke` or `full`"), "{}", tier.stderr);
}

/// A prompt that was edited after the run was recorded.
#[test]
fn a_stale_recording_names_the_file_and_the_command() {
    let package = Package::of("[{id: a, agent: shop, input: hi, expect: [{contains: hello}]}]");
    package.write(
        "evals/arraign.yaml",
        "agents: {shop: {command: [printf, '{\"steps\": [{\"say\": \"hello\"}]}'], inputs: ['prompts/*.md']}}",
    );
    package.write("prompts/a.md", "Be kind.");
    let recorded = package.arraign_with(&[("ARRAIGN_AGENT_MODE", "record")], &["run"]);
    assert_eq!(recorded.code, Some(0), "{}{}", recorded.stdout, recorded.stderr);
    package.write("prompts/a.md", "Be quick.");
    let stale = package.arraign(&["run"]);
    assert_eq!(stale.code, Some(101), "{}{}", stale.stdout, stale.stderr);
    for part in ["evals/s.yaml:1:", "`prompts/a.md` has changed", "ARRAIGN_AGENT_MODE=record "] {
        assert!(stale.stdout.contains(part), "{part}: {}", stale.stdout);
    }
}
