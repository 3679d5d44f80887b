//! Readers, held against real files: each file's reading is pinned beside it, and no text makes a reader panic.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use arraign_trace::json::{self, Json, json};
use arraign_trace::reader::{self, Recording, TraceProblem};
use arraign_trace::trace::{Call, Ended, Results, StatusMark, ToolServer, Trace};

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

/// A reader that the user names may find the texts of a foreign file, and none of its calls.
#[test]
fn a_named_reader_that_declines_a_file_reads_calls_or_nothing() {
    let mut refused = 0;
    for (own, path) in samples() {
        let text = text(&path);
        // Each file is read by each reader, and the large ones show nothing more.
        if text.len() > 20_000 || read(&path).runs.iter().all(|run| run.calls.is_empty()) {
            continue;
        }
        let claims = reader::claims(&text).expect("JSON");
        for other in
            reader::READERS.iter().filter(|other| !claims.iter().any(|(name, _)| *name == other.name))
        {
            match reader::read(&text, Some(other.name)) {
                Ok(recording) => {
                    let is_called = recording.runs.iter().any(|run| !run.calls.is_empty());
                    assert!(is_called, "{own} as {}: {}", other.name, path.display());
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 1000, "{refused}");
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
    if trace.ended != Ended::Unknown || trace.results != Results::Recorded {
        writeln!(out, "ended {}, results {:?}", trace.ended, trace.results)?;
    }
    writeln!(out, "input {:?}", trace.input)?;
    for (index, call) in trace.calls.iter().enumerate() {
        render_messages(out, trace, index)?;
        render_call(out, call)?;
    }
    render_messages(out, trace, trace.calls.len())?;
    trace.unread.iter().try_for_each(|part| writeln!(out, "unread {part}"))?;
    writeln!(out, "answer {:?}", trace.answer)?;
    writeln!(out, "usage {:?}, cost {:?}, duration {:?}", trace.usage, trace.cost_usd, trace.duration_ms)
}

fn render_messages(out: &mut String, trace: &Trace, after: usize) -> std::fmt::Result {
    let here = trace.messages.iter().filter(|message| message.after_calls == after);
    here.into_iter().try_for_each(|message| writeln!(out, "  {:?}: {:?}", message.role, message.text))
}

fn render_call(out: &mut String, call: &Call) -> std::fmt::Result {
    let path: String = call.agent_path.iter().flat_map(|agent| [agent, " > "]).collect();
    let server = match &call.server {
        ToolServer::Named(server) => format!("{server}/"),
        ToolServer::BuiltIn => "(built in)/".to_owned(),
        ToolServer::NotRecorded => String::new(),
    };
    write!(
        out,
        "  {}. turn {} {:?} {path}{server}{}({})",
        call.index, call.turn, call.id, call.name, call.arguments
    )?;
    call.written.iter().try_for_each(|written| write!(out, " as {written}"))?;
    write!(out, " {:?}", call.status)?;
    if call.status_mark != StatusMark::Recorded {
        write!(out, " ({:?})", call.status_mark)?;
    }
    call.result.iter().try_for_each(|result| write!(out, " -> {result}"))?;
    call.error.iter().try_for_each(|error| write!(out, " error {error:?}"))?;
    call.exit_code.iter().try_for_each(|code| write!(out, " exit {code}"))?;
    let times = (call.started_ms, call.duration_ms);
    match times {
        (None, None) => writeln!(out),
        (start, length) => writeln!(out, " at {start:?} for {length:?}"),
    }
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

/// The longest text whose every value is changed: each change reads it all again.
const CHANGED_BYTES: usize = 8_000;

#[test]
fn a_value_of_another_type_is_an_error_or_a_trace() {
    let strangers =
        [json!(null), json!(true), json!(-7), json!("text"), json!([]), json!({}), json!([{"type": "text"}])];
    for (format, path) in samples() {
        let document = document(&path);
        let places = crate::places::places(&document);
        // A place gets one or some of them, its neighbours the others.
        let every = if places.len() > 100 { strangers.len() } else { 2 };
        // A large document repeats its shapes, and each change reads it all again.
        let stride = 1 + places.len() * document.to_string().len() / 4_000_000;
        for (number, place) in places.iter().step_by(stride).enumerate() {
            for stranger in strangers.iter().skip(number % every).step_by(every) {
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

/// A file as one document. Lines are the elements of a list: to a reader that is the same.
fn document(path: &Path) -> Json {
    let whole = text(path);
    if let Ok(document) = json::from_str(&whole) {
        return document;
    }
    let lines = whole.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
    let mut length = 0;
    let few = lines.take_while(|line| {
        length += line.len();
        length < CHANGED_BYTES
    });
    Json::Array(few.filter_map(|line| json::from_str(line).ok()).collect())
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
    ("gemini cli", r#"{"type":"message","role":"user","content":"hi"}"#),
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

/// What is recorded of a live run must replay as the same run.
#[test]
fn each_sample_survives_being_written_in_the_native_form() {
    for (_, path) in samples() {
        for trace in read(&path).runs {
            let written = reader::to_native(&trace);
            let again = reader::read(&written, None)
                .unwrap_or_else(|error| panic!("{}: {error}\n{written}", path.display()));
            assert_eq!((again.format, again.runs.as_slice()), ("native", &[trace][..]), "{written}");
        }
    }
}
