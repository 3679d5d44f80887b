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
        if std::env::var_os("BLESS").is_some() {
            fs::write(&pinned, &shown).expect("it is written");
        } else if fs::read_to_string(&pinned).ok().as_ref() != Some(&shown) {
            wrong.push(format!("{}\n{shown}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "BLESS=1 accepts these:\n{}", wrong.join("\n"));
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
    let path = call.agent_path.iter().fold(String::new(), |path, agent| path + agent + " > ");
    let server = call.server.as_ref().map_or_else(String::new, |server| format!("{server}/"));
    write!(
        out,
        "  {}. turn {} {:?} {path}{server}{}({})",
        call.index, call.turn, call.id, call.name, call.arguments
    )?;
    write!(out, " {:?}", call.status)?;
    call.result.iter().try_for_each(|result| write!(out, " -> {result}"))?;
    call.error.iter().try_for_each(|error| write!(out, " error {error:?}"))?;
    call.exit_code.iter().try_for_each(|code| write!(out, " exit {code}"))?;
    let times = (call.started_ms, call.duration_ms);
    match times {
        (None, None) => writeln!(out),
        (start, length) => writeln!(out, " at {start:?} for {length:?}"),
    }
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
            assert_ne!(run.calls[0].status, CallStatus::Error, "{name}");
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
        // What is cut inside a value is not JSON, wherever it is; what is cut between two lines is shorter.
        let cuts = (600_000 / whole.len().max(1)).clamp(20, 500);
        let step = (whole.len() / cuts).max(1);
        let line_ends = whole.match_indices('\n').flat_map(|(at, _)| [at, at + 1]);
        let ends = (0..whole.len()).step_by(step).chain(line_ends);
        for end in ends.filter(|end| whole.is_char_boundary(*end)) {
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
        for document in documents(&path) {
            let mut places = Vec::new();
            collect(&document, String::new(), &mut places);
            // A large document repeats its shapes: there each place meets some of the strangers, in turn.
            let each = (600_000 / document.to_string().len() / places.len()).clamp(1, strangers.len());
            let turns = places.iter().zip((0..).step_by(each));
            let pairs = turns.flat_map(|(place, turn)| {
                strangers.iter().cycle().skip(turn % 7).take(each).map(move |other| (place, other))
            });
            for (place, stranger) in pairs {
                let mut changed = document.clone();
                *changed.pointer_mut(place).expect("a place") = stranger.clone();
                let changed = changed.to_string();
                if reader::read(&changed, None).is_err() {
                    let _ = reader::read(&changed, Some(&format));
                }
            }
        }
    }
}

/// A file's document, or those of its lines that differ from the one before in length: streams repeat themselves.
fn documents(path: &Path) -> Vec<Value> {
    let whole = text(path);
    if path.extension().is_some_and(|end| end == "jsonl") {
        let mut lines: Vec<&str> = whole.lines().filter(|line| !line.is_empty()).collect();
        lines.dedup_by_key(|line| line.len());
        return lines.into_iter().take(4).map(|line| serde_json::from_str(line).expect("a line")).collect();
    }
    serde_json::from_str(&whole).into_iter().collect()
}

fn collect(value: &Value, at: String, places: &mut Vec<String>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        Value::Object(map) => {
            map.iter().map(|(key, item)| (key.replace('~', "~0").replace('/', "~1"), item)).collect()
        }
        _ => Vec::new(),
    };
    for (step, item) in below {
        collect(item, format!("{at}/{step}"), places);
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

/// Files of other writers, cut to what tells them apart.
const FOREIGN: &[(&str, &str)] = &[
    (
        "responses items",
        r#"[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]"#,
    ),
    (
        "responses message",
        r#"[{"role":"user","content":"hi"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}]"#,
    ),
    (
        "responses object",
        r#"{"object":"response","output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}"#,
    ),
    ("agents sdk span", r#"{"object":"trace.span","span_data":{"type":"function","name":"f","input":"{}"}}"#),
    ("mcp", r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f","arguments":{}}}"#),
    (
        "claude code",
        r#"{"type":"assistant","message":{"id":"m","type":"message","role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},"sessionId":"s","uuid":"u"}"#,
    ),
    (
        "claude code result",
        r#"{"type":"result","subtype":"success","result":"done","num_turns":2,"session_id":"s"}"#,
    ),
    (
        "codex",
        r#"{"type":"response_item","payload":{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}}"#,
    ),
    ("atif", r#"{"schema_version":"ATIF-v1.4","steps":[{"step_id":1,"source":"user","message":"hi"}]}"#),
    ("gemini cli", r#"{"type":"message","role":"user","content":"hi"}"#),
    ("chat chunks", r#"{"object":"chat.completion.chunk","choices":[{"delta":{"content":"x"}}]}"#),
    ("strings", r#"["a","b"]"#),
    ("nothing", "[]"),
];

#[test]
fn files_of_other_writers_are_declined_with_every_readers_reason() {
    for (name, text) in FOREIGN {
        let error = reader::read(text, None).expect_err(name);
        let TraceProblem::Unknown(declined) = error.problem else { panic!("{name}: {error}") };
        assert_eq!(declined.len(), reader::READERS.len(), "{name}");
    }
}

/// What a path says of its file's format.
const FORMATS: &[(&str, &str)] = &[
    ("-openai-chat/", "openai-chat"),
    ("-anthropic/", "anthropic"),
    ("-maf/", "maf"),
    ("-langchain/", "langchain"),
    ("-otel/", "otel"),
    ("/gemini_contents", "gemini"),
    ("/gemini_cli", "gemini-cli"),
    ("/adk_", "adk"),
    ("-pydantic-ai/", "pydantic-ai"),
    ("-inspect/", "inspect"),
    ("-vercel-ai/", "vercel-ai"),
    ("-rig/", "rig"),
];

#[test]
fn a_folder_of_traces_is_read_by_the_right_readers() {
    let Some(folder) = std::env::var_os("ARRAIGN_CONFORMANCE_DIR") else { return };
    let mut wrong = Vec::new();
    for path in files(&Path::new(&folder).join("traces")) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let name = path.to_string_lossy();
        let own = FORMATS.iter().find(|(part, _)| name.contains(part)).map(|(_, format)| *format);
        // A list of plain messages is the same in many formats.
        let plain =
            ["convert_to_openai_messages", "response.messages"].iter().any(|part| name.contains(part));
        match (reader::read(&text, None), own) {
            (Ok(recording), Some(own)) if recording.format == own => {}
            (Ok(recording), _) if plain && ["openai-chat", "anthropic"].contains(&recording.format) => {}
            (Err(error), None) if !matches!(error.problem, TraceProblem::Wrong { .. }) => {}
            (Ok(recording), _) => wrong.push(format!("{name}: read as {}", recording.format)),
            (Err(error), _) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    let all = list(folder).into_iter().flat_map(below);
    all.filter(|path| path.extension().is_some_and(|end| end == "json" || end == "jsonl")).collect()
}
