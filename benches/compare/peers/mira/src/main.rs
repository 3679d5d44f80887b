//! The recorded runs as an eval of Mira: a sample for each order, and two scorers. It runs in process, without Mira's host.

use std::fs;
use std::process::ExitCode;

use mira::scorer::scorer;
use mira::subject::subject_fn;
use mira::trajectory::{Agent, Step, StepSource, ToolCall, Trajectory};
use mira::{Eval, Runner, Sample, Score, Transcript};
use serde_json::Value;

fn list_orders() -> Eval {
    let cases: u32 = std::env::var("CASES").expect("CASES").parse().expect("a number");
    let samples = (0..cases).map(|number| {
        let order = (1000 + number).to_string();
        Sample::new(format!("order-{order}"), format!("Where is my order {order}?"))
            .expected(format!("TRK-{order}"))
            .meta("order", order)
            .meta("path", format!("../arraign/evals/traces/{number}.json"))
    });
    Eval::new("orders")
        .dataset(samples.collect::<Vec<_>>())
        .subject(subject_fn(|sample, _| async move {
            read_run(sample.metadata["path"].as_str().expect("a path"))
        }))
        .scorer(scorer("calls its order", |sample, run| {
            let order = &sample.metadata["order"];
            let calls = run.tool_invocations();
            let called = calls.iter().any(|call| {
                call.name == "get_order" && call.arguments.is_some_and(|given| given["order_id"] == *order)
            });
            judge("calls its order", called, order)
        }))
        .scorer(scorer("names its tracking number", |sample, run| {
            let number = sample.expected_str().expect("a tracking number");
            judge("names its tracking number", run.final_response.contains(number), number)
        }))
        .build()
}

fn judge(name: &str, holds: bool, wanted: impl std::fmt::Display) -> Score {
    if holds { Score::pass(name, format!("{wanted}")) } else { Score::fail(name, format!("no {wanted}")) }
}

fn read_run(path: &str) -> Transcript {
    let run: Vec<Value> = serde_json::from_slice(&fs::read(path).expect("a run")).expect("messages");
    let mut trajectory = Trajectory::new(Agent::new("recorded", "1"));
    for (number, message) in (1..).zip(&run) {
        let source = match message["role"].as_str() {
            Some("user") => StepSource::User,
            Some("assistant") => StepSource::Agent,
            _ => continue,
        };
        let mut step = Step::new(number, source, message["content"].as_str().unwrap_or_default());
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let (id, name) = (call["id"].as_str(), call["function"]["name"].as_str());
            let arguments = call["function"]["arguments"].as_str().expect("arguments");
            let arguments = serde_json::from_str(arguments).expect("JSON");
            step.tool_calls.push(ToolCall::new(id.expect("an id"), name.expect("a name"), arguments));
        }
        trajectory.steps.push(step);
    }
    Transcript::from_trajectory(trajectory)
}

#[tokio::main]
async fn main() -> ExitCode {
    let done = Runner::new().add(list_orders()).run().await;
    for case in done.outcomes.iter().filter(|case| !case.passed) {
        println!("{}: {:?}", case.key(), case.scores);
    }
    println!("{} of {} passed", done.passed(), done.total());
    if done.all_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
