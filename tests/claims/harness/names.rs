//! Names: whatever an id holds, the trial is listed on one line and runs by that line.

use crate::project::{Project, case, green, red, suite};

const STRANGE: [&str; 22] = [
    "new\nline",
    "-dash",
    "--exact",
    "a::b",
    "a%3A%3Ab",
    "::",
    "trailing ",
    " leading",
    "a\u{202e}b",
    "a\u{2066}b",
    "a\u{61c}b",
    "x: test",
    "x: benchmark",
    "tab\tbed",
    "cr\rlf\n",
    "back\\slash",
    "a/b",
    "../up",
    "100%",
    "[kind] x",
    "é日本\u{1f980}",
    "\u{1b}[31mred",
];

#[test]
fn every_listed_name_runs_exactly_one_trial() {
    let cases: String = STRANGE.iter().map(|id| green(id)).collect();
    let project = Project::empty().file("evals/s.yaml", format!("tests:\n{cases}"));
    let list = project.run(&["--list"]).exits(0);
    assert_eq!(list.stdout.lines().count(), STRANGE.len(), "{}", list.stdout);
    assert!(!list.stdout.contains(is_strange), "{:?}", list.stdout);
    for name in list.names() {
        let ran = project.run(&["--exact", name, "--nocapture"]).exits(0).says_nothing_on_stderr();
        assert_eq!(ran.names(), [name]);
        assert_eq!(project.run(&["--list", name, "--exact"]).exits(0).names(), [name]);
    }
}

fn is_strange(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}')
}

#[test]
fn strange_files_and_folders_are_named_too() {
    let one = "{trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}";
    let files =
        ["-dash.yaml", "a b/c.d.yml", "co:lon/x::y.json", "é/--list.jsonl", "a.yaml/x.yaml", "50%.yaml"];
    let project =
        files.iter().fold(Project::empty(), |project, file| project.file(&format!("evals/{file}"), one));
    let list = project.run(&["--list"]).exits(0);
    assert_eq!(list.names().len(), files.len(), "{}", list.stdout);
    for name in list.names() {
        assert!(!name.starts_with('-'), "{name}");
        assert_eq!(project.run(&["--exact", name]).exits(0).names(), [name]);
    }
}

#[test]
fn two_files_that_make_one_name_are_refused_with_both_places() {
    let one = "{id: b, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}";
    let project = Project::empty().file("evals/x/a.yaml", one).file("evals/x.yaml", suite(&[]));
    project.write(
        "evals/x.yaml",
        "tests:\n  - {id: c, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}\n",
    );
    project.run(&[]).exits(0);
    project.write("evals/x/a.yaml", one.replace("id: b, ", ""));
    project.write("evals/x.yaml", suite(&[green("a")]));
    let ran = project.run(&[]).exits(2);
    assert_eq!(ran.stdout, "");
    ran.complains("two cases make the trial `x::a`")
        .complains("evals/x.yaml:2:9")
        .complains("evals/x/a.yaml:1:1");
}

#[test]
fn two_ids_of_one_file_are_refused_with_both_places() {
    let ran = Project::of(&[green("a"), red("a")]).run(&[]).exits(2);
    ran.complains("duplicate id `a`: line 2 has it already").complains("--> evals/s.yaml:5:9");
}

#[test]
fn siblings_of_one_stem_are_refused() {
    let project = Project::of(&[green("a")]).file("evals/s.json", r#"{"id": "b"}"#);
    let ran = project.run(&["--list"]).exits(2);
    ran.complains("evals/s.yaml").complains("`evals/s.json` has the same stem");
}

#[test]
fn a_file_of_cases_with_an_extension_in_capitals_is_refused() {
    let project =
        Project::of(&[green("a")]).file("evals/b.YAML", "{id: b}").file("evals/traces/c.JSON", "{}");
    let ran = project.run(&["--list"]).exits(2);
    ran.complains("evals/b.YAML").complains("rename it to `evals/b.yaml`");
    project.write("evals/.arraignignore", "b.YAML\n");
    project.run(&["--list"]).exits(0);
}

#[test]
fn a_rerun_command_can_be_pasted() {
    let project = Project::of(&[case("it's $HOME; a b", "rm", "")]);
    let ran = project.run(&[]).exits(101);
    let line = ran.stdout.lines().find_map(|line| line.split_once("-- --exact ")).expect("a rerun command");
    let shell = std::process::Command::new("sh").args(["-c", &format!("printf %s {}", line.1)]).output();
    let pasted = String::from_utf8(shell.expect("a shell").stdout).expect("a name");
    assert_eq!(project.run(&["--exact", &pasted]).exits(101).names(), [pasted.as_str()]);
}

#[test]
fn reserved_ids_are_refused() {
    Project::of(&[green("run_1"), green("pass_threshold"), green(" ")])
        .run(&[])
        .exits(2)
        .complains("the id `run_1` is reserved")
        .complains("the id `pass_threshold` is reserved")
        .complains("an id cannot be empty");
}
