//! What a file or the environment cannot say of agents.

use super::asks;
use crate::project::Project;

#[test]
fn an_unknown_agent_is_2_and_the_nearest_is_named() {
    let project = Project::of(&[asks("a", "lookz", ""), asks("b", "looks", "")]);
    let ran = project.run(&[]).exits(2);
    ran.complains("error: no agent is called `lookz`; did you mean `looks`?")
        .complains("--> evals/s.yaml:4:12")
        .complains("1 mistake in the eval files; no trial was run");
    project.run(&["--exact", "s::a"]).exits(101).says("no agent is called `lookz`");
    let suite = Project::empty().file("evals/s.yaml", suite_of("nobody_knows_me"));
    suite.run(&[]).exits(2).complains("1 mistake").complains("--> evals/s.yaml:1:8");
}

fn suite_of(agent: &str) -> String {
    let case = |id: &str| format!("  - {{id: {id}, input: x, expect: [{{tool_blocklist: [rm]}}]}}\n");
    format!("agent: {agent}\ntests:\n{}{}", case("a"), case("b"))
}

#[test]
fn a_mode_that_is_none_is_2() {
    let ran = Project::of(&[asks("a", "looks", "")]).run_with(&[("ARRAIGN_AGENT_MODE", "on")], &[]).exits(2);
    ran.complains("ARRAIGN_AGENT_MODE is `on`: expected `replay`, `record`, `rerecord` or `live`");
}

#[test]
fn a_command_says_what_it_lacks() {
    let refused = |agent: &str, problem: &str| {
        Project::of(&[asks("a", agent, "")]).run(&[]).exits(2).complains(problem);
    };
    refused(
        "{}",
        "an agent here needs its `command: [program, argument]`, its `acp: [program, argument]` or its `http",
    );
    refused("{comand: [x]}", "did you mean `command`?");
    refused("{command: x}", "a command is a list: the program, then its arguments");
    refused("{command: []}", "the command names no program");
    refused("{command: [x, '{{qeury}}']}", "did you mean `query`?");
    refused("{command: ['{{input}}']}", "the program itself can have no placeholder");
    refused("{command: [bash, -lc, 'agent {{input}}']}", "a shell would run what the case asks as code");
    refused("{command: [x], model: {ignore: [/messages]}}", "without `/messages`, all requests are equal");
    refused("{command: [x], model: {ignore_text: ['.*']}}", "the pattern matches every text");
    refused("{command: [x], env: {KEY: secret}}", "expected a list, found a mapping");
    refused("{command: [x], env: ['KEY=secret']}", "not the name of a variable");
    refused("{command: [x], output_limit: -1}", "expected a whole number from 1 up");
    refused("{command: [x], timeout: soon}", "expected a time");
    refused("{command: [x], format: opnai-chat}", "did you mean `openai-chat`?");
    refused("[x]", "expected a text, found a list");
    refused(
        "' '",
        "`agent` is an agent's name, `{command: [program, argument]}`, `{acp: [program, argument]}`, or `{http: {url: ...}}`",
    );
}

#[test]
fn an_agent_has_something_to_be_asked() {
    let text = "{agent: looks, expect: [{tool_blocklist: [rm]}]}";
    let ran = Project::empty().file("evals/s.yaml", text).run(&[]).exits(2);
    ran.complains("the case has no `input` to ask its `agent`");
}

#[test]
fn a_trace_and_an_agent_must_go_together() {
    let refused = |more: &str, problem: &str| {
        Project::of(&[asks("a", "looks", more)]).run(&[]).exits(2).complains(problem);
    };
    refused("trace: {calls: [look]}", "the case contains its trace: its `agent` would never run");
    refused("trace: traces/*.json", "`trace` is the one file that its run is recorded in");
    refused("trace: {file: traces/a.json, run: 2}", "`trace` is the one file that its run is recorded in");
    refused("trace: traces/a.json\nrepeat: 2", "`repeat` records several files: `trace` cannot name them");
}

#[test]
fn two_agents_of_one_name_are_2() {
    let project = Project::of(&[asks("a", "looks", "")]);
    project.write("evals/arraign.yaml", "agents:\n  looks: {command: [x]}\n");
    let ran = project.run(&[]).exits(2);
    ran.complains("two agents are called `looks`").complains("--> evals/arraign.yaml:2:10");
}

#[test]
fn a_variable_that_the_harness_does_not_allow_is_2() {
    let allowed = [("HARNESS_TEST_VARIABLES", "SHOP_KEY,SHOP_URL")];
    let judged = "{id: a, input: x, trace: {answer: Sure.}, eval: {agent_assertions: [{label: polite, prompt: Is it polite?}]}}";
    let exec = "{id: a, input: x, trace: {answer: Sure.}, expect: [{exec: {command: [x], env: [OTHER]}}]}";
    let file_of = |agent: &str, more: &str| format!("tests:\n{}", asks("a", agent, more));
    for (file, place) in [
        (file_of("{http: {url: 'http://x', headers: {a: 'Bearer ${OTHER}'}}}", ""), "evals/s.yaml:4:12"),
        (file_of("{http: {url: 'http://x/?q=${OTHER}'}}", ""), "evals/s.yaml:4:12"),
        (file_of("{command: [x], env: [SHOP_KEY, OTHER]}", ""), "evals/s.yaml:4:12"),
        (file_of("looks", "mocks: {server: {command: [x], env: [OTHER]}}"), "evals/s.yaml"),
        (format!("judge: {{model: m, key_env: OTHER}}\ntests: [{judged}]\n"), "evals/s.yaml:1:8"),
        (format!("tests: [{exec}]\n"), "evals/s.yaml:1:"),
    ] {
        let project = Project::empty().file("evals/s.yaml", &file);
        let ran = project.run_with(&allowed, &[]).exits(2);
        ran.complains("error: the harness does not allow the variable `OTHER`")
            .complains(place)
            .complains("`.allow_variables([\"OTHER\"])`");
        project
            .run_with(&allowed, &["--exact", "s::a"])
            .exits(101)
            .says("does not allow the variable `OTHER`");
        let others = [("HARNESS_TEST_VARIABLES", "SHOP_KEY,OTHER")];
        for ran in [project.run_with(&others, &[]), project.run(&[])] {
            assert!(!ran.stderr.contains("does not allow"), "{file}");
        }
    }
    let project = Project::of(&[asks("a", "looks", "")]);
    project.write("evals/arraign.yaml", "agents:\n  shop: {command: [x], env: [OTHER]}\n");
    project.run_with(&allowed, &[]).exits(2).complains("--> evals/arraign.yaml:2:9");
    // The default of `key_env` is sent, too, and a judge of the harness needs none.
    let project = Project::empty().file("evals/s.yaml", format!("judge: {{model: m}}\ntests: [{judged}]\n"));
    project.run_with(&allowed, &[]).exits(2).complains("the variable `OPENAI_API_KEY`");
    let own = [allowed[0], ("SUBJECT_JUDGE", "honest")];
    assert!(!project.run_with(&own, &[]).stderr.contains("does not allow"));
}
