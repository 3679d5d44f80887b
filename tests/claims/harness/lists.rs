//! `--list`: what nextest and Bazel's wrappers read.

use crate::project::{Project, case, green};
use arraign::json::{self, Json, json};

fn three() -> Project {
    Project::of(&[green("a"), case("b", "look", "ignore: true"), case("c", "look", "ignore: no key")])
        .file("evals/deep/er/t.yaml", "{trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}")
}

#[test]
fn a_list_is_one_line_a_trial() {
    let project = three();
    for format in ["pretty", "terse"] {
        let ran = project.run(&["--list", "--format", format]).exits(0).says_nothing_on_stderr();
        assert_eq!(ran.stdout, "deep::er::t: test\ns::a: test\ns::b: test\ns::c: test\n", "{format}");
    }
}

#[test]
fn a_list_of_the_ignored_holds_only_these() {
    let ran = three().run(&["--list", "--format", "terse", "--ignored"]).exits(0).says_nothing_on_stderr();
    assert_eq!(ran.stdout, "s::b: test\ns::c: test\n");
}

#[test]
fn a_list_of_a_broken_file_is_2_and_says_why_on_stderr() {
    let project = three().file("evals/broken.yaml", "{id: x, metric: nosuch}");
    for arguments in [&["--list", "--format", "terse"][..], &["--list", "--format", "terse", "--ignored"]] {
        let ran = project.run(arguments).exits(2).complains("unknown metric `nosuch`");
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn a_list_takes_filters() {
    let project = three();
    assert_eq!(project.run(&["--list", "er::"]).exits(0).names(), ["deep::er::t"]);
    assert_eq!(project.run(&["--list", "::a", "::b"]).exits(0).names(), ["s::a", "s::b"]);
    assert_eq!(project.run(&["--list", "s::a", "--exact"]).exits(0).names(), ["s::a"]);
    assert_eq!(project.run(&["--list", "--skip", "s::"]).exits(0).names(), ["deep::er::t"]);
}

#[test]
fn a_list_may_be_empty() {
    assert_eq!(Project::empty().run(&["--list"]).exits(0).stdout, "");
    assert_eq!(three().run_with(&[("ARRAIGN_TIER", "smoke")], &["--list"]).exits(0).stdout, "");
    assert_eq!(three().run(&["--list", "nothing"]).exits(0).stdout, "");
}

#[test]
fn a_list_writes_nothing() {
    let project = three();
    project.run(&["--list"]).exits(0);
    assert!(project.files("out").is_empty());
}

#[test]
fn a_json_list_has_the_place_the_tier_and_the_tags_of_each_trial() {
    let project = three().file(
        "evals/t-2.yaml",
        "gate: {mean: 0.5}\ntests:\n  - id: two words\n    tier: smoke\n    tags: [x, y]\n    metric: tool_blocklist\n    \
         blocklist: [rm]\n    trace: {calls: [look]}\n",
    );
    let ran = project.run(&["--list", "--format", "json"]).exits(0).says_nothing_on_stderr();
    let lines: Vec<Json> =
        ran.stdout.lines().map(|line| json::from_str(line).expect("each line is JSON")).collect();
    let root = project.path("evals");
    assert_eq!(lines[0], json!({"type": "suite", "event": "discovery", "root": root}));
    let last =
        json!({"type": "suite", "event": "completed", "tests": 6, "benchmarks": 0, "total": 6, "ignored": 2});
    assert_eq!(lines.last(), Some(&last));
    let find = |name: &str| lines.iter().find(|line| line["name"] == name).expect("the trial is listed");
    let expected = json!({
        "type": "test", "event": "discovered", "name": "t-2::two words", "ignore": false, "ignore_message": "",
        "source_path": root.join("t-2.yaml"), "start_line": 3, "start_col": 9, "end_line": 8, "end_col": 27,
        "identifier": "t__2::two_0x20_words", "tier": "smoke", "tags": ["x", "y"],
    });
    assert_eq!(find("t-2::two words"), &expected);
    assert_eq!(find("s::c")["ignore_message"], "no key");
    let gate = find("t-2::pass_threshold");
    assert_eq!((&gate["start_line"], &gate["tier"], &gate["tags"]), (&json!(1), &json!("full"), &json!([])));
}

#[test]
fn a_json_list_takes_filters_and_the_flag_for_ignored_trials() {
    let names = |arguments: &[&str]| {
        let ran = three().run(&[&["--list", "--format", "json"], arguments].concat()).exits(0);
        let lines = ran.stdout.lines().map(|line| json::parse(line).expect("JSON"));
        lines.filter_map(|line| line["name"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(names(&["--ignored"]), ["s::b", "s::c"]);
    assert_eq!(names(&["er::"]), ["deep::er::t"]);
    assert_eq!(names(&["::a", "::b"]), ["s::a", "s::b"]);
    assert_eq!(names(&["--skip", "s::"]), ["deep::er::t"]);
}
