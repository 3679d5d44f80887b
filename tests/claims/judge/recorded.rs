//! Opinions that are recorded, and replayed.

use super::{LIVE, RECORD, asks};
use crate::project::{Project, Ran, suite};
use crate::scripted::JUDGE;
use arraign::json::Json;

/// The judge of the test target.
fn with(judge: &str) -> (&'static str, &str) {
    (JUDGE, judge)
}

fn polite() -> Project {
    Project::of(&[asks("a", "please wait", "")])
}

/// The one recording of a package.
fn cassette(project: &Project) -> String {
    let files = project.files("evals/cassettes");
    let [file] = files.as_slice() else { panic!("not one recording: {files:?}") };
    file.clone()
}

fn status(project: &Project, name: &str) -> Json {
    project.verdict(name)["status"].take()
}

#[test]
fn a_missing_opinion_is_undecided_and_names_the_command() {
    let project = polite();
    let ran = project.run_with(&[with("honest")], &[]).exits(101);
    ran.says("the judge gave no opinion on `polite`: there is no recording")
        .says("record it: ARRAIGN_JUDGE=record cargo test --test subject -- --exact s::a");
    assert_eq!(status(&project, "s::a"), "undecided");
}

#[test]
fn a_recorded_opinion_replays() {
    let project = Project::of(&[asks("a", "please wait", ""), asks("b", "wait", "")]);
    let ran = project.run_with(&[with("honest"), RECORD], &[]).exits(101);
    ran.complains("the judge was asked: 2 requests, 0 tokens read and 0 written, 0.0000 US dollars");
    let ran = project.run_with(&[with("honest"), ("ARRAIGN_OUT", "other")], &[]).exits(101);
    assert_eq!(ran.results().into_values().collect::<Vec<_>>(), ["ok", "FAILED"]);
    ran.says("the judge says no to `polite`").says_nothing_on_stderr();
    assert_eq!(project.files("evals/cassettes").len(), 2);
}

#[test]
fn live_keeps_nothing() {
    let project = polite();
    project.run_with(&[with("honest"), LIVE], &[]).exits(0);
    assert_eq!(project.files("evals"), ["evals/s.yaml"]);
}

#[test]
fn a_judge_that_is_off_is_not_replayed() {
    let project = polite();
    project.run_with(&[with("honest"), RECORD], &[]).exits(0);
    let off = [with("honest"), ("ARRAIGN_JUDGE", "off"), ("ARRAIGN_OUT", "other")];
    project.run_with(&off, &[]).exits(101).says("it is off (ARRAIGN_JUDGE=off)");
    let ran = project.run_with(&[("ARRAIGN_JUDGE", "reply")], &[]).exits(2);
    ran.complains("ARRAIGN_JUDGE is `reply`: expected `replay`, `record`, `live` or `off`");
}

#[test]
fn an_opinion_is_of_its_run_its_question_and_its_judge() {
    let project = polite();
    project.run_with(&[with("honest"), RECORD], &[]).exits(0);
    let changed = |judge: &str, text: &str, out: &str| {
        project.write("evals/s.yaml", text);
        let ran = project.run_with(&[with(judge), ("ARRAIGN_OUT", out)], &[]).exits(101);
        ran.says("the recording answers another question: the run, the case, the judge or arraign has");
    };
    let text = suite(&[asks("a", "please wait", "")]);
    changed("other", &text, "1");
    changed("honest", &text.replace("please wait", "please go"), "2");
    changed("honest", &text.replace("Does it", "Did it"), "3");
    changed("honest", &format!("judge: {{votes: 3}}\n{text}"), "4");
    project.write("evals/s.yaml", format!("# a comment\n{text}"));
    project.run_with(&[with("honest"), ("ARRAIGN_OUT", "5")], &[]).exits(0);
}

#[test]
fn a_judge_that_fails_is_an_error_and_leaves_nothing() {
    let failures = [
        ("errs", "error[agent_check]: the judge failed\n", "= cause: no answer from the model\n"),
        ("panics", "error[agent_check]: the judge failed\n", "= cause: it panicked\n"),
        ("babbles", "the judge's reply is not a valid opinion\n", "= cause: it holds no JSON object\n"),
        ("easy", "the judge followed an instruction in the run", ""),
    ];
    for (judge, said, cause) in failures {
        let project = polite();
        project.run_with(&[with(judge), RECORD], &[]).exits(101).says(said).says(cause);
        assert_eq!(status(&project, "s::a"), "error", "{judge}");
        assert_eq!(project.files("evals"), ["evals/s.yaml"], "{judge}");
    }
}

