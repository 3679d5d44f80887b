//! Variants of agents: how they are defined, selected, run and recorded.

use std::path::Path;

use super::{LIVE, RECORD, asks};
use crate::project::{Project, suite};
use crate::scripted::JUDGE;
use crate::server::{Reply, Server};
use arraign::json::{Json, json};

/// A project with one case, and this `arraign.yaml`.
fn configured(settings: &str) -> Project {
    Project::of(&[asks("a", "looks", "")]).file("evals/arraign.yaml", settings)
}

#[test]
fn a_variant_says_what_it_lacks() {
    let refused = |settings: &str, problems: &[&str]| {
        let mut ran = configured(settings).run(&["--list"]).exits(2);
        for problem in problems {
            ran = ran.complains(problem);
        }
    };
    refused(
        "variants: {baseline: {}, 'a b': {}}",
        &["`a b` cannot name a variant: a name has letters", "evals/arraign.yaml:1:26"],
    );
    refused("variants: {All: {}}", &["`All` cannot name a variant: the name is reserved"]);
    refused("variants: {attack: {}}", &["the name is reserved"]);
    refused("variants: {x: {modell: y}}", &["unknown key `modell`"]);
    refused("variants: {x: {repeat: 0}}", &["expected a whole number from 1 up"]);
    refused("variants: {x: {env: {'A=B': y}}}", &["`A=B` is no name of a variable"]);
    refused("variants: {x: {env: [A]}}", &["expected a mapping"]);
    refused("matrix: {}", &["`matrix` has no variable"]);
    refused("matrix: {MODEL: []}", &["`MODEL` has no values"]);
    refused("matrix: {MODEL: ['']}", &["an empty value names no variant", "name the value"]);
    refused("matrix: {MODEL: {'a b': x}}", &["`a b` cannot name a variant"]);
    refused("matrix: {MODEL: [all]}", &["`all` cannot name a variant"]);
    let many = format!("[{}]", (0..40).map(|n| n.to_string()).collect::<Vec<_>>().join(", "));
    refused(&format!("matrix: {{A: {many}, B: {many}}}"), &["more than 1000 combinations"]);
}

#[test]
fn equal_names_are_a_mistake_without_regard_to_case() {
    let refused = |settings: &str, problem: &str| {
        configured(settings).run(&["--list"]).exits(2).complains(problem);
    };
    refused(
        "variants: {terse: {}, Terse: {}}",
        "the variants `terse` and `Terse` differ in upper and lower case only",
    );
    refused("variants: {small: {}}\nmatrix: {MODEL: [small]}", "two variants are called `small`");
    refused("matrix: {MODEL: [a/b, a_b]}", "two variants are called `a_b`");
    refused("agents: {Other: {command: [x]}}\nvariants: {other: {}}", "an agent is called `Other`, too");
}

#[test]
fn a_value_that_looks_like_a_secret_is_refused() {
    for settings in [
        "variants: {x: {env: {OPENAI_API_KEY: sk-proj-Zk3vT9qLw8Xr2Bn6Yh4Jm7Pd}}}",
        "variants: {x: {env: {MODEL_URL: 'https://user:hunter2-long-word@models.example/v1'}}}",
        "matrix: {GITHUB_TOKEN: [ghp_16C7e42F292c6912E7710c838347Ae178B4a, none]}",
    ] {
        let ran = configured(settings).run(&["--list"]).exits(2);
        let ran = ran.complains("looks like a secret").complains("list its name in the `env` of the agent");
        assert!(!ran.stdout.contains("hunter2") && !ran.stdout.contains("ghp_"), "{}", ran.stdout);
    }
    let harmless = "variants: {x: {env: {MAX_TOKENS: 100, MODEL: gpt-6-mini, PROMPT: prompts/terse.md}}}";
    configured(harmless).run(&["--list"]).exits(0);
}

/// A case with its own trace, which has no variants.
const RECORDED: &str = "  - {id: own, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}\n";

/// Variants of the agent `varies`: `wild` calls a tool that the cases forbid.
const VARIANTS: &str =
    "variants: {calm: {env: {TOOL: peek}}, wild: {env: {TOOL: rm}}, other: {agent: looks}}";

const ALL: (&str, &str) = ("ARRAIGN_VARIANT", "all");

