//! How much memory one run of a very large file takes.
//!
//! `cargo bench --bench memory [-- MEGABYTES]`. Files of 1 GB (or so many MB) are written and removed again: a log of runs,
//! one a line, and the spans of many traces, as one OTLP document and as an export a line. Of each, one run near the end
//! is read by a process that does nothing else, by its id and by its number. The peak is the kernel's figure, so run it
//! on Linux.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

use arraign::reader;

/// Says which run of which file this program is to read, and nothing else.
const SUBJECT: &str = "MEMORY_SUBJECT";
const WANTED: &str = "MEMORY_WANTED";

/// How many bytes a run has, roughly: what it says and what its tool returned.
const RUN: usize = 4 << 10;

fn main() -> io::Result<()> {
    if let (Some(path), Ok(wanted)) = (env::var_os(SUBJECT), env::var(WANTED)) {
        return read_alone(Path::new(&path), &wanted);
    }
    let megabytes = env::args().skip(1).find_map(|argument| argument.parse::<usize>().ok()).unwrap_or(1000);
    let runs = megabytes * 1_000_000 / RUN;
    println!("{:<24} {:>6} {:>10} {:>8} {:>8} {:>9}", "file", "MB", "by", "seconds", "MB/s", "peak MB");
    measure("run-lines", runs, run_lines)?;
    measure("native", runs, native_lines)?;
    measure("otlp document", runs, otlp_document)?;
    measure("otlp lines", runs, otlp_lines)
}

fn measure(name: &str, runs: usize, write: fn(&mut dyn Write, usize) -> io::Result<()>) -> io::Result<()> {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("large.json");
    let mut file = BufWriter::new(File::create(&path)?);
    write(&mut file, runs)?;
    file.flush()?;
    let size = fs::metadata(&path)?.len();
    for (by, wanted) in [("id", id(runs - 2)), ("number", (runs - 1).to_string())] {
        let start = Instant::now();
        let peak = peak_of_reading(&path, &wanted);
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

fn peak_of_reading(path: &Path, wanted: &str) -> u64 {
    let program = env::current_exe().expect("this program");
    let output = Command::new(program).env(SUBJECT, path).env(WANTED, wanted).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number of bytes")
}

fn read_alone(path: &Path, wanted: &str) -> io::Result<()> {
    let mut file = BufReader::with_capacity(256 << 10, File::open(path)?);
    let found = reader::read_run(&mut file, None, wanted).expect("the run is there");
    assert_eq!((found.runs.len(), found.runs[0].calls.len()), (1, 1));
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    let kilobytes = peak.split_whitespace().next().and_then(|number| number.parse::<u64>().ok());
    println!("{}", kilobytes.expect("a number") * 1024);
    Ok(())
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