#[test]
fn an_answer_that_cannot_be_read_is_asked_for_once_more() {
    let project = polite();
    let ran = project.run_with(&[with("recovers"), LIVE], &[]).exits(0);
    ran.complains("the judge was asked: 2 requests");
}

#[test]
fn votes_decide_by_their_majority() {
    let project = Project::empty();
    let cases = suite(&[asks("a", "please wait", ""), asks("b", "wait", "")]);
    project.write("evals/s.yaml", format!("judge: {{votes: 3}}\n{cases}"));
    let ran = project.run_with(&[with("wavers"), RECORD], &[]).exits(101);
    ran.says("3 of 3 votes").complains("the judge was asked: 6 requests");
    let item = project.verdict("s::a")["findings"][0]["items"][0].take();
    assert_eq!(item["note"], "\"2 of 3 votes: it does\"");
    let ran = project.run_with(&[with("wavers"), ("ARRAIGN_OUT", "other")], &[]).exits(101);
    ran.says("3 of 3 votes").says_nothing_on_stderr();
}

#[test]
fn a_budget_ends_the_asking() {
    let ids = ["a", "b", "c", "d"];
    let cases: Vec<String> = ids.iter().map(|id| asks(id, &format!("please {id}"), "")).collect();
    let project = Project::of(&cases).file("evals/arraign.yaml", "judge: {budget_usd: 2}");
    let ran = project.run_with(&[with("costs"), RECORD], &["--test-threads", "1"]).exits(101);
    assert_eq!(ran.results().into_values().collect::<Vec<_>>(), ["ok", "ok", "FAILED", "FAILED"]);
    ran.says("the budget of 2 US dollars is spent")
        .says("raise the budget, or continue later: record it: ARRAIGN_JUDGE=record cargo test")
        .complains("the judge was asked: 2 requests, 0 tokens read and 0 written, 2.0000 US dollars");
    assert_eq!(status(&project, "s::c"), "undecided");
    assert_eq!(project.files("evals/cassettes").len(), 2);
}

#[test]
fn shards_share_the_budget_of_the_judge() {
    let ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let cases: Vec<String> = ids.iter().map(|id| asks(id, &format!("please {id}"), "")).collect();
    let project = Project::of(&cases).file("evals/arraign.yaml", "judge: {budget_usd: 2}");
    for shard in ["1/2", "2/2"] {
        let ran =
            project.run_with(&[with("costs"), LIVE, ("ARRAIGN_SHARD", shard)], &["--test-threads", "1"]);
        ran.says("the budget of 2 US dollars is spent (`judge: {budget_usd: 2}`): this is one of 2 jobs that share it")
            .complains("the judge was asked: 1 request,");
    }
    let project = project.file("evals/arraign.yaml", "judge: {budget_usd: 4, of: 2}");
    let alone = project.run_with(&[with("costs"), LIVE], &["--test-threads", "1"]);
    alone.complains("the judge was asked: 2 requests,");
    let few = project.run_with(&[with("costs"), LIVE, ("ARRAIGN_SHARD", "1/3")], &[]).exits(2);
    few.complains("`of: 2` of `judge` is less than the 3 shards of ARRAIGN_SHARD");
}

const GATED: &str = "tests:
  - id: a
    trace: {calls: [rm], answer: please}
    expected: {forbidden_tools: [rm], tools: [rm]}
    thresholds: {min_score: 1}
    eval: {agent_assertions: [{label: polite, prompt: Does it say please?}]}
";

/// Two cases whose judge takes a dollar an answer, of which there is one.
fn one_dollar() -> Project {
    let project = Project::of(&[asks("a", "please a", ""), asks("b", "please b", "")]);
    project.file("evals/arraign.yaml", "judge: {budget_usd: 1}")
}

/// As nextest does it: a trial a process, and a run one id.
fn in_a_process(project: &Project, run: &str, name: &str) -> Ran {
    let nextest = [("NEXTEST", "1"), ("NEXTEST_RUN_ID", run), ("NEXTEST_ATTEMPT", "1")];
    project.run_with(&[&nextest[..], &[with("costs"), LIVE]].concat(), &["--exact", name])
}

/// What the processes of a run have noted of what they spent.
fn ledger(project: &Project, run: &str) -> String {
    let files = project.files(&format!("out/{run}/@manifests"));
    let found = files.into_iter().find(|file| file.ends_with(".spent.jsonl"));
    found.expect("a ledger")
}

