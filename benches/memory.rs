//! How much memory the runs of a very large file take.
//!
//! `cargo bench --bench memory [-- MEGABYTES]`. Files of 1 GB (or so many MB) are written and removed again: logs of runs,
//! one a line, a log of model calls, and the spans of many traces, as one OTLP document and as an export a line. Of each,
//! a process that does nothing else reads one run near the end, by its id or by its number; all, one after the other;
//! or what the trials of a case with `each: true` do. The trial of a case that asks for no run keeps what its verdict
//! says of each. The peak is the kernel's figure, so run it on Linux.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

use arraign::__internals::check::{Registry, Tables};
use arraign::__internals::engine::{EvaluationSettings, evaluate_each};
use arraign::__internals::source::Files;
use arraign::__internals::suite::{CaseRuns, Library, Suite};
use arraign::reader;

/// Says which file this program is to read, what of it, and nothing else.
const SUBJECT: &str = "MEMORY_SUBJECT";
const WAY: &str = "MEMORY_WAY";
const WANTED: &str = "MEMORY_WANTED";
/// What is read: one run, all of them, what trials read.
const WAYS: [&str; 5] = ["id", "number", "all", "each: true", "no run:"];

/// How many bytes a run has, roughly: what it says and what its tool returned.
const RUN: usize = 4 << 10;

fn main() -> io::Result<()> {
    if let (Some(path), Ok(way), Ok(wanted)) = (env::var_os(SUBJECT), env::var(WAY), env::var(WANTED)) {
        return read_alone(Path::new(&path), &way, &wanted);
    }
    let megabytes = env::args().skip(1).find_map(|argument| argument.parse::<usize>().ok()).unwrap_or(1000);
    let runs = megabytes * 1_000_000 / RUN;
    println!("{:<24} {:>6} {:>10} {:>8} {:>8} {:>9}", "file", "MB", "by", "seconds", "MB/s", "peak MB");
    measure("run-lines", runs, run_lines)?;
    measure("native", runs, native_lines)?;
    measure("openai-chat", runs, chat_lines)?;
    measure("otlp document", runs, otlp_document)?;
    measure("otlp lines", runs, otlp_lines)
}

fn measure(name: &str, runs: usize, write: fn(&mut dyn Write, usize) -> io::Result<()>) -> io::Result<()> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("memory/traces");
    fs::create_dir_all(&folder)?;
    let path = folder.join("large.json");
    let mut file = BufWriter::new(File::create(&path)?);
    write(&mut file, runs)?;
    file.flush()?;
    let size = fs::metadata(&path)?.len();
    for by in WAYS {
        let wanted = if by == "id" { id(runs - 2) } else { (runs - 1).to_string() };
        let start = Instant::now();
        let peak = peak_of_reading(&path, by, &wanted);
        let seconds = start.elapsed().as_secs_f64();
        let megabytes = mega(size);
        println!(
            "{name:<24} {megabytes:>6.0} {by:>10} {seconds:>8.1} {:>8.0} {:>9.1}",
            megabytes / seconds,
            mega(peak)
        );
    }
    fs::remove_file(&path)
}

fn peak_of_reading(path: &Path, way: &str, wanted: &str) -> u64 {
    let program = env::current_exe().expect("this program");
    let mut command = Command::new(program);
    let output = command.env(SUBJECT, path).env(WAY, way).env(WANTED, wanted).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number of bytes")
}

fn read_alone(path: &Path, way: &str, wanted: &str) -> io::Result<()> {
    let mut file = BufReader::with_capacity(256 << 10, File::open(path)?);
    let count: usize = wanted.parse().unwrap_or_default();
    match way {
        "all" => {
            let calls = reader::runs(file, None).expect("a file").map(|run| run.expect("a run").calls.len());
            assert_eq!(calls.sum::<usize>(), count + 1);
        }
        "each: true" => read_each(path, count + 1),
        "no run:" => judge(path, count + 1),
        _ => {
            let found = reader::read_run(&mut file, None, wanted).expect("the run is there");
            assert_eq!((found.runs.len(), found.runs[0].calls.len()), (1, 1));
        }
    }
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    let kilobytes = peak.split_whitespace().next().and_then(|number| number.parse::<u64>().ok());
    println!("{}", kilobytes.expect("a number") * 1024);
    Ok(())
}

/// What `look` makes of a case about the file at `path`.
fn with_case(path: &Path, trace: &str, look: impl FnOnce(&Suite, &Path, &Files)) {
    let folder = path.parent().and_then(Path::parent).expect("a folder");
    let case = folder.join("case.yaml");
    fs::write(&case, format!("{{trace: {trace}, expect: [{{tool_blocklist: [rm]}}]}}")).expect("a case");
    let files = Files::new(folder, folder).with_size_limit(u64::MAX - 1);
    let (kinds, tables) = (Registry::default(), Tables::default());
    let library = Library { kinds: &kinds, files: &files, tables: &tables };
    let suite = Suite::load(&case, library).unwrap_or_else(|errors| panic!("{errors}"));
    look(&suite, &case, &files);
}

