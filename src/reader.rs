//! Reads trace files and the traces in cases: with the readers of [`arraign_trace`], and the native form in YAML.
//!
//! A text that is not JSON is read as YAML, in which each document is one run.

use std::io::{BufRead, Seek};
use std::sync::LazyLock;

#[doc(hidden)]
pub use arraign_trace::reader::FileCondition;
use arraign_trace::reader::{self, NativeMistake, RunIndex, TextReaders, read_native, recognize_text};
pub use arraign_trace::reader::{
    Certainty, DeclarationSurvey, Declined, ForeignFile, READERS, Reader, ReaderDeclaration, ReaderSet,
    ReaderSurvey, Recording, Runs, SurveyedPath, TraceError, TraceProblem, to_native,
};
pub(crate) use arraign_trace::reader::{TrialFiles, read_harbor_trial};
#[cfg(feature = "inspect-zip")]
pub use arraign_trace::reader::{ZippedRuns, read_zipped, zipped_runs};

use crate::check::{SHIPPED_READERS, load_shipped_readers};
use crate::place::{LoadError, LoadErrors, Place, Source};
use crate::trace::{Ended, Trace};
use crate::yaml::{Document, Node};

/// The name of the reader of traces that are written by hand.
const NATIVE: &str = "native";

/// Reads the text of a trace file with the reader called `format`, or else with the most certain one.
pub fn read(text: &str, format: Option<&str>) -> Result<Recording, TraceError> {
    read_with(&ReaderSet::default(), text, format)
}

/// Reads the text of a trace file, as [`read`] does, with the declared readers of `readers` beside the built-in ones.
pub fn read_with(readers: &ReaderSet, text: &str, format: Option<&str>) -> Result<Recording, TraceError> {
    // Only native traces are written in YAML; the other formats are JSON.
    if is_yaml(text) && format.is_none_or(|format| format == NATIVE) {
        return read_yaml(text);
    }
    readers.read(text, format).map_err(|error| propose_shipped(text, error))
}

/// Adds to the error about a file that no reader knows which of the shipped readers read it.
fn propose_shipped(text: &str, mut error: TraceError) -> TraceError {
    if matches!(error.problem, TraceProblem::Unknown(_))
        && let [first, more @ ..] = find_shipped_readers(text).as_slice()
    {
        let names: Vec<String> = [first].into_iter().chain(more).map(|name| format!("`{name}`")).collect();
        error.help = Some(format!(
            "the readers of {} read it: `readers: [{first}]` in arraign.yaml declares them",
            names.join(" or ")
        ));
    }
    error
}

/// Returns the frameworks whose shipped readers read most of a file that no built-in reader knows.
#[doc(hidden)]
pub fn find_shipped_readers(text: &str) -> Vec<&'static str> {
    // A run may have many files of one unknown format.
    static SHIPPED: LazyLock<Vec<(&str, ReaderSet)>> = LazyLock::new(|| {
        let loaded = SHIPPED_READERS
            .iter()
            .filter_map(|shipped| Some((shipped.name, load_shipped_readers(shipped).ok()?)));
        loaded.collect()
    });
    let read = SHIPPED.iter().filter_map(|(name, readers)| {
        let recording = readers.read(text, None).ok()?;
        let unread: usize = recording.runs.iter().map(|run| run.unread.len()).sum();
        Some((unread, *name))
    });
    let read: Vec<(usize, &str)> = read.collect();
    let least = read.iter().map(|(unread, _)| *unread).min();
    read.iter().filter(|(unread, _)| Some(*unread) == least).map(|(_, name)| *name).collect()
}

/// Reads the text of a trace file in this condition, as [`read_with`] does. What was cut off leaves its last run cut.
pub(crate) fn read_in_condition(
    readers: &ReaderSet,
    text: &str,
    format: Option<&str>,
    condition: FileCondition,
) -> Result<Recording, TraceError> {
    let cut = if condition.is_partial { reader::cut_last_line(text) } else { None };
    let (whole, line) = cut.map_or((text, None), |(whole, line)| (whole, Some(line)));
    let turned = if condition.is_reversed { Some(reader::reverse_records(whole)?) } else { None };
    let mut recording = read_with(readers, turned.as_deref().unwrap_or(whole), format)?;
    // In reverse order, the first run of the file is the one that was cut.
    let last = if condition.is_reversed { recording.runs.first_mut() } else { recording.runs.last_mut() };
    if let (Some(run), Some(line)) = (last, line) {
        run.ended = Ended::Cut(format!("the file ends within line {line}"));
    }
    Ok(recording)
}

/// Chooses the run with the id or the number `wanted`, as [`read_run`] does.
pub(crate) fn choose_run(runs: Vec<Trace>, wanted: &str) -> Result<Trace, TraceError> {
    reader::choose_run(runs, wanted)
}

/// The readers of files, who read native traces in YAML as well.
fn readers_of_text(readers: &ReaderSet) -> TextReaders {
    TextReaders { set: readers.clone(), read_text: read_with }
}

/// Returns the readers that claim `text`, with their certainty, the most certain first.
pub fn claims(text: &str) -> Result<Vec<(&'static str, Certainty)>, TraceError> {
    claims_with(&ReaderSet::default(), text)
}

