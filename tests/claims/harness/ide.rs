//! The command lines that IDEs and nextest send, and what they look for in the output.

use serde::Deserialize;

use crate::project::{Project, Ran, case, green, own, red, suite};

use arraign::json::{self, Json};

const JETBRAINS: [&str; 4] = ["-Z", "unstable-options", "--format=json", "--show-output"];

fn events(stdout: &str) -> Vec<Json> {
    let event = |line: &str| json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    stdout.lines().map(event).collect()
}

/// The text of the one failure.
fn failure(events: &[Json]) -> &str {
    let failed = |event: &&Json| event["type"] == "test" && event["event"] == "failed";
    let failed: Vec<&Json> = events.iter().filter(failed).collect();
    let [one] = failed.as_slice() else { panic!("not one failure: {events:?}") };
    one["stdout"].as_str().expect("the event has a text")
}

#[test]
fn jetbrains_reads_only_json_and_finds_the_place() {
    let project = Project::of(&[green("a"), red("it's \"b\" \\ é"), case("c", "rm", "ignore: why \"not\"")]);
    let ran = project.run(&JETBRAINS).exits(101).says_nothing_on_stderr();
    let events = events(&ran.stdout);
    let text = failure(&events);
    let heading =
        text.lines().find(|line| line.starts_with("thread '")).expect("a line that JetBrains looks for");
    assert!(heading.ends_with(" panicked at evals/s.yaml:7:32:"), "{heading}");
    assert!(
        text.contains("error[tool_blocklist]: `rm` is blocked, but was called\n --> evals/s.yaml:7:32\n"),
        "{text}"
    );
    assert_eq!(events.last().expect("a summary")["event"], "failed");
    let ignored = events.iter().any(|event| event["name"] == "s::c" && event["event"] == "ignored");
    assert!(ignored, "{}", ran.stdout);
}

/// The events as rust-analyzer reads them: `CargoTestOutput` in its `test_runner.rs`. It shows a line that is not an event as text.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum RustAnalyzerEvent {
    Test {
        name: String,
        #[serde(flatten)]
        state: RustAnalyzerState,
    },
    Suite,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "camelCase")]
enum RustAnalyzerState {
    Started,
    Ok,
    Ignored,
    Failed { stdout: String },
}

/// The events as JetBrains reads them: `LibtestTestMessage` and `LibtestSuiteMessage` in `CargoTestEventsConverter.kt`.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum JetBrainsEvent {
    Test { event: String, name: String },
    Suite { event: String, test_count: Option<u64> },
}

#[test]
fn the_events_have_the_fields_that_the_clients_read() {
    let project = Project::of(&[green("a"), red("b"), case("c", "rm", "ignore: why")]);
    let ran = project.run(&JETBRAINS).exits(101);
    let mut states = Vec::new();
    for line in ran.stdout.lines() {
        let event = json::from_str(line).unwrap_or_else(|error| panic!("rust-analyzer: {error}: {line}"));
        if let RustAnalyzerEvent::Test { name, state } = event {
            states.push(match state {
                RustAnalyzerState::Started => format!("{name} started"),
                RustAnalyzerState::Ok => format!("{name} ok"),
                RustAnalyzerState::Ignored => format!("{name} ignored"),
                RustAnalyzerState::Failed { stdout } => {
                    format!("{name} {}", stdout.contains("`rm` is blocked"))
                }
            });
        }
        match json::from_str(line).unwrap_or_else(|error| panic!("JetBrains: {error}: {line}")) {
            JetBrainsEvent::Test { event, name } => {
                assert!(["started", "ok", "failed", "ignored"].contains(&event.as_str()), "{line}");
                // It doubles each backslash of a name, and ends the name at the first quote.
                assert!(!name.contains(['"', '\\']), "{line}");
            }
            // The first event of a suite has the number of its tests, or no tree is shown.
            JetBrainsEvent::Suite { event, test_count } => {
                assert_eq!(event == "started", test_count == Some(3), "{line}");
            }
        }
    }
    states.sort();
    assert_eq!(
        states,
        ["s::a ok", "s::a started", "s::b started", "s::b true", "s::c ignored", "s::c started"]
    );
}

#[test]
fn jetbrains_shows_the_text_between_the_heading_and_the_note() {
    let project = Project::of(&[red("a")]);
    let events = events(&project.run(&JETBRAINS).exits(101).stdout);
    let text = failure(&events);
    // `thread '.*' panicked at (\\S*)\\n...(note|stack backtrace):`, each at the beginning of its line.
    let (_, shown) = text.split_once("\nthread '").expect("the heading");
    let (heading, shown) = shown.split_once('\n').expect("lines");
    let (_, place) = heading.split_once("' panicked at ").expect("a place");
    assert!(!place.contains(' '), "{place}");
    let (message, _) = shown.split_once("\nnote: ").expect("the note at the end");
    assert!(message.starts_with("error[tool_blocklist]: `rm` is blocked"), "{text}");
    assert!(message.contains("= rerun: "), "{text}");
}

#[test]
fn a_broken_file_has_a_place_for_jetbrains_too() {
    let project = Project::empty().file("evals/x.yaml", "{id: a,\n metric: nosuch}");
    let arguments = [&JETBRAINS[..], &["--exact", "x::a"]].concat();
    let ran = project.run(&arguments).exits(101).says_nothing_on_stderr();
    let events = events(&ran.stdout);
    assert!(failure(&events).contains("\nthread 'x::a' panicked at evals/x.yaml:2:10:\n"), "{}", ran.stdout);
}

