//! Comparisons with a baseline are held against EvalView's, and their cost against a bound.

use arraign::__internals::score::compare::{
    ComparedRun, Comparison, ComparisonStatus, EditKind, Limits, similarity,
};
use arraign::Trace;
use arraign::json::{self, Json, json};
use arraign::trace::{Arguments, Call, Role};

use crate::project::Project;

fn goldens() -> Vec<Json> {
    let text = include_str!("../goldens/evalview/diff.json");
    let goldens: Json = json::from_str(text).expect("valid JSON");
    goldens["cases"].as_array().expect("cases").to_vec()
}

/// Goldens that differ, and how: status and number of edits here.
const DIFFERENCES: &[(&str, ComparisonStatus, usize)] = &[
    // 1 is 1.0.
    ("param_type", ComparisonStatus::Passed, 0),
];

fn trace(side: &Json) -> Trace {
    let mut trace = Trace { answer: side["output"].as_str().map(str::to_owned), ..Trace::default() };
    for tool in side["tools"].as_array().expect("tools") {
        let name = tool.as_str().or(tool["name"].as_str()).expect("a name");
        trace.push_call(Call::new(name, Arguments::from_json(tool["params"].clone()), 1));
    }
    trace
}

/// The original's cut of the answer is fixed at 0.95.
fn limits(config: &Json) -> Limits {
    let mut limits = Limits { similarity: Some(0.95), ..Limits::default() };
    if let Some(points) = config["score_regression_threshold"].as_f64() {
        limits.max_drop = points;
    }
    limits
}

fn compare(golden: &Json) -> Comparison {
    let input = &golden["input"];
    let baseline = trace(&input["golden"]);
    let actual = trace(&input["actual"]);
    let score = |field: &str| input[field].as_f64().expect("a score");
    let baseline = ComparedRun { trace: &baseline, score: score("golden_score"), passed: true };
    let actual = ComparedRun { trace: &actual, score: score("actual_score"), passed: true };
    Comparison::of(&baseline, &actual, &limits(&input["config"]))
}

/// The edits in the golden's words.
fn edits(comparison: &Comparison) -> Vec<Json> {
    let edits = comparison.edits.iter();
    edits
        .map(|edit| {
            json!({
                "type": edit.kind, "position": edit.position,
                "golden": edit.baseline, "actual": edit.actual,
            })
        })
        .collect()
}

fn their_edits(golden: &Json) -> Vec<Json> {
    let edits = golden["output"]["tool_diffs"].as_array().expect("edits").iter();
    edits
        .map(|edit| {
            json!({
                "type": edit["type"], "position": edit["position"],
                "golden": edit["golden"], "actual": edit["actual"],
            })
        })
        .collect()
}

#[test]
fn goldens_agree_but_for_the_listed_differences() {
    for golden in goldens() {
        let id = &golden["id"];
        let output = &golden["output"];
        let comparison = compare(&golden);
        assert_eq!(json!(comparison.score_diff), output["score_diff"], "{id}");
        assert_eq!(json!(comparison.output_similarity), output["output_similarity"], "{id}");
        if let Some((_, change, count)) = DIFFERENCES.iter().find(|(name, ..)| id == name) {
            assert_eq!((comparison.change, comparison.edits.len()), (*change, *count), "{id}");
            continue;
        }
        assert_eq!(json!(comparison.change), output["status"], "{id}");
        assert_eq!(edits(&comparison), their_edits(&golden), "{id}");
    }
}

#[test]
fn each_listed_difference_is_one() {
    for (id, change, _) in DIFFERENCES {
        let goldens = goldens();
        let golden = goldens.iter().find(|golden| golden["id"] == *id).expect("it is among the goldens");
        assert_ne!(golden["output"]["status"], json!(change), "{id}");
    }
}

fn calls(names: &[&str]) -> Trace {
    trace(&json!({"tools": names, "output": "done"}))
}

