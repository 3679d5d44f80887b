//! Readers, held against real files: each file's reading is pinned beside it, and no text makes a reader panic.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use arraign::reader::{self, Recording, TraceProblem};
use arraign::trace::{Call, CallStatus, Trace};
use serde_json::{Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader")
}

/// All samples: the format that their folder names, and their path.
fn samples() -> Vec<(String, PathBuf)> {
    let mut samples = Vec::new();
    for format in list(&folder()) {
        let name = format.file_name().expect("a name").to_string_lossy().into_owned();
        let files = list(&format).into_iter().filter(|path| path.extension().is_some_and(|end| end != "txt"));
        samples.extend(files.map(|path| (name.clone(), path)));
    }
    samples
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.sort();
    paths
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

fn read(path: &Path) -> Recording {
    reader::read(&text(path), None).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn each_sample_reads_as_it_is_pinned() {
    let mut wrong = Vec::new();
    for (format, path) in samples() {
        let recording = read(&path);
        assert_eq!(recording.format, format, "{}", path.display());
        let pinned =
            path.with_file_name(format!("{}.txt", path.file_name().expect("a name").to_string_lossy()));
        let shown = render(&recording);
        if std::env::var_os("ARRAIGN_BLESS").is_some() {
            fs::write(&pinned, &shown).expect("it is written");
        } else if fs::read_to_string(&pinned).ok().as_ref() != Some(&shown) {
            wrong.push(format!("{}\n{shown}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "ARRAIGN_BLESS=1 accepts these:\n{}", wrong.join("\n"));
}

fn render(recording: &Recording) -> String {
    let mut shown = format!("{}\n", recording.format);
    for trace in &recording.runs {
        render_run(&mut shown, trace).expect("a string takes it");
    }
    shown
}

fn render_run(out: &mut String, trace: &Trace) -> std::fmt::Result {
    writeln!(
        out,
        "\nid {:?}, agent {:?}, model {:?}, stop {:?}",
        trace.id, trace.agent, trace.model, trace.stop_reason
    )?;
    writeln!(out, "input {:?}", trace.input)?;
    for (index, call) in trace.calls.iter().enumerate() {
        render_messages(out, trace, index)?;
        render_call(out, call)?;
    }
    render_messages(out, trace, trace.calls.len())?;
    writeln!(out, "answer {:?}", trace.answer)?;
    writeln!(out, "usage {:?}, cost {:?}, duration {:?}", trace.usage, trace.cost_usd, trace.duration_ms)
}

fn render_messages(out: &mut String, trace: &Trace, after: usize) -> std::fmt::Result {
    let here = trace.messages.iter().filter(|message| message.after_calls == after);
    here.into_iter().try_for_each(|message| writeln!(out, "  {:?}: {:?}", message.role, message.text))
}

fn render_call(out: &mut String, call: &Call) -> std::fmt::Result {
    let server = call.server.as_ref().map_or_else(String::new, |server| format!("{server}/"));
    write!(
        out,
        "  {}. turn {} {:?} {server}{}({})",
        call.index, call.turn, call.id, call.name, call.arguments
    )?;
    write!(out, " {:?}", call.status)?;
    call.result.iter().try_for_each(|result| write!(out, " -> {result}"))?;
    call.error.iter().try_for_each(|error| write!(out, " error {error:?}"))?;
    call.exit_code.iter().try_for_each(|code| write!(out, " exit {code}"))?;
    let times = (call.started_ms, call.duration_ms);
    if times != (None, None) { writeln!(out, " at {:?} for {:?}", times.0, times.1) } else { writeln!(out) }
}

/// The samples that hold the scenario that was run through all formats, whole.
const CANONICAL: &[&str] = &[
    "openai-chat/messages.json",
    "openai-chat/messages_with_tools.json",
    "openai-chat/request_response_log.jsonl",
    "anthropic/messages.json",
    "anthropic/request_with_system.json",
    "anthropic/responses.jsonl",
    "maf/agent_session.v1.23.0.to_dict.json",
    "maf/dotnet_agent_response.constructed.json",
    "native/steps.yaml",
    "run-lines/runs.jsonl",
    "episodes/events.jsonl",
    "tool-events/events.jsonl",
];

/// Formats that cannot tell which calls were parallel.
const SERIAL: &[&str] = &["run-lines", "episodes", "tool-events"];

/// Those whose files cannot tell which call failed: they have no word for it, or no results.
const BLIND: &[&str] = &["openai-chat", "anthropic/responses.jsonl"];

fn canonical() -> Vec<String> {
    let maf = samples().into_iter().filter(|(format, path)| {
        let name = path.file_name().expect("a name").to_string_lossy();
        format == "maf"
            && (name.starts_with("agent_response.chat")
                || name.starts_with("agent_response.resp")
                || name.contains("updates"))
    });
    let maf = maf
        .map(|(_, path)| path.strip_prefix(folder()).expect("below it").to_string_lossy().replace('\\', "/"));
    CANONICAL.iter().map(|name| (*name).to_owned()).chain(maf).collect()
}

#[test]
fn one_scenario_is_one_trace_in_every_format() {
    let names = canonical();
    assert_eq!(names.len(), 27, "a sample was added or lost");
    for name in names {
        let recording = read(&folder().join(&name));
        let run = &recording.runs[0];
        let serial = SERIAL.iter().any(|format| name.starts_with(format));
        let turns: Vec<usize> = run.calls.iter().map(|call| call.turn).collect();
        assert_eq!(turns, if serial { [1, 2, 3] } else { [1, 1, 2] }, "{name}");
        assert_eq!(run.tool_names(), ["get_order", "get_shipping_quote", "get_shipping_quote"], "{name}");
        let arguments: Vec<Option<&Value>> = run.calls.iter().map(|call| call.arguments.json()).collect();
        let expected = [
            json!({"order_id": "1042"}),
            json!({"city": "Oslo", "weight_kg": 1.2}),
            json!({"city": "Oslo", "weight_kg": 1.2, "carrier": "postnord"}),
        ];
        assert_eq!(arguments, expected.each_ref().map(Some), "{name}");
        if !BLIND.iter().any(|blind| name.starts_with(blind)) {
            assert_eq!(run.calls[0].status == CallStatus::Error, false, "{name}");
            assert_eq!(run.calls[1].status, CallStatus::Error, "{name}");
        }
        if !name.starts_with("tool-events") {
            let answer = "Order 1042 has shipped (tracking TRK-88). Reshipping to Oslo costs $18.50.";
            assert_eq!(run.answer.as_deref(), Some(answer), "{name}");
        }
    }
}

#[test]
fn tokens_are_the_runs_own_wherever_the_format_tells_them() {
    let mut told = BTreeSet::new();
    for name in canonical() {
        let Some(usage) = read(&folder().join(&name)).runs[0].usage else { continue };
        let figures = (usage.input_tokens, usage.output_tokens);
        let expected = if usage.partial { (260, 30) } else { (590, 95) };
        assert_eq!(figures, expected, "{name}");
        let cached = if usage.partial { 128 } else { 192 };
        assert_eq!(usage.cached_tokens.unwrap_or(cached), cached, "{name}");
        told.insert((name.split('/').next().unwrap_or_default().to_owned(), usage.partial));
    }
    let expected =
        [("anthropic", false), ("maf", false), ("maf", true), ("native", false), ("openai-chat", false)];
    assert_eq!(told, expected.map(|(format, partial)| (format.to_owned(), partial)).into());
}

#[test]
fn a_file_cut_anywhere_is_an_error_or_a_trace() {
    for (format, path) in samples() {
        let whole = text(&path);
        // Every byte of a short file; of a long one, as many as a test has time for.
        let step = (whole.len() / 2_000).max(1);
        for end in (0..whole.len()).step_by(step).filter(|end| whole.is_char_boundary(*end)) {
            let _ = reader::read(&whole[..end], None);
        }
        let _ = reader::read(&whole, Some(&format));
    }
}

#[test]
fn a_value_of_another_type_is_an_error_or_a_trace() {
    let strangers =
        [json!(null), json!(true), json!(-7), json!("text"), json!([]), json!({}), json!([{"type": "text"}])];
    for (format, path) in samples() {
        let whole = text(&path);
        let Ok(document) = serde_json::from_str::<Value>(
            whole
                .lines()
                .next()
                .filter(|_| path.extension().is_some_and(|end| end == "jsonl"))
                .unwrap_or(&whole),
        ) else {
            continue;
        };
        let mut places = Vec::new();
        collect(&document, String::new(), &mut places);
        for (place, stranger) in
            places.iter().flat_map(|place| strangers.iter().map(move |other| (place, other)))
        {
            let mut changed = document.clone();
            *changed.pointer_mut(place).expect("a place") = stranger.clone();
            let changed = changed.to_string();
            let _ = reader::read(&changed, None);
            let _ = reader::read(&changed, Some(&format));
        }
    }
}

fn collect(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| collect(item, format!("{at}/{index}"), places))
        }
        Value::Object(map) => map.iter().for_each(|(key, item)| {
            let key = key.replace('~', "~0").replace('/', "~1");
            collect(item, format!("{at}/{key}"), places);
        }),
        _ => {}
    }
    places.push(at);
}

#[test]
fn every_reader_survives_every_sample() {
    for (_, path) in samples() {
        let whole = text(&path);
        for reader in reader::READERS {
            let _ = reader::read(&whole, Some(reader.name));
        }
    }
}
