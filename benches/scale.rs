//! What a case costs, and what a process costs under `--exact`.
//!
//! `cargo bench --bench scale [-- CASES]`: generated cases of about 0.6 KB, 100 to a file, each with a recorded trace of
//! 10 calls (4 KB) of its own, held against `args_valid` and `sequence_valid`. The figures are CPU time (user +
//! system) as the kernel accounts it, so run it on Linux.
//!
//! Peak memory is on standard error. The cases are generated once and kept in the target folder; a run leaves its log and its
//! manifest beside them. The first run is not measured: it reads the cases into the cache of the kernel.
//!
//! Where several machines share a processor and its caches, one run may take half as much again as the next: take the
//! median of many.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

const CASES: u32 = 10_000;
const CASES_PER_FILE: u32 = 100;
const PROCESSES: u32 = 200;
/// Says what this program is to be: the subject of the measurement.
const SUBJECT: &str = "SCALE_SUBJECT";
const NOTHING: &str = "nothing";

fn main() -> ExitCode {
    match env::var(SUBJECT) {
        Ok(subject) if subject == NOTHING => ExitCode::SUCCESS,
        Ok(folder) => {
            let code = arraign::Harness::new("evals").at(folder).run();
            if !env::args().any(|argument| matches!(argument.as_str(), "--exact" | "--list")) {
                report_memory();
            }
            code
        }
        Err(_) => measure(),
    }
}

fn measure() -> ExitCode {
    let cases = env::args().skip(1).find_map(|cases| cases.parse().ok()).unwrap_or(CASES);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scale-{cases}"));
    if !folder.exists() {
        generate(&folder, cases);
    }
    let place = folder.to_string_lossy().into_owned();
    let run = |arguments: &[&str]| run(&place, arguments, &folder);
    run(&[]);
    for (threads, arguments) in [("one thread", &["--test-threads", "1"][..]), ("a thread a core", &[])] {
        let (user, system) = run(arguments);
        let each = (user + system) * 1e6 / f64::from(cases);
        println!(
            "one process, {cases} cases, {threads}: {user:.2} s user, {system:.2} s system: {each:.1} us a case"
        );
    }
    let (user, system) = run(&["--list"]);
    println!("one process, --list: {user:.2} s user, {system:.2} s system");
    let last = cases.div_ceil(CASES_PER_FILE) - 1;
    measure_exact(&format!("f{last:04}::case_0"), &folder);
    ExitCode::SUCCESS
}

/// What a process costs that runs one trial, beside one that does nothing.
fn measure_exact(name: &str, folder: &Path) {
    let many = |subject: &str, arguments: &[&str]| {
        let spent = (0..PROCESSES).map(|_| run(subject, arguments, folder));
        spent.map(|(user, system)| user + system).sum::<f64>() * 1e3 / f64::from(PROCESSES)
    };
    let exact = many(&folder.to_string_lossy(), &["--exact", name, "--nocapture"]);
    let nothing = many(NOTHING, &[]);
    let more = exact - nothing;
    println!(
        "a process, --exact: {exact:.2} ms of CPU; one that does nothing: {nothing:.2} ms; more: {more:.2} ms"
    );
}

/// The CPU seconds of this program as `subject`, as user and as system.
fn run(subject: &str, arguments: &[&str], folder: &Path) -> (f64, f64) {
    let (user, system) = cpu_of_children();
    let status = Command::new(env::current_exe().expect("this program"))
        .args(arguments)
        .env(SUBJECT, subject)
        .env("ARRAIGN_OUT", folder.join("out"))
        .stdout(Stdio::null())
        .status()
        .expect("the subject starts");
    assert!(status.success(), "{arguments:?}: {status}");
    let (now_user, now_system) = cpu_of_children();
    (now_user - user, now_system - system)
}

/// CPU seconds of all children that have been waited for, as user and as system, in ticks of 10 ms.
fn cpu_of_children() -> (f64, f64) {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let after_name = stat.rsplit(')').next().expect("a name in brackets");
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |index: usize| fields[index].parse::<f64>().expect("a number");
    (ticks(13) / 100.0, ticks(14) / 100.0)
}

fn report_memory() {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(peak) = status.lines().find(|line| line.starts_with("VmHWM")) {
        eprintln!("{peak}");
    }
}

fn generate(folder: &Path, cases: u32) {
    let evals = folder.join("evals");
    fs::create_dir_all(evals.join("policies")).expect("a folder");
    fs::write(evals.join("policies/shop.yaml"), POLICY).expect("a file");
    for file in 0..cases.div_ceil(CASES_PER_FILE) {
        let traces = evals.join(format!("traces/f{file:04}"));
        fs::create_dir_all(&traces).expect("a folder");
        let mut suite = "version: \"1\"\nsuite: scale\ntests:\n".to_owned();
        for case in 0..CASES_PER_FILE.min(cases - file * CASES_PER_FILE) {
            write!(suite, "{}", case_text(file, case)).expect("text");
            fs::write(traces.join(format!("case_{case}.json")), trace_text(case)).expect("a file");
        }
        fs::write(evals.join(format!("f{file:04}.yaml")), suite).expect("a file");
    }
}

fn case_text(file: u32, case: u32) -> String {
    format!(
        "  - id: case_{case}
    description: order {case} is looked up and quoted before anything is charged or shipped
    input: Where is my order {case}?
    trace: traces/f{file:04}/case_{case}.json
    tags: [shop, scale]
    expect:
      - args_valid: {{policy: policies/shop.yaml}}
      - sequence_valid:
          rules:
            - {{type: require, tool: authenticate_user}}
            - {{type: before, first: authenticate_user, then: [charge_card, update_customer]}}
            - {{type: never_after, trigger: ship_order, forbidden: charge_card}}
            - {{type: count, tool: charge_card, max: 1}}
"
    )
}

fn trace_text(case: u32) -> String {
    let tools = [
        "authenticate_user",
        "get_order",
        "get_quote",
        "get_quote",
        "get_customer",
        "update_customer",
        "get_quote",
        "charge_card",
        "ship_order",
        "notify",
    ];
    let mut messages = format!("{{\"role\":\"user\",\"content\":\"Where is my order {case}?\"}}");
    for (index, tool) in tools.iter().enumerate() {
        let arguments = format!(
            "{{\\\"order_id\\\": \\\"{case}\\\", \\\"amount\\\": {index}, \\\"city\\\": \\\"Oslo\\\"}}"
        );
        write!(
            messages,
            ",{{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{{\"id\":\"call_{index}\",\"type\":\"function\",\"function\":{{\"name\":\"{tool}\",\"arguments\":\"{arguments}\"}}}}]}}\
             ,{{\"role\":\"tool\",\"tool_call_id\":\"call_{index}\",\"content\":\"{{\\\"status\\\": \\\"ok\\\", \\\"detail\\\": \\\"{}\\\"}}\"}}",
            "x".repeat(90)
        )
        .expect("text");
    }
    format!("[{messages},{{\"role\":\"assistant\",\"content\":\"Order {case} has shipped.\"}}]")
}

const POLICY: &str = "tools:
  authenticate_user: {arguments: {order_id: {type: string, required: true}}}
  get_order: {arguments: {order_id: {type: string, required: true, pattern: '^[0-9]+$'}}}
  get_quote: {arguments: {city: {type: string, enum: [Oslo, Bergen]}, amount: {type: number, min: 0, max: 30}}}
  charge_card: {arguments: {amount: {type: number, required: true, min: 0, max: 500}}}
  ship_order: {arguments: {order_id: {type: string, required: true, min_length: 1}}}
";