/// What the trials of a case with `each: true` read.
fn read_each(path: &Path, count: usize) {
    with_case(path, "{file: traces/large.json, each: true}", |suite, case, files| {
        let runs = CaseRuns::find_runs(&suite.cases[0], case, files).expect("its runs");
        assert_eq!(runs.len(), count);
        let one = |number: usize| runs.read_run(number, files).expect("a run").trace.calls.len();
        assert_eq!((0..count).map(one).sum::<usize>(), count);
    });
}

/// What the only trial of a case does.
fn judge(path: &Path, count: usize) {
    with_case(path, "traces/large.json", |suite, case, files| {
        let runs = CaseRuns::find_runs(&suite.cases[0], case, files).expect("its runs");
        let verdict =
            evaluate_each(&suite.cases[0], "a", || runs.each_run(files), None, EvaluationSettings::default());
        assert!(verdict.passed && verdict.runs.len() == count, "{:?}", verdict.errors);
    });
}

#[expect(clippy::cast_precision_loss, reason = "some gigabytes")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// A run's id: as OTLP has it.
fn id(run: usize) -> String {
    format!("{:032x}", run + 0xa000)
}

/// What a tool may return: text with quotes in it.
fn result() -> String {
    r#"the \"order\" 1042 has shipped: {\"tracking\": \"TRK-88\"}, "#.repeat((RUN - 600) / 58)
}

fn run_lines(out: &mut dyn Write, runs: usize) -> io::Result<()> {
    let result = result();
    (0..runs).try_for_each(|run| {
        writeln!(
            out,
            r#"{{"request_id":"{}","prompt":"Where is it?","tool_calls":[{{"tool_name":"get_order","args":{{"order_id":"1042","run":{run}}},"result":"{result}"}}],"response":"It has shipped."}}"#,
            id(run)
        )
    })
}

fn native_lines(out: &mut dyn Write, runs: usize) -> io::Result<()> {
    let result = result();
    (0..runs).try_for_each(|run| {
        writeln!(
            out,
            r#"{{"id":"{}","steps":[{{"user":"Where is it?"}},{{"call":"get_order","args":{{"order_id":"1042","run":{run}}},"result":"{result}"}},{{"say":"It has shipped."}}]}}"#,
            id(run)
        )
    })
}

/// Each call of a model is a line, and so is the one that follows it: a run is two of them.
fn chat_lines(out: &mut dyn Write, runs: usize) -> io::Result<()> {
    let result = result();
    (0..runs).try_for_each(|run| {
        let asked = format!(r#"{{"role":"user","content":"Where is {run}?"}}"#);
        let call = format!(r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{run}","type":"function","function":{{"name":"get_order","arguments":"{{}}"}}}}]}}"#);
        writeln!(out, r#"{{"request":{{"messages":[{asked}]}},"response":{{"id":"{run}-a","choices":[{{"message":{call}}}]}}}}"#)?;
        writeln!(
            out,
            r#"{{"request":{{"messages":[{asked},{call},{{"role":"tool","tool_call_id":"c{run}","content":"{result}"}}]}},"response":{{"id":"{}","choices":[{{"message":{{"role":"assistant","content":"It has shipped."}}}}]}}}}"#,
            id(run)
        )
    })
}

const RESOURCE: &str = r#"{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"scope":{"name":"shop"},"spans":["#;

fn otlp_document(out: &mut dyn Write, runs: usize) -> io::Result<()> {
    write!(out, r#"{{"resourceSpans":[{RESOURCE}"#)?;
    let result = result();
    for run in 0..runs {
        write_spans(out, run, &result)?;
        if run + 1 < runs {
            out.write_all(b",")?;
        }
    }
    out.write_all(b"]}]}]}\n")
}

fn otlp_lines(out: &mut dyn Write, runs: usize) -> io::Result<()> {
    let result = result();
    (0..runs).try_for_each(|run| {
        write!(out, r#"{{"resourceSpans":[{RESOURCE}"#)?;
        write_spans(out, run, &result)?;
        out.write_all(b"]}]}]}\n")
    })
}

/// The spans of a run: its agent, its model and its tool.
fn write_spans(out: &mut dyn Write, run: usize, result: &str) -> io::Result<()> {
    for (number, kind) in ["invoke_agent", "chat", "execute_tool"].into_iter().enumerate() {
        let parent =
            if number == 0 { String::new() } else { format!(r#""parentSpanId":"{:016x}","#, run * 4) };
        let more = if kind == "execute_tool" { tool(result) } else { String::new() };
        let (trace, span, start) = (id(run), run * 4 + number, run * 1000 + number);
        let comma = if number == 0 { "" } else { "," };
        write!(
            out,
            r#"{comma}{{"traceId":"{trace}","spanId":"{span:016x}",{parent}"name":"{kind}","startTimeUnixNano":"{start}","endTimeUnixNano":"{}","attributes":[{{"key":"gen_ai.operation.name","value":{{"stringValue":"{kind}"}}}}{more}]}}"#,
            start + 10
        )?;
    }
    Ok(())
}

fn tool(result: &str) -> String {
    format!(
        r#",{{"key":"gen_ai.tool.name","value":{{"stringValue":"get_order"}}}},{{"key":"gen_ai.tool.call.result","value":{{"stringValue":"{result}"}}}}"#
    )
}