fn between(baseline: &Trace, actual: &Trace) -> Comparison {
    let run = |trace| ComparedRun { trace, score: 80.0, passed: true };
    Comparison::of(&run(baseline), &run(actual), &Limits::default())
}

#[test]
fn two_calls_replaced_by_one_are_two_edits() {
    let comparison = between(&calls(&["a", "b", "c", "d"]), &calls(&["a", "x", "d"]));
    assert_eq!(comparison.script(), "~ call 2: `b` became `x`\n- call 3: `c`");
    let comparison = between(&calls(&["a", "x", "d"]), &calls(&["a", "b", "c", "d"]));
    assert_eq!(comparison.script(), "~ call 2: `x` became `b`\n+ call 3: `c`");
    assert_eq!(comparison.edits[1].kind, EditKind::Added);
}

#[test]
fn changed_arguments_are_named_with_both_values() {
    let with = |params: Json| trace(&json!({"tools": [{"name": "a", "params": params}], "output": ""}));
    let before = with(json!({"q": "cats", "n": 1, "deep": {"on": true}, "x": 1, "y": 2}));
    let after = with(json!({"q": "dogs", "n": true, "deep": {"on": 1}, "z": 3}));
    let comparison = between(&before, &after);
    assert_eq!(comparison.change, ComparisonStatus::ToolsChanged);
    let line =
        r#"~ call 1: `a`, /q: "cats" became "dogs", /n: 1 became true, /deep/on: true became 1, and more"#;
    assert_eq!(comparison.script(), line);
}

#[test]
fn the_worst_difference_names_the_comparison() {
    let before = calls(&["a"]);
    let after = trace(&json!({"tools": ["b"], "output": "other"}));
    let of = |score: f64, passed: bool, limits: &Limits| {
        let baseline = ComparedRun { trace: &before, score: 90.1, passed: true };
        Comparison::of(&baseline, &ComparedRun { trace: &after, score, passed }, limits)
    };
    let limits = Limits::default();
    let dropped = of(85.09, true, &limits);
    assert_eq!((dropped.change, dropped.fails(&limits)), (ComparisonStatus::Regression, true));
    assert_eq!(dropped.claim(), "the score fell by 5.01 points from the baseline");
    let kept = of(85.1, true, &limits);
    assert_eq!(
        (kept.change, kept.fails(&limits)),
        (ComparisonStatus::ToolsChanged, false),
        "a drop of exactly 5 is allowed"
    );
    let failing = of(99.0, false, &limits);
    assert_eq!(failing.change, ComparisonStatus::Regression);
    assert_eq!(failing.claim(), "the baseline passed, this run does not");
    assert_eq!(of(f64::NAN, true, &limits).change, ComparisonStatus::Regression);
}

#[test]
fn a_score_drop_with_the_same_calls_and_answer_is_a_regression() {
    let run = calls(&["a"]);
    let [before, after] = [90.0, 60.0].map(|score| ComparedRun { trace: &run, score, passed: true });
    assert_eq!(Comparison::of(&before, &after, &Limits::default()).change, ComparisonStatus::Regression);
    assert_eq!(Comparison::of(&after, &before, &Limits::default()).change, ComparisonStatus::Passed);
}

#[test]
fn answers_must_be_equal_or_as_alike_as_is_set() {
    let with = |answer: Json| trace(&json!({"tools": [], "output": answer}));
    let before = with(json!("It ships today."));
    let after = with(json!("It ships today!"));
    let change = |before: &Trace, after: &Trace, similarity| {
        let run = |trace| ComparedRun { trace, score: 0.0, passed: false };
        Comparison::of(&run(before), &run(after), &Limits { similarity, ..Limits::default() }).change
    };
    assert_eq!(change(&before, &after, None), ComparisonStatus::OutputChanged);
    assert_eq!(change(&before, &after, Some(0.93)), ComparisonStatus::Passed);
    assert_eq!(change(&before, &after, Some(0.94)), ComparisonStatus::OutputChanged);
    assert_eq!(change(&with(Json::Null), &with(json!("")), Some(0.1)), ComparisonStatus::OutputChanged);
    let long = |end: &str| with(json!("a".repeat(10_000) + end));
    let claim = between(&long("b"), &long("c")).claim();
    assert_eq!(claim, "the answer is not that of the baseline: they are 99.9% alike");
    assert_eq!(change(&with(Json::Null), &with(Json::Null), None), ComparisonStatus::Passed);
}

