//! What live agents cost: 64 commands that take a second each, 16 at once, in one run.
//!
//! `cargo bench --bench agents`. Without waiting for one another they take four seconds; what is more is
//! the harness and the starting of processes.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use std::{env, fs};

const AGENTS: u32 = 64;
/// Says that this program is to be the harness that is measured.
const SUBJECT: &str = "AGENTS_SUBJECT";

fn main() -> ExitCode {
    match env::var(SUBJECT) {
        Ok(folder) => arraign::Harness::new("evals").at(folder).run(),
        Err(_) => measure(),
    }
}

fn measure() -> ExitCode {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("agents");
    fs::create_dir_all(folder.join("evals")).expect("a folder");
    fs::write(folder.join("evals/agents.yaml"), suite()).expect("a file");
    let started = Instant::now();
    let status = Command::new(env::current_exe().expect("this program"))
        .env(SUBJECT, &folder)
        .env("ARRAIGN_AGENT_MODE", "live")
        .env("ARRAIGN_OUT", folder.join("out"))
        .stdout(Stdio::null())
        .status()
        .expect("the harness starts");
    assert!(status.success(), "{status}");
    println!("{AGENTS} commands of 1 s, 16 at once: {:.2} s", started.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

fn suite() -> String {
    let mut suite = "tests:\n".to_owned();
    for number in 0..AGENTS {
        write!(
            suite,
            "  - id: agent_{number}
    input: Where is order {number}?
    agent: {{command: [sh, -c, \"sleep 1; echo '{{\\\"calls\\\": [\\\"look\\\"]}}'\"]}}
    expect: [{{tool_blocklist: [rm]}}]
"
        )
        .expect("text");
    }
    suite
}