#[test]
fn a_budget_is_that_of_all_processes_of_a_run() {
    let project = one_dollar();
    in_a_process(&project, "run-1", "s::a").exits(0);
    in_a_process(&project, "run-1", "s::b").exits(101).says("the budget of 1 US dollars is spent");
    assert_eq!(status(&project, "s::b"), "undecided");
    in_a_process(&project, "run-2", "s::b").exits(0);
    for run in ["run-1", "run-2"] {
        let line =
            "{\"requests\":1,\"input_tokens\":0,\"output_tokens\":0,\"cost_usd\":1.0,\"unpriced\":0}\n";
        assert_eq!(project.read(&ledger(&project, run)), line);
    }
}

#[test]
fn a_budget_that_cannot_be_added_up_asks_nobody() {
    let project = one_dollar();
    in_a_process(&project, "run-1", "s::a").exits(0);
    let ledger = ledger(&project, "run-1");
    project.write(&ledger, "{\"requests\":1,\n");
    let ran = in_a_process(&project, "run-1", "s::b").exits(101);
    ran.says("cannot enforce `budget_usd`: cannot read or write what the run has spent")
        .says(".spent.jsonl: EOF while parsing");
    assert_eq!(status(&project, "s::b"), "error");
    assert_eq!(project.read(&ledger), "{\"requests\":1,\n", "nobody was asked");
    // Without a budget nobody needs the sum.
    project.write("evals/arraign.yaml", "judge: {votes: 1}");
    in_a_process(&project, "run-1", "s::a").exits(0);
}

#[test]
fn a_broken_gate_asks_nobody() {
    let project = Project::empty().file("evals/s.yaml", GATED);
    project.run_with(&[with("errs"), LIVE], &[]).exits(101);
    assert_eq!(status(&project, "s::a"), "fail");
    project.write("evals/s.yaml", GATED.replace("forbidden_tools: [rm]", "forbidden_tools: [mv]"));
    project
        .run_with(&[with("errs"), LIVE, ("ARRAIGN_OUT", "other")], &[])
        .exits(101)
        .says("the judge failed");
}

#[test]
fn a_gate_of_a_suite_asks_nobody_twice() {
    let cases = suite(&[asks("a", "please a", ""), asks("b", "please b", "")]);
    let project = Project::empty().file("evals/s.yaml", format!("gate: {{mean: 0.9}}\n{cases}"));
    let ran = project.run_with(&[with("honest"), LIVE], &[]).exits(0);
    ran.says("3 passed").complains("the judge was asked: 2 requests");
}

#[test]
fn a_recording_that_nobody_asks_for_is_listed() {
    let project = Project::of(&[asks("a", "please a", ""), asks("b", "please b", "")]);
    project.run_with(&[with("honest"), RECORD], &[]).exits(0);
    let stale = project.files("evals/cassettes")[1].clone();
    let renamed = stale.replace("/b.", "/c.");
    project.write(&renamed, project.read(&stale));
    let replay = |out: &str, arguments: &[&str]| {
        project.run_with(&[with("honest"), ("ARRAIGN_OUT", out)], arguments).exits(0)
    };
    let said =
        format!("the recorded opinion `{renamed}` answers a question that no case asks any more; delete it");
    replay("1", &[]).complains(&said);
    // Those that a part of the cases asks for say nothing of the rest.
    replay("2", &["a"]).says_nothing_on_stderr();
    replay("3", &["--exact", "s::a"]).says_nothing_on_stderr();
    // A changed question leaves its old answer behind.
    project.write("evals/s.yaml", suite(&[asks("a", "please a", "")]).replace("Does it", "Did it"));
    project
        .run_with(&[with("honest"), RECORD, ("ARRAIGN_OUT", "4")], &[])
        .exits(0)
        .complains("evals/cassettes/s/a.");
}

#[test]
fn a_broken_recording_is_an_error() {
    let project = polite();
    project.run_with(&[with("honest"), RECORD], &[]).exits(0);
    let file = cassette(&project);
    let right = project.read(&file);
    let broken = [
        (right.replace("true", "maybe"), "delete the file and record it again"),
        (right.replace("\"version\": 1", "\"version\": 9"), "unsupported version 9: expected 1"),
        (right.replace("polite", "polit"), "the cassette lacks an answer to a question"),
        (right.replace("\"pass\": true", "\"score\": 200"), "the cassette lacks an answer to a question"),
        (right.replace("\"judge\"", "\"jugde\""), "unknown field `jugde`"),
    ];
    for (number, (text, said)) in broken.into_iter().enumerate() {
        project.write(&file, text);
        let out = number.to_string();
        let ran = project.run_with(&[with("honest"), ("ARRAIGN_OUT", &out)], &[]).exits(101);
        ran.says("cannot read the recorded opinions").says(said);
    }
}

