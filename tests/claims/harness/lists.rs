//! `--list`: what nextest and Bazel's wrappers read.

use crate::project::{Project, case, green};

fn three() -> Project {
    Project::of(&[green("a"), case("b", "look", "ignore: true"), case("c", "look", "ignore: no key")])
        .file("evals/deep/er/t.yaml", "{trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}")
}

#[test]
fn a_list_is_one_line_a_trial_in_every_format() {
    let project = three();
    for format in ["pretty", "terse", "json"] {
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