/// A project with a case of the agent `varies`, a case with its own trace, and [`VARIANTS`].
fn varied() -> Project {
    let cases = [asks("a", "varies", ""), RECORDED.to_owned()];
    Project::of(&cases).file("evals/arraign.yaml", VARIANTS)
}

/// Runs a project, with its verdicts in a folder of their own.
fn run(project: &Project, variables: &[(&str, &str)], out: &str) -> crate::project::Ran {
    project.run_with(&[variables, &[("ARRAIGN_OUT", out)]].concat(), &[])
}

#[test]
fn without_the_variable_a_list_is_what_it_was() {
    let project = varied();
    for flags in [&["--list"][..], &["--list", "--format", "json", "-Z", "unstable-options"]] {
        project.write("evals/arraign.yaml", "keep_runs: 20");
        let before = project.run(flags).exits(0).stdout;
        project.write("evals/arraign.yaml", VARIANTS);
        assert_eq!(project.run(flags).exits(0).stdout, before);
    }
    run(&project, &[LIVE], "out/plain").exits(0);
    let verdicts = project.verdicts("out/plain");
    assert!(verdicts.iter().all(|verdict| verdict.get("variant").is_none()), "{verdicts:?}");
}

#[test]
fn a_variant_is_a_trial_of_each_case_with_an_agent() {
    let project = varied();
    let listed = project.run_with(&[ALL], &["--list"]).exits(0);
    assert_eq!(listed.names(), ["s::a", "s::a@calm", "s::a@wild", "s::a@other", "s::own"]);
    let ran = run(&project, &[LIVE, ALL], "out").exits(101);
    ran.says("rerun: ARRAIGN_AGENT_MODE=live ARRAIGN_VARIANT=baseline,calm,wild,other cargo test");
    let describe = |name: &str| {
        let verdict = project.verdict(name);
        let fields =
            [&verdict["variant"], &verdict["case_name"], &verdict["suite"], &verdict["runs"][0]["answer"]];
        fields.map(|field| field.as_str().unwrap_or("-").to_owned())
    };
    assert_eq!(describe("s::a"), ["baseline", "-", "s", "run 1 of baseline"]);
    assert_eq!(describe("s::a@calm"), ["calm", "s::a", "s@calm", "run 1 of calm"]);
    assert_eq!(describe("s::a@other")[..2], ["other", "s::a"]);
    assert_eq!(describe("s::own")[..3], ["-", "-", "s"]);
    assert_eq!(project.verdict("s::a@wild")["status"], "fail");
    let line = project.run_with(&[ALL], &["--list", "--format", "json", "-Z", "unstable-options"]).exits(0);
    line.says(r#""variant":"calm","case_name":"s::a""#);
}

#[test]
fn the_variants_that_are_named_run_once_each() {
    let project = varied();
    let names = |selected: &str| {
        let listed = project.run_with(&[("ARRAIGN_VARIANT", selected)], &["--list"]).exits(0);
        listed.names().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names("calm"), ["s::a@calm", "s::own"]);
    assert_eq!(names("calm, baseline,calm"), ["s::a@calm", "s::a", "s::own"]);
    assert_eq!(names("deletes"), ["s::a@deletes", "s::own"]);
    let unknown = project.run_with(&[("ARRAIGN_VARIANT", "clam")], &[]).exits(2);
    unknown.complains("no variant is called `clam`; did you mean `calm`?");
    let replaced = project.run_with(&[("ARRAIGN_AGENT", "looks")], &[]).exits(2);
    replaced.complains("ARRAIGN_AGENT is no longer read").complains("set ARRAIGN_VARIANT=looks");
}

#[test]
fn a_variant_asks_an_agent_that_is_known() {
    let project = varied().file("evals/arraign.yaml", "variants: {other: {agent: lookz}}");
    project.run_with(&[LIVE], &[]).exits(0);
    let ran = project.run_with(&[ALL], &[]).exits(2);
    ran.complains("no agent is called `lookz`; did you mean `looks`?").complains("evals/arraign.yaml:1:");
    let taken = varied().file("evals/arraign.yaml", "variants: {looks: {}}").run(&["--list"]).exits(2);
    taken.complains("an agent of the test target is called `looks`, too");
}

#[test]
fn a_trial_of_a_variant_runs_by_its_exact_name() {
    let project =
        varied().file("evals/alone.yaml", "{agent: varies, input: x, expect: [{tool_blocklist: [rm]}]}");
    let variables = [LIVE, ("ARRAIGN_VARIANT", "calm")];
    for name in ["s::a@calm", "alone@calm", "s::own"] {
        let ran = project.run_with(&variables, &["--exact", name]).exits(0);
        assert_eq!(ran.results().into_iter().collect::<Vec<_>>(), [(name, "ok")]);
    }
    project.run_with(&variables, &["--exact", "s::a"]).exits(0).complains("no trial is called `s::a`");
}

#[test]
fn a_name_that_is_a_variants_already_is_a_duplicate() {
    let project = Project::of(&[asks("a", "varies", ""), asks("a@calm", "varies", "")]);
    let project = project.file("evals/arraign.yaml", VARIANTS);
    project.run(&["--list"]).exits(0);
    let ran = project.run_with(&[ALL], &["--list"]).exits(2);
    ran.complains("two cases make the trial `s::a@calm`");
}

#[test]
fn a_matrix_is_a_variant_for_each_combination() {
    let matrix = "matrix: {MODEL: [org/large:1, small], PROMPT: {a: prompts/a.md, b: prompts/b.md}}";
    let project = varied().file("evals/arraign.yaml", matrix);
    let listed = project.run_with(&[ALL], &["--list"]).exits(0);
    let expected =
        ["s::a", "s::a@org_large_1+a", "s::a@org_large_1+b", "s::a@small+a", "s::a@small+b", "s::own"];
    assert_eq!(listed.names(), expected);
}

#[test]
fn each_variant_has_its_own_recording() {
    let project = varied();
    run(&project, &[RECORD, ("ARRAIGN_VARIANT", "baseline,calm")], "out/record").exits(0);
    assert_eq!(project.files("evals/traces"), ["evals/traces/s/a.json", "evals/traces/s/a@calm.json"]);
    run(&project, &[("ARRAIGN_VARIANT", "calm,baseline")], "out/replay").exits(0).says_nothing_on_stderr();
    let missing = run(&project, &[("ARRAIGN_VARIANT", "wild")], "out/missing").exits(101);
    missing.says(
        "ARRAIGN_AGENT_MODE=record ARRAIGN_VARIANT=wild cargo test --test subject -- --exact s::a@wild",
    );
    // A variant that changes makes its own recording stale alone.
    project.write("evals/arraign.yaml", VARIANTS.replace("peek", "glance"));
    let stale = run(&project, &[("ARRAIGN_VARIANT", "baseline,calm")], "out/stale").exits(101);
    assert_eq!(
        stale.results().into_iter().collect::<Vec<_>>(),
        [("s::a", "ok"), ("s::a@calm", "FAILED"), ("s::own", "ok")]
    );
    stale.says("recorded by an agent that has changed: `variant` has changed since");
    let again = run(&project, &[RECORD, ("ARRAIGN_VARIANT", "baseline,calm")], "out/again").exits(0);
    again.complains("agents ran once; 1 recording was fresh");
    // A variant that is added changes nothing for the others, and the baseline needs no variants at all.
    project.write("evals/arraign.yaml", "keep_runs: 20");
    run(&project, &[], "out/without").exits(0).says_nothing_on_stderr();
    // A baseline that sets something is another agent than the one that was recorded.
    project.write("evals/arraign.yaml", "variants: {baseline: {env: {TOOL: glance}}}");
    run(&project, &[], "out/set").exits(101).says("`variant` was added");
    run(&project, &[RECORD], "out/set-again").exits(0);
    project.write("evals/arraign.yaml", "keep_runs: 20");
    run(&project, &[], "out/unset").exits(101).says("`variant` was removed");
}

#[test]
fn a_recording_of_another_variant_or_agent_is_undecided_whatever_its_file_is_called() {
    let project = varied();
    run(&project, &[RECORD, ("ARRAIGN_VARIANT", "baseline,calm,other")], "out/record").exits(0);
    let copy = |from: &str, to: &str| {
        let text = project.read(&format!("evals/traces/s/{from}.json"));
        project.write(&format!("evals/traces/s/{to}.json"), text);
    };
    let undecided = |variant: &str, reason: &str| {
        let ran = run(&project, &[("ARRAIGN_VARIANT", variant)], "out/replay").exits(101);
        ran.says(reason).says("ARRAIGN_AGENT_MODE=live ARRAIGN_VARIANT=");
        std::fs::remove_dir_all(project.path("out/replay")).expect("the verdicts");
    };
    copy("a@calm", "a@wild");
    undecided("wild", "recorded by another variant: `calm` made the recording, and this is `wild`");
    copy("a", "a@calm");
    undecided("calm", "recorded by another variant: `baseline` made the recording, and this is `calm`");
    copy("a@wild", "a");
    undecided("baseline", "recorded by another variant: `calm` made the recording, and this is `baseline`");
    copy("a@other", "a@wild");
    undecided("wild", "recorded by another agent: `looks` made the recording, and the case asks `varies`");
    let refused = run(&project, &[RECORD, ("ARRAIGN_VARIANT", "calm")], "out/refused").exits(101);
    refused.says("a@calm.json is a recording of the variant `baseline`, and `calm` would replace it");
}

#[test]
fn files_of_a_variant_and_its_runs_are_its_own() {
    let settings = "variants: {terse: {inputs: [prompts/terse.md], repeat: 2}}";
    let project = varied().file("evals/arraign.yaml", settings).file("prompts/terse.md", "Be brief.");
    run(&project, &[RECORD, ALL], "out/record").exits(0);
    let recorded =
        ["evals/traces/s/a.json", "evals/traces/s/a@terse/1.json", "evals/traces/s/a@terse/2.json"];
    assert_eq!(project.files("evals/traces"), recorded);
    project.write("prompts/terse.md", "Be very brief.");
    let ran = run(&project, &[ALL], "out/stale").exits(101);
    assert_eq!(ran.results()["s::a"], "ok");
    ran.says("`prompts/terse.md` has changed since");
    let named = suite(&[asks("a", "varies", "trace: traces/mine.json")]);
    let project = Project::empty().file("evals/s.yaml", named).file("prompts/terse.md", "Be brief.");
    project.write("evals/arraign.yaml", settings);
    let refused = project.run_with(&[ALL], &[]).exits(2);
    refused.complains("the variant `terse` records several runs (`repeat`), and `trace` names one file");
    project.write("evals/arraign.yaml", VARIANTS);
    run(&project, &[RECORD, ("ARRAIGN_VARIANT", "calm")], "out/mine").exits(0);
    assert_eq!(project.files("evals/traces"), ["evals/traces/mine@calm.json"]);
}

#[test]
fn each_variant_has_its_own_gate() {
    let suite_text =
        format!("gate: {{mean: 0.9}}\n{}", suite(&[asks("a", "varies", ""), RECORDED.to_owned()]));
    let project = varied().file("evals/s.yaml", suite_text);
    let ran = run(&project, &[LIVE, ALL], "out").exits(101);
    let results = ran.results();
    let gates: Vec<_> = results.iter().filter(|(name, _)| name.contains("pass_threshold")).collect();
    let expected = [
        (&"s::pass_threshold", &"ok"),
        (&"s::pass_threshold@calm", &"ok"),
        (&"s::pass_threshold@other", &"ok"),
        (&"s::pass_threshold@wild", &"FAILED"),
    ];
    assert_eq!(gates, expected);
    let verdict = project.verdict("s::pass_threshold@wild");
    assert_eq!(
        (verdict["variant"].as_str(), verdict["case_name"].as_str()),
        (Some("wild"), Some("s::pass_threshold"))
    );
    let alone = project
        .run_with(&[LIVE, ("ARRAIGN_VARIANT", "calm")], &["--exact", "s::pass_threshold@calm"])
        .exits(0);
    assert_eq!(alone.names(), ["s::pass_threshold@calm"]);
    assert!(matches!(project.verdict("s::pass_threshold")["runs"], Json::Array(ref runs) if runs.is_empty()));
}

/// Only the baseline writes a snapshot: the others are compared with it.
#[test]
fn a_variant_writes_no_snapshot() {
    let project = varied().file("evals/s.yaml", suite(&[asks("a", "varies", "snapshot: true")]));
    let accepting =
        |variant| [LIVE, ("INSTA_UPDATE", "always"), ("CI", "false"), ("ARRAIGN_VARIANT", variant)];
    // `accept` would not write it.
    let refused = run(&project, &accepting("wild"), "out/wild").exits(101).says("no snapshot yet");
    refused.says("the snapshot is that of `baseline`: run and accept it there, or give each variant its own");
    assert!(project.files("evals/snapshots").is_empty());
    run(&project, &accepting("baseline"), "out/baseline").exits(0);
    run(&project, &accepting("calm"), "out/calm").exits(0);
    let before = project.files("evals");
    run(&project, &accepting("wild"), "out/wild-again").exits(101).says("`rm` is blocked");
    assert_eq!(project.files("evals"), before);
}

/// How many runs there are is no violation.
#[test]
fn a_variant_with_more_runs_that_agree_meets_the_snapshot_of_the_baseline() {
    for (check, status) in [("tool_called: look", "pass"), ("tool_called: ship", "fail")] {
        let case = asks("a", "varies", "snapshot: true").replace("tool_blocklist: [rm]", check);
        let project = varied().file("evals/s.yaml", suite(&[case]));
        project.write("evals/arraign.yaml", "variants: {often: {repeat: 4}}");
        let accepting =
            |variant| [LIVE, ("INSTA_UPDATE", "always"), ("CI", "false"), ("ARRAIGN_VARIANT", variant)];
        run(&project, &accepting("baseline"), "out/baseline").exits(0);
        let text = project.read("evals/snapshots/s.a.snap");
        assert!(text.contains(&format!("status: {status}")), "{text}");
        run(&project, &accepting("often"), "out/often").exits(0);
        assert_eq!(project.verdict("s::a@often")["runs"].as_array().map(<[Json]>::len), Some(4));
    }
}

#[test]
fn each_variant_has_a_snapshot_of_its_own_if_the_case_says_so() {
    let project = varied().file("evals/s.yaml", suite(&[asks("a", "varies", "snapshot: per_variant")]));
    let accepting = [LIVE, ALL, ("INSTA_UPDATE", "always"), ("CI", "false")];
    let ran = run(&project, &accepting, "out/accepting").exits(0);
    assert!(!ran.stderr.contains("belongs to no case"), "{}", ran.stderr);
    let names = ["s.a.snap", "s.a@calm.snap", "s.a@other.snap", "s.a@wild.snap"];
    for name in names {
        let text = project.read(&format!("evals/snapshots/{name}"));
        assert_eq!(text.contains("rm"), name == "s.a@wild.snap", "{text}");
    }
    assert_eq!(project.files("evals/snapshots").len(), names.len());
    // The violations of one variant are no other's.
    let strict = [LIVE, ALL, ("INSTA_UPDATE", "no")];
    run(&project, &strict, "out/again").exits(0).says("4 passed");
    std::fs::rename(
        project.path("evals/snapshots/s.a@wild.snap"),
        project.path("evals/snapshots/s.a@calm.snap"),
    )
    .expect("it is renamed");
    run(&project, &strict, "out/swapped").exits(101).says("2 passed; 2 failed");
    // Without the word, those of the variants belong to no case.
    let project = project.file("evals/s.yaml", suite(&[asks("a", "varies", "snapshot: true")]));
    let shared = run(&project, &strict, "out/shared");
    shared.complains("s.a@calm.snap").complains("s.a@other.snap");
    project
        .file("evals/s.yaml", suite(&[asks("a", "varies", "snapshot: each")]))
        .run(&["--list"])
        .exits(2)
        .complains("`snapshot` is true, false, or `per_variant`");
}

#[cfg(unix)]
#[test]
fn a_process_has_the_variables_of_its_variant() {
    let agent = super::shell_with(
        r#"printf '{"calls": [], "answer": "%s %s"}' "$MODEL" "$GIVEN""#,
        ", env: [GIVEN, MODEL]",
    );
    let settings = "variants: {cheaper: {env: {MODEL: gpt-6-mini}}}";
    let project = Project::of(&[asks("a", &agent, "")]).file("evals/arraign.yaml", settings);
    let given = [LIVE, ALL, ("MODEL", "inherited"), ("GIVEN", "yes")];
    run(&project, &given, "out").exits(0);
    assert_eq!(project.verdict("s::a")["runs"][0]["answer"], "inherited yes");
    assert_eq!(project.verdict("s::a@cheaper")["runs"][0]["answer"], "gpt-6-mini yes");
}

#[test]
fn a_request_has_the_values_of_its_variant() {
    let server = Server::saying(Reply::json(&json!({"calls": ["look"], "answer": "Done."})));
    let http = json!({
        "url": server.url("/ask/{{variant.MODEL}}"),
        "headers": {"x-model": "is {{variant.MODEL}}", "x-other": "{{query}}"},
        "body": {"model": "{{variant.MODEL}}", "input": "{{query}}"},
    });
    let project = Project::of(&[asks("a", &json!({"http": http}).to_string(), "")]);
    project.write("evals/arraign.yaml", "variants: {cheaper: {env: {MODEL: gpt/6 mini}}}");
    run(&project, &[LIVE, ("ARRAIGN_VARIANT", "cheaper")], "out").exits(0);
    let [asked] = &server.asked()[..] else { panic!("one request") };
    assert_eq!(asked.line, "POST /ask/gpt%2F6%20mini HTTP/1.1");
    assert_eq!(asked.json(), json!({"model": "gpt/6 mini", "input": "Where is order 7?"}));
    assert_eq!(
        (asked.header("x-model"), asked.header("x-other")),
        (Some("is gpt/6 mini"), Some("{{query}}"))
    );
    let unset = run(&project, &[LIVE], "out/unset").exits(101);
    unset.says("the variant sets nothing for `{{variant.MODEL}}`");
}

/// The settings on the page of the docs are read, and name these variants.
#[test]
fn the_variants_on_the_page_are_variants() {
    let page = include_str!("../../../docs/agents.md");
    let section = page.split("\n## ").find(|section| section.starts_with("Variants\n")).expect("the section");
    let blocks: Vec<&str> =
        section.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let [variants, matrix] = blocks[..] else { panic!("two blocks: {blocks:?}") };
    let names = |settings: &str| {
        let listed = configured(settings).run_with(&[ALL], &["--list"]).exits(0);
        listed.names().into_iter().map(|name| name.replace("s::a@", "")).collect::<Vec<_>>()
    };
    assert_eq!(names(variants), ["s::a", "cheaper", "terse", "rewritten"]);
    assert_eq!(names(matrix), ["s::a", "gpt-6+short", "gpt-6+long", "gpt-6-mini+short", "gpt-6-mini+long"]);
}

/// A run of some variants does not call the recordings of the others left over.
#[test]
fn opinions_on_a_variant_are_its_own_and_known_to_the_others() {
    let case = "  - id: a\n    input: hello\n    agent: varies\n    expect: [{agent_check: {label: polite, prompt: \"Does it say run?\"}}]\n";
    let project = Project::of(&[case.to_owned()]).file("evals/arraign.yaml", VARIANTS);
    let judge = (JUDGE, "honest");
    let both = ("ARRAIGN_VARIANT", "baseline,calm");
    run(&project, &[judge, RECORD, both, ("ARRAIGN_JUDGE", "record")], "out/record").exits(0);
    let opinions = project.files("evals/cassettes");
    assert!(
        opinions[0].starts_with("evals/cassettes/s/a.")
            && opinions[1].starts_with("evals/cassettes/s/a@calm.")
    );
    run(&project, &[judge], "out/baseline").exits(0).says_nothing_on_stderr();
    run(&project, &[judge, ("ARRAIGN_VARIANT", "calm")], "out/calm").exits(0).says_nothing_on_stderr();
    project.write("evals/arraign.yaml", "keep_runs: 20");
    run(&project, &[judge], "out/gone").exits(0).complains("a@calm.");
}

#[test]
fn reports_name_the_trials_of_variants() {
    let project = varied();
    let reports =
        [LIVE, ("ARRAIGN_VARIANT", "baseline,wild"), ("ARRAIGN_REPORT", "junit,ctrf,markdown,sarif")];
    run(&project, &reports, "out/reported").exits(101);
    for report in project.files("out/reported").iter().filter(|file| file.contains("report.")) {
        if Path::new(report).extension().is_none_or(|extension| extension != "jsonl") {
            assert!(project.read(report).contains("a@wild"), "{report}");
        }
    }
    assert_eq!(project.files("out/reported").iter().filter(|file| file.contains("report.")).count(), 4);
}
