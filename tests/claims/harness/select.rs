//! Which trials are run: filters, `--skip`, tiers, tags; and on how many threads.

use crate::project::{Project, case, green};

fn four() -> Project {
    Project::of(&[green("apple"), green("banana"), green("cherry"), green("apple_pie")])
}

#[test]
fn several_filters_are_any_of_them() {
    let project = four();
    assert_eq!(project.run(&["banana", "cherry"]).exits(0).names(), ["s::banana", "s::cherry"]);
    assert_eq!(project.run(&["apple"]).exits(0).names(), ["s::apple", "s::apple_pie"]);
    let exact = project.run(&["s::apple", "s::cherry", "--exact"]).exits(0);
    assert_eq!(exact.names(), ["s::apple", "s::cherry"]);
}

#[test]
fn skip_may_be_repeated_and_follows_exact() {
    let project = four();
    let ran = project.run(&["--skip", "apple", "--skip=cherry"]).exits(0);
    assert_eq!(ran.names(), ["s::banana"]);
    let exact = project.run(&["--exact", "--skip", "s::apple", "--skip", "banana"]).exits(0);
    assert_eq!(exact.names(), ["s::apple_pie", "s::banana", "s::cherry"]);
    let both = project.run(&["--exact", "s::apple", "s::banana", "--skip", "s::apple"]).exits(0);
    assert_eq!(both.names(), ["s::banana"]);
}

#[test]
fn libtests_newer_spelling_and_repeats_are_taken() {
    let project = four();
    let calls =
        ["--no-capture", "--nocapture", "--nocapture", "--show-output", "--color", "never", "--color=auto"];
    assert_eq!(project.run(&calls).exits(0).names().len(), 4);
    let formats = project.run(&["--format", "json", "--format=pretty"]).exits(0);
    assert_eq!(formats.names().len(), 4);
    project.run(&["--format", "pretty", "--format", "terse"]).exits(0).says("....");
    project.run(&["-q", "--quiet"]).exits(0).says("....");
}

#[test]
fn a_dash_in_a_filter_is_text_after_two_dashes() {
    let project = Project::of(&[green("-x"), green("y")]);
    assert_eq!(project.run(&["--", "-x"]).exits(0).names(), ["s::-x"]);
}

fn tiers() -> Project {
    Project::of(&[case("a", "look", "tier: smoke\ntags: [x, y]"), case("b", "look", "tags: z"), green("c")])
}

#[test]
fn smoke_takes_smoke_and_full_takes_all() {
    let smoke = tiers().run_with(&[("ARRAIGN_TIER", "smoke")], &[]).exits(0);
    assert_eq!(smoke.names(), ["s::a"]);
    smoke.complains("arraign: skipped by tier or tags: 2 cases");
    let full = tiers().run_with(&[("ARRAIGN_TIER", "full")], &[]).exits(0);
    assert_eq!(full.names().len(), 3);
    full.says_nothing_on_stderr();
}

#[test]
fn an_empty_tier_is_2() {
    let ran = four().run_with(&[("ARRAIGN_TIER", "smoke")], &[]).exits(2);
    assert_eq!(ran.stdout, "");
    ran.complains(
        "error: no case has the wanted tier or tag (ARRAIGN_TIER, ARRAIGN_TAGS): 4 cases were left out",
    );
}

#[test]
fn a_wrong_tier_is_2() {
    let ran = four().run_with(&[("ARRAIGN_TIER", "smok")], &[]).exits(2);
    ran.complains("error: ARRAIGN_TIER is `smok`: expected `smoke` or `full`");
}

#[test]
fn tags_select() {
    let with = |tags| tiers().run_with(&[("ARRAIGN_TAGS", tags)], &[]);
    assert_eq!(with("y").exits(0).names(), ["s::a"]);
    assert_eq!(with("z, x").exits(0).names(), ["s::a", "s::b"]);
    assert_eq!(with("").exits(0).names().len(), 3);
    with("w").exits(2).complains("3 cases were left out");
}

#[test]
fn a_variable_within_two_edits_of_a_known_one_is_2() {
    for slip in ["ARRAIGN_TEIR", "ARRAIGN_TIERS", "ARRAIN_TIER"] {
        let ran = four().run_with(&[(slip, "smoke")], &[]);
        if slip.starts_with("ARRAIGN_") {
            ran.exits(2).complains(&format!("error: unknown variable {slip}: did you mean ARRAIGN_TIER?"));
        } else {
            ran.exits(0).says_nothing_on_stderr();
        }
    }
    let ran = four().run_with(&[("ARRAIGN_COLOUR", "red")], &[]).exits(0);
    ran.complains("unknown variable ARRAIGN_COLOUR: this version does not read it");
}

#[test]
fn a_filter_that_matches_nothing_is_told() {
    for (arguments, problem) in [
        (&["refnd"][..], "no trial contains `refnd`"),
        (&["--exact", "s::refund"], "no trial is called `s::refund`; did you mean `s::a`?"),
    ] {
        let ran = four().run(arguments).exits(0);
        assert!(ran.stderr.contains(problem.split(';').next().expect("a problem")), "{}", ran.stderr);
    }
    four().run(&["--list", "refnd"]).exits(0).says_nothing_on_stderr();
}

#[test]
fn no_threads_are_refused() {
    for zero in [&["--test-threads", "0"][..], &["--test-threads=0"]] {
        four().run(zero).exits(2).complains("argument for --test-threads must not be 0");
    }
}

#[test]
fn the_variable_of_threads_is_read() {
    let with = |threads, arguments: &[&str]| four().run_with(&[("RUST_TEST_THREADS", threads)], arguments);
    assert_eq!(with("3", &[]).exits(0).names().len(), 4);
    with("0", &[]).exits(2).complains("RUST_TEST_THREADS is `0`: expected a positive integer");
    with("junk", &[]).exits(2).complains("RUST_TEST_THREADS is `junk`");
    with("junk", &["--test-threads", "2"]).exits(0).says_nothing_on_stderr();
}