/// A workspace whose member `shop` has a red trial, and one that is undecided by a file.
fn member() -> Project {
    let undecided = r"- {id: b, input: Hello, metric: tool_blocklist, blocklist: [rm], trace: traces/b.json}";
    Project::bare()
        .file("Cargo.toml", "[workspace] # ours\nmembers = [\"crates/*\"]\n")
        .file("crates/shop/Cargo.toml", "[package]\nname = \"shop\"\n")
        .file("crates/shop/evals/s.yaml", suite(&[red("a")]))
        .file(
            "crates/shop/evals/u.yaml",
            format!("tests:\n  {undecided}\n  {}\n", undecided.replace("id: b", "id: c")),
        )
        .file("crates/shop/evals/traces/b.json", r#"{"steps": [{"user": "Bye"}, {"say": "Bye"}]}"#)
}

fn run_member(project: &Project, arguments: &[&str]) -> Ran {
    let folder = project.path("crates/shop");
    let mut command = project.command(arguments);
    Ran::of(command.current_dir(&folder).env("CARGO_MANIFEST_DIR", &folder).env("CARGO_PKG_NAME", "shop"))
}

#[test]
fn places_in_a_member_are_links_from_the_root_of_the_workspace() {
    let project = member();
    let ran = run_member(&project, &[]).exits(101);
    let ran =
        ran.says(" --> crates/shop/evals/s.yaml:4:32\n").says("= trace: crates/shop/evals/traces/b.json");
    let ran = ran.says("= rerun: cargo test -p shop --test subject -- --exact s::a\n");
    ran.complains("cargo arraign explain crates/shop/evals/traces/b.json");
    let events = events(&run_member(&project, &[&JETBRAINS[..], &["--exact", "s::a"]].concat()).stdout);
    assert!(failure(&events).contains(" panicked at crates/shop/evals/s.yaml:4:32:\n"));
}

#[test]
fn verdicts_of_a_member_keep_paths_of_its_package() {
    let project = member();
    run_member(&project, &["--exact", "s::a"]).exits(101);
    let log = project.files("out").into_iter().find(|file| file.contains(".jsonl")).expect("a log");
    let verdict: Json = json::from_str(&project.read(&log)).expect("a verdict");
    assert_eq!(verdict["case"]["file"], "evals/s.yaml");
}

#[test]
fn mistakes_in_a_member_are_links_from_the_root_of_the_workspace() {
    let project = member().file("crates/shop/evals/x.yaml", "{id: a, metric: nosuch}");
    run_member(&project, &[]).exits(2).complains(" --> crates/shop/evals/x.yaml:1:17");
    let events = events(&run_member(&project, &[&JETBRAINS[..], &["--exact", "x::a"]].concat()).stdout);
    assert!(failure(&events).contains(" panicked at crates/shop/evals/x.yaml:1:17:\n"));
}

#[test]
fn rust_analyzer_runs_one_trial_though_it_is_ignored() {
    let project = Project::of(&[case("a", "look", "ignore: needs a key"), red("b")]);
    let ran = project.run(&["s::a", "--exact", "--nocapture", "--include-ignored"]).exits(0);
    assert_eq!(ran.results().into_iter().collect::<Vec<_>>(), [("s::a", "ok")]);
    ran.says_nothing_on_stderr();
}

#[test]
fn rust_analyzers_explorer_runs_a_path() {
    let project = Project::of(&[green("a")])
        .file("evals/t/u.yaml", "{id: b, metric: says, status: fail, trace: {calls: [x]}}");
    let ran = project.run(&["t::u", "-Z", "unstable-options", "--format=json"]).exits(101);
    assert!(failure(&events(&ran.stdout)).contains("told to fail"), "{}", ran.stdout);
}

#[test]
fn nextest_finds_its_heading_on_stderr() {
    let project = Project::of(&[
        red("claim"),
        own("panic", "panics: {message: \"oh\\nno\"}", ""),
        own("late", "sleeps: {ms: 20000}", "timeout: 20ms"),
        case("other", "look", "expect_verdict: fail"),
        green("fine"),
    ])
    .file("evals/typo.yaml", "{id: a, metric: nosuch}");
    let headings = [
        ("s::claim", "Error: tool_blocklist: `rm` is blocked, but was called at evals/s.yaml:4:32\n"),
        ("s::panic", "Error: panics: the check panicked: oh\\nno at evals/s.yaml:7:15\n"),
        ("s::late", "Error: timed out: the case's `timeout` is 20ms at evals/s.yaml:8:9\n"),
        ("s::other", "Error: the verdict is pass, not fail at evals/s.yaml:12:9\n"),
        ("s::fine", ""),
    ];
    let run = |name| project.run_with(&[("NEXTEST", "1")], &["--exact", name, "--nocapture"]);
    for (name, heading) in headings {
        assert_eq!(run(name).stderr, heading);
    }
    let broken = run("typo::a").exits(101).stderr;
    assert!(broken.starts_with("Error: evals/typo.yaml:1:17: unknown metric `nosuch`"), "{broken}");
    assert_eq!(broken.lines().count(), 1, "{broken}");
}

#[test]
fn remarks_stay_off_a_stream_of_events() {
    let project = Project::of(&[case("a", "look", "tier: smoke"), green("b")]);
    project.write("evals/s.yaml", format!("output: {{format: [sarif]}}\n{}", project.read("evals/s.yaml")));
    let variables = [("ARRAIGN_TIER", "smoke"), ("ARRAIGN_COLOUR", "x")];
    let ran = project.run_with(&variables, &JETBRAINS).exits(0).complains("skipped by tier or tags: 1 case");
    events(&ran.stdout);
}