/// The readers of `readers` that take `text` for a file of theirs, as [`claims`] says.
pub fn claims_with(readers: &ReaderSet, text: &str) -> Result<Vec<(&'static str, Certainty)>, TraceError> {
    if is_yaml(text) {
        return read_yaml(text).map(|recording| vec![(recording.format, Certainty::Sure)]);
    }
    readers.claims(text)
}

/// Reads the runs of a trace file one after the other, as [`arraign_trace::reader::runs`] does.
pub fn runs<R: BufRead + Seek>(file: R, format: Option<&str>) -> Result<Runs<R>, TraceError> {
    runs_with(&ReaderSet::default(), file, format)
}

/// Reads the runs of a trace file, as [`runs`] does, by one of `readers`.
pub fn runs_with<R: BufRead + Seek>(
    readers: &ReaderSet,
    file: R,
    format: Option<&str>,
) -> Result<Runs<R>, TraceError> {
    reader::runs_with(file, format, readers_of_text(readers))
}

/// Reads the run called `wanted` out of a trace file, as [`arraign_trace::reader::read_run`] does.
pub fn read_run(
    file: &mut (impl BufRead + Seek),
    format: Option<&str>,
    wanted: &str,
) -> Result<Recording, TraceError> {
    read_run_with(&ReaderSet::default(), file, format, wanted)
}

/// Reads one run of a trace file, as [`read_run`] does, by one of `readers`.
pub fn read_run_with(
    readers: &ReaderSet,
    file: &mut (impl BufRead + Seek),
    format: Option<&str>,
    wanted: &str,
) -> Result<Recording, TraceError> {
    reader::read_run_with(file, format, wanted, &readers_of_text(readers))
}

/// Finds the runs of a trace file. If they can only be found by decoding them, the decoded runs are returned as well.
pub(crate) fn index_runs(
    readers: &ReaderSet,
    file: &mut (impl BufRead + Seek),
    format: Option<&str>,
) -> Result<(RunIndex, Vec<Trace>), TraceError> {
    RunIndex::find(file, format, readers_of_text(readers))
}

/// Reads a trace in a case: a mapping, or a list of steps. The error contains all mistakes.
#[doc(hidden)]
pub fn inline(node: Node<'_>) -> Result<Trace, LoadErrors> {
    read_native(node.to_json()).map_err(|mistakes| {
        let mut errors = LoadErrors::new();
        for mistake in mistakes {
            errors.push(locate_mistake(node, mistake));
        }
        // Mistakes come by step, and an author reads a file by line.
        errors.sort_by_place();
        errors
    })
}

/// Converts a mistake to an error at the place in the file that its pointer leads to.
fn locate_mistake(node: Node<'_>, mistake: NativeMistake) -> LoadError {
    let NativeMistake { pointer, on_key, problem, help, .. } = mistake;
    let place = if on_key { key_place(node, &pointer) } else { None };
    let place = place.or_else(|| node.pointer(&pointer).map(Node::place));
    LoadError::new(place.unwrap_or_else(|| node.place()), problem).help_if(help)
}

fn key_place(node: Node<'_>, pointer: &str) -> Option<Place> {
    let (parent, key) = pointer.rsplit_once('/')?;
    Some(node.pointer(parent)?.key_place(&crate::yaml::unescape_token(key)))
}

/// Whether the text is neither JSON nor a stream of events.
fn is_yaml(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    !text.trim().is_empty() && !reader::looks_like_json(text)
}

/// Reads native traces from a YAML file, in which each document is one run.
fn read_yaml(text: &str) -> Result<Recording, TraceError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Almost any text is valid YAML, so a trace must have one of the native form's keys at the start of a line.
    if !text.lines().any(|line| ["steps:", "calls:", "- "].iter().any(|key| line.starts_with(key))) {
        return Err(recognize_text(text).unwrap_or_else(|| TraceProblem::NotATrace.into()));
    }
    let runs = read_documents(text).map_err(|errors| describe_mistakes(&errors))?;
    if runs.is_empty() {
        return Err(TraceProblem::Empty.into());
    }
    Ok(Recording::new(NATIVE, runs))
}

fn read_documents(text: &str) -> Result<Vec<Trace>, LoadErrors> {
    let documents = Document::parse(&Source::new("trace", text))?;
    let mut errors = LoadErrors::new();
    let runs = documents.iter().filter_map(|document| errors.take(inline(document.root()))).collect();
    errors.sort_by_place();
    errors.or(runs)
}

/// Renders each mistake on a line, with its line and column. The caller adds the file's name.
fn describe_mistakes(errors: &LoadErrors) -> TraceError {
    let lines = errors.iter().map(|error| {
        let at = error.place.locate();
        let help = error.help.as_ref().map_or_else(String::new, |help| format!(" (help: {help})"));
        format!("line {}, column {}: {}{help}", at.line, at.column, error.problem)
    });
    let problem = lines.collect::<Vec<_>>().join("\n");
    let line = errors.iter().next().map(|error| error.place.locate().line);
    TraceProblem::Wrong { format: NATIVE, line, problem }.into()
}