#[test]
fn an_id_cannot_lead_a_recording_elsewhere() {
    let project = Project::of(&[asks("'..'", "please", ""), asks("../../x", "please", "")]);
    project.run_with(&[with("honest"), RECORD], &[]).exits(0);
    let files = project.files("evals/cassettes/s");
    assert_eq!(files.len(), 2, "{files:?}");
    assert_eq!(project.files("evals").len(), 3);
    project.run_with(&[with("honest"), ("ARRAIGN_OUT", "other")], &[]).exits(0).says_nothing_on_stderr();
}

const TURNS: &str = "
id: a
trace:
  - user: hello
  - say: quality at first
  - user: and now?
  - call: look
    args: {}
    result: empty
  - say: nothing
turns:
  - {query: hello, expected: {output: {contains: [quality]}}}
  - {query: and now?, expected: {output: {contains: [nothing]}}}
weights: {tool_accuracy: 0, sequence_correctness: 0, output_quality: 1}
thresholds: {min_score: 1}
";

#[test]
fn each_turn_has_an_opinion_of_its_own() {
    let project = Project::empty().file("evals/s.yaml", TURNS);
    // The judge looks for the last word of the prompt, `instructions`.
    project.write("evals/s.yaml", TURNS.replace("quality at first", "quality by the instructions"));
    project.run_with(&[with("honest"), RECORD], &[]).exits(101);
    let text = project.read(&cassette(&project));
    assert!(text.contains("turn 1: output_quality") && text.contains("turn 2: output_quality"), "{text}");
    let verdict = project.verdict("s::a");
    let scores: Vec<&Json> = verdict["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter(|finding| finding["metric"] == "output_quality")
        .map(|finding| &finding["score"])
        .collect();
    assert_eq!(scores, [0.85, 0.0]);
}

const CLAIMS: &str = "
id: a
checks: {hallucination: true}
trace:
  - user: When does it ship?
  - call: look
    args: {}
    result: It ships today.
  - say: It ships today. The driver is called Ada.
";

#[test]
fn claims_without_support_fail_a_case() {
    let project = Project::empty().file("evals/s.yaml", CLAIMS);
    let ran = project.run_with(&[with("honest"), RECORD], &[]).exits(101);
    ran.says("the judge finds 1 of 2 claims without support").says("The driver is called Ada.");
    project.write("evals/s.yaml", format!("{CLAIMS}max_unsupported: 1\n"));
    project.run_with(&[with("honest"), ("ARRAIGN_OUT", "other")], &[]).exits(0);
    // Without a judge the letters of the answer have the last word.
    project.write("evals/s.yaml", CLAIMS);
    project.run_with(&[("ARRAIGN_OUT", "none")], &[]).exits(0);
}

#[test]
fn what_the_case_says_itself_is_not_asked() {
    let project = Project::of(&[asks("a", "wait", "opinions: {polite: true}")]);
    project.run_with(&[with("errs"), LIVE], &[]).exits(0).says_nothing_on_stderr();
}

#[test]
fn a_run_without_an_answer_is_not_judged() {
    let text = "id: a\ntrace: {calls: [look]}\nexpect: [{agent_check: {label: polite, prompt: Does it say please?}}]\n";
    let project = Project::empty().file("evals/s.yaml", text);
    let ran: Ran = project.run_with(&[with("errs"), LIVE], &[]).exits(101);
    ran.says("the run has no answer").says_nothing_on_stderr();
    assert_eq!(status(&project, "s::a"), "undecided");
}

/// The judge quotes a key that the run gave away.
#[test]
fn secrets_in_a_reason_are_not_kept() {
    let key = format!("sk-proj-{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2));
    let text = CLAIMS.replace("The driver is called Ada.", &format!("The key is {key}."));
    let project = Project::empty().file("evals/s.yaml", text);
    let ran = project.run_with(&[with("honest"), RECORD], &[]).exits(101);
    assert!(!ran.stdout.contains(&key) && !ran.stderr.contains(&key), "{}", ran.stdout);
    for file in project.files("evals/cassettes").into_iter().chain(project.files("out")) {
        assert!(!project.read(&file).contains(&key), "{file}");
    }
}
