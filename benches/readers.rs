//! How fast traces are read, and in how much memory.
//!
//! `cargo bench --bench readers [-- FORMAT]`. For each format: its samples, over and over, to a few MB; and one of them
//! grown to a single file of that size, its longest list repeated with ids of its own, which shows what is not linear.
//! Both are read to traces, and beside it parsed to a `serde_json::Value` in the same process: a ratio of 1 is as fast as
//! that. The memory is the peak of a process that does nothing but read the large file, as a multiple of its size. The
//! figures of memory are the kernel's, so run it on Linux. The allocator of glibc is told to keep the memory of a pass for
//! the next one: whether it gives it back depends on which few bytes happen to be at the end of the heap, and costs up to
//! as much as the reading.
//!
//! Below, two formats are read by readers that are declared: how many times the time of the built-in reader of the same
//! file they take.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

use arraign::reader::{self, READERS, ReaderSet};
use serde_json::Value;

/// What is read of each format in one pass.
const BYTES: usize = 4 << 20;
const PASSES: usize = 5;
/// Says which file this program is to read, and nothing else.
const SUBJECT: &str = "READERS_SUBJECT";
/// The sizes from which glibc gives memory back, and takes it from the kernel in pieces of their own.
const MEMORY_SETTINGS: [&str; 2] = ["MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"];
/// In bytes: the most that glibc takes for the second. It ignores a larger one.
const MEMORY_KEPT: &str = "33554432";

fn main() {
    if let Some(path) = env::var_os(SUBJECT) {
        return read_alone(Path::new(&path));
    }
    if env::var_os(MEMORY_SETTINGS[0]).is_none() {
        // The allocator reads its settings when a process starts.
        let mut again = Command::new(env::current_exe().expect("this program"));
        again.args(env::args().skip(1)).envs(MEMORY_SETTINGS.map(|setting| (setting, MEMORY_KEPT)));
        assert!(again.status().expect("it starts").success());
        return;
    }
    let only = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    println!(
        "{:<18} {:>8} {:>7} {:>10} {:>7} {:>7}",
        "format", "MB/s", "ratio", "large MB/s", "ratio", "memory"
    );
    for reader in READERS.iter().filter(|reader| only.as_deref().is_none_or(|only| only == reader.name)) {
        measure(reader.name);
    }
    println!("{:<18} {:>8} {:>11}", "declared reader", "MB/s", "built-in");
    for (format, declaration) in DECLARED {
        if only.as_deref().is_none_or(|only| only == format) {
            measure_declared(format, declaration);
        }
    }
}

/// Declarations that read of a format what its built-in reader reads.
const DECLARED: [(&str, &str); 2] = [
    (
        "openai-chat",
        r#"{"when": {"path": "$[0].role"}, "steps": "$[*]",
            "user": "$[?@.role == 'user'].content", "say": "$[?@.role == 'assistant'].content",
            "call": {"each": "$.tool_calls[*]", "name": "$.function.name", "args": "$.function.arguments", "id": "$.id"},
            "result": {"each": "$[?@.role == 'tool']", "of": "$.tool_call_id", "value": "$.content"}}"#,
    ),
    (
        "pi",
        r#"{"when": {"path": "$[0].type", "equals": "session"}, "steps": "$[?@.type == 'message'].message",
            "user": "$[?@.role == 'user'].content[*].text",
            "say": "$[?@.role == 'assistant'].content[?@.type == 'text'].text",
            "call": {"each": "$.content[?@.type == 'toolCall']", "name": "$.name", "args": "$.arguments", "id": "$.id"},
            "result": {"each": "$[?@.role == 'toolResult']", "of": "$.toolCallId", "value": "$.content[0].text",
                "failed": "$.isError"},
            "tokens": {"input": "$.usage.input", "output": "$.usage.output"}}"#,
    ),
];

/// Reads the grown samples that both readers read, with as many calls each.
fn measure_declared(format: &str, declaration: &str) {
    let mut readers = ReaderSet::default();
    readers.declare("declared", serde_json::from_str(declaration).expect("a declaration"));
    let texts: Vec<String> = samples(format).iter().map(|text| grown(text)).collect();
    let texts = texts.iter().filter(|text| {
        let counts = [None, Some("declared")].map(|name| count_calls(&readers, text, name.unwrap_or(format)));
        counts[0].is_some_and(|count| count > 0) && counts[0] == counts[1]
    });
    let (mut built_in, mut declared, mut bytes) = (Duration::ZERO, Duration::ZERO, 0);
    for text in texts {
        built_in += best_time(|| read(text));
        declared += best_time(|| drop(std::hint::black_box(readers.read(text, None))));
        bytes += text.len();
    }
    let times = declared.as_secs_f64() / built_in.as_secs_f64();
    println!("{format:<18} {:>8.0} {times:>6.2} times", as_f64(bytes) / 1e6 / declared.as_secs_f64());
}

fn count_calls(readers: &ReaderSet, text: &str, format: &str) -> Option<usize> {
    let recording = readers.read(text, Some(format)).ok()?;
    Some(recording.runs.iter().map(|run| run.calls.len()).sum())
}

