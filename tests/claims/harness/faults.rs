//! What a run does when the system fails it: a full disk, no handles, other runs beside it.

use std::process::{Command, Stdio};

use arraign::__internals::harness::runs::StoredRun;

use crate::project::{Project, Ran, green, red, subject};

/// Runs the test target in a shell that has set `limits`.
fn run_limited(project: &Project, limits: &str, variables: &[(&str, &str)]) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limits}; exec \"$0\" --test-threads 1")]).arg(subject());
    for (name, value) in project.command(&[]).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Ran::of(command.envs(variables.iter().copied()).current_dir(project.path("")))
}

/// No file may grow beyond so many blocks of 512 bytes. A write beyond that is cut, as on a full disk, and fails.
fn limit_files(blocks: u32) -> String {
    format!("trap '' XFSZ; ulimit -f {blocks}")
}

#[test]
fn a_disk_that_fills_up_is_2_and_loses_no_verdict_before() {
    let cases: Vec<String> = (0..60).map(|number| red(&format!("c{number}"))).collect();
    let project = Project::of(&cases);
    let ran = run_limited(&project, &limit_files(40), &[]).exits(2);
    ran.complains("cannot write verdicts below").complains("File too large");
    let [log] = &project.logs("out")[..] else { panic!("{:?}", project.files("out")) };
    let stored = StoredRun::open(&[project.path(log).parent().expect("a folder").to_owned()]).expect("a run");
    assert!(stored.trials() > 5 && stored.torn() <= 1, "{} trials", stored.trials());
    assert_eq!(stored.trials() + stored.missing(), 60);
    let mut failed = 0;
    stored.visit_verdicts(|verdict| failed += usize::from(!verdict.passed)).expect("whole lines");
    assert_eq!(failed, stored.trials());
}

#[test]
fn a_disk_without_space_for_the_manifest_or_the_reports_is_2() {
    let project = Project::of(&[green("a")]);
    run_limited(&project, &limit_files(0), &[]).exits(2).complains("cannot write verdicts below");
    let cases: Vec<String> = (0..10).map(|number| green(&format!("c{number}"))).collect();
    let project = Project::of(&cases);
    let ran = run_limited(&project, &limit_files(60), &[("ARRAIGN_REPORT", "html")]).exits(2);
    assert_eq!(ran.results().into_values().filter(|result| *result == "ok").count(), 10, "{ran:?}");
    ran.complains("report.html");
    assert!(
        !project.files("out").iter().any(|file| file.contains("report.html")),
        "{:?}",
        project.files("out")
    );
}

#[test]
fn a_recording_that_cannot_be_written_leaves_the_earlier_one() {
    let long = "x".repeat(40_000);
    let case = |question: &str| {
        format!(
            "tests:\n  - {{id: a, input: '{question}', agent: looks, expect: [{{tool_blocklist: [rm]}}]}}\n"
        )
    };
    let project = Project::empty().file("evals/s.yaml", case("short"));
    let record = [("ARRAIGN_AGENT_MODE", "record")];
    project.run_with(&record, &[]).exits(0);
    let before = project.read("evals/traces/s/a.json");
    project.write("evals/s.yaml", case(&long));
    let ran = run_limited(&project, &limit_files(40), &record);
    assert!(matches!(ran.code, Some(2 | 101)), "{ran:?}");
    assert!(format!("{}{}", ran.stdout, ran.stderr).contains("File too large"), "{ran:?}");
    assert_eq!(project.read("evals/traces/s/a.json"), before);
    assert_eq!(project.files("evals"), ["evals/s.yaml", "evals/traces/s/a.json"]);
}

#[test]
fn a_process_with_few_handles_says_so_or_passes() {
    let project = Project::empty()
        .file("evals/s.yaml", "{id: s, trace: traces/t.json, expect: [{tool_blocklist: [rm]}]}");
    project.write("evals/traces/t.json", "{\"calls\": [\"look\"], \"answer\": \"done\"}");
    for handles in 3..12 {
        let ran = run_limited(&project, &format!("ulimit -n {handles}"), &[]);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        match ran.code {
            Some(0) => assert!(said.contains("1 passed"), "{handles}: {ran:?}"),
            // The loader of the system has no handle for the libraries of the program.
            Some(127) => assert!(said.contains("error while loading shared libraries"), "{handles}: {ran:?}"),
            Some(2 | 101) => assert!(said.contains("Too many open files"), "{handles}: {ran:?}"),
            code => panic!("{handles}: {code:?}: {ran:?}"),
        }
    }
}

#[test]
fn runs_at_the_same_time_do_not_disturb_each_other() {
    let cases: Vec<String> = (0..20)
        .map(|number| {
            format!("  - {{id: c{number}, input: Where is order {number}?, agent: looks, expect: [{{tool_blocklist: [rm]}}]}}\n")
        })
        .collect();
    let project = Project::of(&cases);
    let mut running = Vec::new();
    for _ in 0..6 {
        let mut command = project.command(&[]);
        command.env("ARRAIGN_AGENT_MODE", "record").stdout(Stdio::null()).stderr(Stdio::null());
        running.push(command.spawn().expect("it starts"));
    }
    for mut run in running {
        assert_eq!(run.wait().expect("it ends").code(), Some(0));
    }
    let logs = project.logs("out");
    assert_eq!(logs.len(), 6, "{logs:?}");
    for log in logs {
        let stored =
            StoredRun::open(&[project.path(&log).parent().expect("a folder").to_owned()]).expect("a run");
        assert_eq!((stored.trials(), stored.missing(), stored.torn()), (20, 0, 0), "{log}");
    }
    assert_eq!(project.files("evals").len(), 21, "{:?}", project.files("evals"));
    project.run(&[]).exits(0);
}