#[test]
fn settings_that_cannot_be_meant_are_refused() {
    for (json, error) in [
        (r#"{"max_drop": -1}"#, "points from 0 to 100"),
        (r#"{"similarity": 95}"#, "expected a share from 0 to 1, such as 0.95, found `95`"),
        (r#"{"fail_on": ["PASSED"]}"#, "shows no difference"),
        (r#"{"fail_on": ["regression"]}"#, "unknown variant"),
        (r#"{"drop": 1}"#, "unknown field"),
    ] {
        let refused = json::from_str::<Limits>(json).expect_err(json).to_string();
        assert!(refused.contains(error), "{refused}");
    }
    let limits: Limits = json::from_str(r#"{"fail_on": ["TOOLS_CHANGED"]}"#).expect("settings");
    assert!(between(&calls(&["a"]), &calls(&["b"])).fails(&limits));
}

#[test]
fn a_comparison_survives_the_way_through_json() {
    let comparison = between(&calls(&["a", "b"]), &calls(&["b", "c"]));
    let json = json::to_string(&comparison).expect("JSON");
    assert_eq!(json::from_str::<Comparison>(&json).expect("a comparison"), comparison);
}

/// Ratios that Python's `difflib.SequenceMatcher(None, one, other, autojunk=False)` gives.
#[test]
fn likeness_is_that_of_python() {
    for (one, other, ratio) in [
        ("", "", 1.0),
        ("", "a", 0.0),
        ("abcd", "bcde", 0.75),
        ("tide", "diet", 0.25),
        ("diet", "tide", 0.5),
        ("naïve café", "naive cafe", 0.8),
        ("private Thread currentThread;", "private volatile Thread currentThread;", 0.865_671_641_791_044_8),
    ] {
        assert!((similarity(one, other) - ratio).abs() < 1e-15, "{one} {other}: {}", similarity(one, other));
    }
}

/// Words that mean nothing.
fn prose(words: usize) -> String {
    let mut seed = 1_u64;
    let mut word = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:x}", (seed >> 33) % 5_000)
    };
    (0..words).map(|_| word()).collect::<Vec<_>>().join(" ")
}

#[test]
fn long_answers_do_not_hang() {
    let text = prose(24_000);
    let edited = text.replace(" 1f", " the ");
    let rare: String = (0..50_000).filter_map(|at| char::from_u32(0x4e00 + at % 20_000)).collect();
    let reversed: String = rare.chars().rev().collect();
    for (one, other, least) in [
        (text.as_str(), edited.as_str(), 0.99),
        (&"ab".repeat(50_000), &"aab".repeat(33_000), 0.0),
        (&rare, &reversed, 0.0),
        (&"a".repeat(2_000_000), &"a".repeat(1_999_999), 0.99),
    ] {
        let alike = similarity(one, other);
        assert!((least..=1.0).contains(&alike), "{alike}");
    }
}

#[test]
fn many_calls_do_not_hang() {
    let names = ["search", "read", "write", "search", "read"];
    let run = |count: usize| calls(&(0..count).map(|at| names[at * at % 5]).collect::<Vec<_>>());
    let comparison = between(&run(20_000), &run(19_000));
    assert_eq!(comparison.edits.len(), 1_000);
}

#[test]
fn a_call_that_fails_now_or_goes_to_another_server_is_a_change() {
    use arraign::trace::{CallStatus, ToolServer};
    let run = |status: CallStatus, server: ToolServer| {
        let mut run = calls(&["look"]);
        run.calls[0].status = status;
        run.calls[0].server = server;
        run
    };
    let shop = || ToolServer::Named("shop".to_owned());
    let before = run(CallStatus::Ok, shop());
    let change = |after: &Trace| {
        let comparison = between(&before, after);
        (comparison.change, comparison.script())
    };
    let failed = change(&run(CallStatus::Error, shop()));
    assert_eq!(failed, (ComparisonStatus::ToolsChanged, "~ call 1: `look`, now it fails".to_owned()));
    let moved = change(&run(CallStatus::Ok, ToolServer::Named("evil".to_owned())));
    assert_eq!(moved.1, "~ call 1: `look`, server `shop` became `evil`");
    // What one side does not record is no difference.
    for (status, server) in [(CallStatus::Unknown, shop()), (CallStatus::Ok, ToolServer::NotRecorded)] {
        assert_eq!(change(&run(status, server)).0, ComparisonStatus::Passed);
    }
}

/// Runs beside an accepted one: how each ended or what it lacks, and the verdict.
/// A conversation with this many calls in each of its turns.
fn conversation(turns: &[&[&str]]) -> Trace {
    let mut trace = Trace::default();
    for (turn, names) in turns.iter().enumerate() {
        trace.push_message(Role::User, format!("question {turn}"));
        for name in *names {
            trace.push_call(Call::new(*name, Arguments::none(), turn + 1));
        }
    }
    trace
}

#[test]
fn an_edit_names_the_turn_of_a_conversation() {
    let before = conversation(&[&["find"], &[], &["find", "pay", "tell"]]);
    let after = conversation(&[&["find"], &["log"], &["find", "sell"]]);
    let comparison = between(&before, &after);
    assert_eq!(
        comparison.script(),
        "+ call 2 (turn 2): `log`\n~ call 3 (turn 3): `pay` became `sell`\n- call 4 (turn 3): `tell`"
    );
    let one = between(&conversation(&[&["find"]]), &conversation(&[&["find", "log"]]));
    assert_eq!(one.script(), "+ call 2: `log`");
}

#[test]
fn a_run_that_does_not_show_everything_is_no_unchanged_one() {
    let accepted = json!({
        "calls": [{"call": "get", "result": "ok"}, {"call": "refund", "args": {"id": 1}, "result": "ok"}],
        "answer": "done",
    });
    let with = |pointer: &str, key: &str, value: Json| {
        let mut run = accepted.clone();
        run.pointer_mut(pointer).expect(pointer)[key] = value;
        run
    };
    let mut longer = with("", "ended", "failed".into());
    longer["calls"].as_array_mut().expect("calls").push(json!({"call": "cancel", "result": "ok"}));
    let mut shorter = with("", "ended", "failed".into());
    shorter["calls"].as_array_mut().expect("calls").pop();
    for (run, verdict) in [
        (with("", "duration_ms", 5.into()), "pass"),
        (with("", "ended", "failed".into()), "undecided"),
        (with("", "stop_reason", "max_tokens".into()), "undecided"),
        (with("", "calls_unrecorded", true.into()), "undecided"),
        (with("/calls/1", "result", "Error: 403 forbidden".into()), "undecided"),
        (longer, "fail"),
        (shorter, "undecided"),
    ] {
        let suite = "tests:\n  - id: a\n    trace: traces/a.json\n\
                     \x20   baseline: {file: traces/b.json, fail_on: [REGRESSION, TOOLS_CHANGED, OUTPUT_CHANGED]}\n";
        let project = Project::empty()
            .file("evals/s.yaml", suite)
            .file("evals/traces/a.json", run.to_string())
            .file("evals/traces/b.json", accepted.to_string());
        project.run(&[]);
        assert_eq!(project.verdict("s::a")["status"], verdict, "{run}");
    }
}