fn best_time(pass: impl Fn()) -> Duration {
    let measure_once = |_| {
        let start = Instant::now();
        pass();
        start.elapsed()
    };
    (0..PASSES).map(measure_once).min().unwrap_or_default()
}

fn measure(format: &str) {
    let samples = samples(format);
    let (speed, ratio) = speed(&samples);
    print!("{format:<18} {speed:>8.0} {ratio:>7.2}");
    let grown = samples.iter().map(|text| grown(text)).find(|text| reader::read(text, Some(format)).is_ok());
    let Some(large) = grown else { return println!("   no sample can grow") };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{format}.json"));
    fs::write(&path, &large).expect("a file");
    let memory = memory_of_reading(&path) / as_f64(large.len());
    fs::remove_file(&path).expect("the file");
    let (speed, ratio) = self::speed(&[large]);
    println!(" {speed:>10.0} {ratio:>7.2} {memory:>6.1}x");
}

/// How many MB a second are read, and the same beside `Value`.
fn speed(texts: &[String]) -> (f64, f64) {
    let bytes: usize = texts.iter().map(String::len).sum();
    let repeats = BYTES.div_ceil(bytes);
    let pass = |look: fn(&str)| {
        let start = Instant::now();
        (0..repeats).for_each(|_| texts.iter().for_each(|text| look(text)));
        start.elapsed()
    };
    let (mut own, mut value) = (Duration::MAX, Duration::MAX);
    for _ in 0..PASSES {
        own = own.min(pass(read));
        value = value.min(pass(parse));
    }
    (as_f64(bytes * repeats) / 1e6 / own.as_secs_f64(), value.as_secs_f64() / own.as_secs_f64())
}

fn read(text: &str) {
    let _ = std::hint::black_box(reader::read(text, None));
}

/// All values of a document, of JSON Lines, or of a stream.
fn parse(text: &str) {
    for value in values(text) {
        drop(std::hint::black_box(value));
    }
}

fn values(text: &str) -> Vec<Value> {
    if text.starts_with("event:") || text.starts_with("data:") {
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        return data.filter_map(|data| serde_json::from_str(data).ok()).collect();
    }
    serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().expect("JSON")
}

/// One file of the size that is read in a pass: lines are repeated, and so is the longest list of a document.
fn grown(text: &str) -> String {
    let mut values = values(text);
    let repeats = BYTES.div_ceil(text.len());
    if let [document] = values.as_mut_slice()
        && let Some(list) = longest_list(document)
    {
        *list = repeated(list, repeats);
        return document.to_string();
    }
    let mut lines = String::new();
    for value in repeated(&values, repeats) {
        lines.push_str(&value.to_string());
        lines.push('\n');
    }
    lines
}

fn longest_list(value: &mut Value) -> Option<&mut Vec<Value>> {
    match value {
        Value::Array(items) => Some(items),
        Value::Object(map) => {
            let longest = map.values_mut().max_by_key(|value| value.to_string().len())?;
            longest_list(longest)
        }
        _ => None,
    }
}

fn repeated(items: &[Value], repeats: usize) -> Vec<Value> {
    let copy = |number| items.iter().map(move |item| with_own_ids(item, number));
    (0..repeats).flat_map(copy).collect()
}

/// `value` with ids that no other repetition has.
fn with_own_ids(value: &Value, number: usize) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| with_own_ids(item, number)).collect(),
        Value::Object(map) => {
            let own = |(key, value): (&String, &Value)| match value {
                Value::String(id) if is_id(key) => (key.clone(), format!("{id}{number:04x}").into()),
                value => (key.clone(), with_own_ids(value, number)),
            };
            map.iter().map(own).collect()
        }
        other => other.clone(),
    }
}

/// Whether it tells calls or messages apart, and not the runs.
fn is_id(key: &str) -> bool {
    const IDS: [&str; 9] = [
        "id",
        "call_id",
        "source_call_id",
        "tool_call_id",
        "tool_use_id",
        "toolCallId",
        "tool_id",
        "uuid",
        "parentUuid",
    ];
    IDS.contains(&key)
}

fn memory_of_reading(path: &Path) -> f64 {
    let program = env::current_exe().expect("this program");
    let mut reading = Command::new(program);
    for setting in MEMORY_SETTINGS {
        reading.env_remove(setting);
    }
    let output = reading.env(SUBJECT, path).output().expect("it starts");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number of bytes")
}

fn read_alone(path: &Path) {
    let text = fs::read_to_string(path).expect("a file");
    read(&text);
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    let kilobytes = peak.split_whitespace().next().and_then(|number| number.parse::<usize>().ok());
    println!("{}", kilobytes.expect("a number") * 1024);
}

#[expect(clippy::cast_precision_loss, reason = "a few megabytes")]
fn as_f64(bytes: usize) -> f64 {
    bytes as f64
}

fn samples(format: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/arraign-trace/tests/reader").join(format);
    let entries = fs::read_dir(folder).expect("samples").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| is_sample(path)).collect();
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).expect("a file")).collect()
}

/// What was read is pinned beside a sample; YAML is not what `Value` is measured on.
fn is_sample(path: &Path) -> bool {
    path.extension().is_some_and(|end| end != "txt" && end != "yaml" && end != "yml")
}
