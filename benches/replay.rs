//! What a recorded model costs: the CPU time of the harness for trials in which each agent sends ten requests, compared
//! with trials in which it sends none. Each agent is a process of its own, and its time does not count.
//!
//! `cargo bench --bench replay`. On Linux only: the time is that of `/proc/self/stat`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures, and an agent its trace")]

use std::fmt::Write as _;
use std::io::{Read as _, Write as _, stdin};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

use serde_json::{Value, json};

const TRIALS: usize = 100;
const REQUESTS: usize = 10;

/// The folder of the package that this program is to be the harness of.
const SUBJECT: &str = "REPLAY_SUBJECT";

/// The argument that makes this program an agent, before the number of its requests.
const AGENT: &str = "--agent";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match (arguments.first().map(String::as_str), env::var(SUBJECT)) {
        (Some(AGENT), _) => run_agent(arguments[1].parse().expect("a number")),
        (_, Ok(folder)) => run_harness(Path::new(&folder)),
        _ => compare(),
    }
}

fn run_harness(folder: &Path) -> ExitCode {
    let code = arraign::Harness::new("evals").at(folder).allow_exec().run();
    fs::write(folder.join("cpu"), read_cpu_ms().to_string()).expect("a file");
    code
}

/// The CPU time of this process, without its children.
fn read_cpu_ms() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    // User and system time in ticks, of which a second has a hundred.
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().expect("a number") * 10.0).sum()
}

fn compare() -> ExitCode {
    let without = measure("idle", 0, "");
    for (name, streamed) in [("whole replies", false), ("streams", true)] {
        let with = measure(if streamed { "streams" } else { "whole" }, REQUESTS, ", model: true");
        let added = (with - without) / f64::from(u32::try_from(TRIALS).expect("a small number"));
        println!("{TRIALS} trials of {REQUESTS} requests, {name}: {added:.2} ms of CPU added to a trial");
    }
    ExitCode::SUCCESS
}

/// Runs all trials, and returns the CPU time of the harness.
fn measure(name: &str, requests: usize, extra_keys: &str) -> f64 {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("replay").join(name);
    let program = env::current_exe().expect("this program");
    let mut suite =
        format!("agent: {{command: ['{}', {AGENT}, '{requests}']{extra_keys}}}\ntests:\n", program.display());
    for number in 0..TRIALS {
        writeln!(suite, "  - {{id: c{number}, input: Where is order 7?, expect: [{{tool_called: look}}]}}")
            .expect("text");
        let cassette = folder.join(format!("evals/cassettes/s/c{number}.model.jsonl"));
        fs::create_dir_all(cassette.parent().expect("a folder")).expect("a folder");
        fs::write(cassette, write_cassette(name == "streams")).expect("a cassette");
    }
    fs::write(folder.join("evals/s.yaml"), suite).expect("a file");
    let mode = if requests == 0 { "live" } else { "replay" };
    let status = Command::new(program)
        .env(SUBJECT, &folder)
        .env("ARRAIGN_AGENT_MODE", mode)
        .env("ARRAIGN_OUT", folder.join("out"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the harness starts");
    assert!(status.success(), "{status}");
    fs::read_to_string(folder.join("cpu")).expect("the time").parse().expect("a number")
}

/// The requests of one conversation, each longer than the one before: a prompt and tools of 12 kB, results of 2 kB.
fn list_requests() -> Vec<Value> {
    let mut messages = vec![
        json!({"role": "system", "content": "Be brief. ".repeat(400)}),
        json!({"role": "user", "content": "?"}),
    ];
    let tools: Vec<Value> = (0..20)
        .map(|tool| json!({"type": "function", "function": {"name": format!("tool_{tool}"), "description": "It looks. ".repeat(40)}}))
        .collect();
    let requests = (0..REQUESTS).map(|number| {
        let request = json!({"model": "m-1", "messages": messages, "tools": tools});
        let id = format!("call_{number}");
        let call = json!({"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": "shipped ".repeat(250)}));
        request
    });
    requests.collect()
}

fn write_cassette(streamed: bool) -> String {
    let lines = list_requests().into_iter().map(|body| {
        let choice = json!({"choices": [{"index": 0, "delta": {"content": "It has shipped."}}]});
        let response = if streamed {
            let chunks: Vec<String> = (0..100).map(|_| format!("data: {choice}\n\n")).collect();
            json!({"status": 200, "type": "text/event-stream", "chunks": chunks})
        } else {
            json!({"status": 200, "type": "application/json", "body": choice})
        };
        let request = json!({"to": "openai", "method": "POST", "path": "/chat/completions", "body": body});
        format!("{}\n", json!({"request": request, "response": response}))
    });
    lines.collect()
}

/// Sends its requests one after the other, each over a connection of its own, and prints a trace.
fn run_agent(requests: usize) -> ExitCode {
    let mut input = String::new();
    stdin().read_to_string(&mut input).expect("an input");
    for body in list_requests().into_iter().take(requests) {
        let url = env::var("OPENAI_BASE_URL").expect("an address");
        let (host, path) = url.trim_start_matches("http://").split_once('/').expect("a path");
        let mut stream = TcpStream::connect(host).expect("the port");
        let body = body.to_string();
        let head = format!("POST /{path}/chat/completions HTTP/1.1\r\nhost: {host}\r\nconnection: close");
        let length = body.len();
        write!(stream, "{head}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
            .expect("it is sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
        assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
    }
    println!("{}", json!({"calls": ["look"], "answer": "It has shipped."}));
    ExitCode::SUCCESS
}
