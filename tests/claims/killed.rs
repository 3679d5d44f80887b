//! Runs that are killed at any moment: no file is half-written, and the next run takes up where it was.
//!
//! `CLAIMS_KILLS` is the number of runs that are killed.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use arraign::__internals::harness::runs::StoredRun;
use arraign::json::{self, json};
use arraign_trace::source::is_temporary;

use crate::project::{Project, Ran, case, green};
use crate::scripted::JUDGE;
use crate::server::{Reply, Server};

/// The number of killed runs, unless the variable says another.
const KILLS: u32 = 8;

/// The number of cases of each sort.
const CASES: usize = 12;

/// Everything that a run writes is written: runs and exchanges of agents, opinions, snapshots, verdicts and reports.
const WRITES: [(&str, &str); 5] = [
    ("ARRAIGN_AGENT_MODE", "record"),
    ("ARRAIGN_JUDGE", "record"),
    (JUDGE, "honest"),
    ("INSTA_UPDATE", "always"),
    ("ARRAIGN_REPORT", "junit,json,html"),
];

/// A project with cases that are recorded, judged and pinned.
fn project() -> Project {
    let cases = (0..CASES).map(|number| {
        let agent = |id: &str, agent: &str| {
            format!("  - {{id: {id}_{number}, input: Where is order {number}?, agent: {agent}, expect: [{{not_called: rm}}]}}\n")
        };
        let judged = format!(
            "  - id: judged_{number}\n    trace: [{{say: please wait {number}}}]\n    expect: [{{agent_check: {{label: polite, prompt: Does it say please?}}}}]\n"
        );
        [
            agent("recorded", "looks"),
            agent("modelled", "modelled"),
            judged,
            case(&format!("pinned_{number}"), "rm", "snapshot: true"),
            green(&format!("plain_{number}")),
        ]
        .concat()
    });
    Project::of(&cases.collect::<Vec<_>>())
}

/// A model that says the same in each run: a call, and after its result an answer.
fn model() -> Server {
    Server::new(|asked, _| {
        let call =
            json!({"id": "call_1", "type": "function", "function": {"name": "get_order", "arguments": "{}"}});
        let message = if asked.body.contains("call_1") {
            json!({"role": "assistant", "content": "It has shipped."})
        } else {
            json!({"role": "assistant", "content": null, "tool_calls": [call]})
        };
        Reply::json(
            &json!({"id": "x", "object": "chat.completion", "model": "m-1", "choices": [{"index": 0, "message": message}]}),
        )
    })
}

fn command(project: &Project, upstream: &str) -> Command {
    let mut command = project.command(&[]);
    command.envs(WRITES).env("OPENAI_BASE_URL", upstream);
    command
}

/// The files below `evals`, by name, but for the temporary ones.
fn read_evals(project: &Project) -> BTreeMap<String, String> {
    let files = project.files("evals").into_iter().filter(|file| !is_temporary(file.as_ref()));
    files.map(|file| (file.clone(), without_times(&project.read(&file)))).collect()
}

/// A recording without the times of its run, which differ from run to run.
fn without_times(text: &str) -> String {
    let is_time = |line: &&str| ["_ms\":", "\"at\": \"20"].iter().any(|key| line.contains(key));
    text.lines().filter(|line| !is_time(line)).collect::<Vec<_>>().join("\n")
}

/// Starts a run, and kills it after `delay`. Returns whether it was killed before its end.
fn kill_after(mut command: Command, delay: Duration) -> bool {
    let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    std::thread::sleep(delay);
    running.kill().expect("it is killed");
    !running.wait().expect("it ends").success()
}

/// Each file is one that a whole run leaves, with the text of a whole run.
#[track_caller]
fn assert_nothing_half_written(project: &Project, whole: &BTreeMap<String, String>, round: u32) {
    for (file, text) in read_evals(project) {
        assert_eq!(Some(&text), whole.get(&file), "round {round}: {file}");
    }
}

/// Each log has whole lines, but for its last one, and a report knows what is missing.
#[track_caller]
fn assert_log_reads(project: &Project, round: u32) {
    for log in project.logs("out") {
        let text = project.read(&log);
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for line in whole.lines() {
            json::parse(line).unwrap_or_else(|error| panic!("round {round}: {log}: {error}"));
        }
        let folder = project.path(&log).parent().expect("a folder").to_owned();
        let stored = StoredRun::open(&[folder]).unwrap_or_else(|error| panic!("round {round}: {error}"));
        assert_eq!(stored.trials() + stored.missing(), 5 * CASES, "round {round}");
        assert!(stored.torn() <= 1, "round {round}");
        stored.visit_verdicts(|_| ()).unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
}

#[test]
fn a_killed_run_leaves_nothing_half_written_and_the_next_one_ends_well() {
    let kills: u32 = std::env::var("CLAIMS_KILLS").map_or(KILLS, |kills| kills.parse().expect("a number"));
    let project = project();
    let model = model();
    let upstream = model.url("/v1");
    let started = Instant::now();
    Ran::of(&mut command(&project, &upstream)).exits(0);
    let whole = read_evals(&project);
    let duration = started.elapsed();
    assert_eq!(whole.len(), 1 + 4 * CASES, "{:?}", whole.keys());
    let mut killed = 0;
    for round in 0..kills {
        let _ = fs::remove_dir_all(project.path("out"));
        // A run that continues a killed one writes less, so every third begins anew.
        if round % 3 == 0 {
            for folder in ["traces", "cassettes", "snapshots"] {
                let _ = fs::remove_dir_all(project.path(format!("evals/{folder}")));
            }
        }
        // The delays cover the whole run evenly: 37 and 100 have no common divisor.
        let delay = duration.mul_f64(f64::from(round * 37 % 100) / 100.0);
        killed += u32::from(kill_after(command(&project, &upstream), delay));
        assert_nothing_half_written(&project, &whole, round);
        assert_log_reads(&project, round);
    }
    // A run that continues a killed one ends earlier than the first, so the late kills miss it.
    assert!(killed >= kills.div_ceil(3), "{killed} of {kills} runs were killed");
    let _ = fs::remove_dir_all(project.path("out"));
    Ran::of(&mut command(&project, &upstream)).exits(0);
    assert_eq!(read_evals(&project), whole);
}
