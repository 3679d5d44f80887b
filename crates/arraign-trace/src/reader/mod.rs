//! Trace formats to [`Trace`]: the table of readers, detection by content, and reading.
//!
//! [`read`] reads a text, [`runs`] a file of any size run by run, and [`read_run`] one run of it.
//!
//! A user declares a reader by the paths of its format ([`ReaderDeclaration`]); a [`ReaderSet`] holds declared readers.
//!
//! A new format is one file or folder in `formats/`, its entry in [`READERS`], and its samples under `tests/reader/`. A reader
//! says how certain it is of a file, or why the file is not its own; the surest reads it. The file's name never counts.

mod build;
mod declared;
mod error;
mod foreign;
mod formats;
mod harbor;
mod json;
mod large;
mod reason;
mod set;

use std::fmt;

pub use declared::{DeclarationSurvey, ReaderDeclaration, SurveyedPath};
pub use error::{Declined, ForeignFile, TraceError, TraceProblem};
pub use formats::READERS;
#[cfg(feature = "inspect-zip")]
pub use formats::inspect::{ZippedRuns, read_zipped, zipped_runs};

use crate::json::JsonNode;
#[doc(hidden)]
pub use foreign::recognize_text;
pub(crate) use formats::atif::own;
#[doc(hidden)]
pub use formats::native::NATIVE_KEYS;
pub(crate) use formats::native::to_native_map;
pub use formats::native::{NativeMistake, read_native, to_native};
pub use harbor::{TrialFiles, read_harbor_trial};
#[doc(hidden)]
pub use json::input::looks_like_json;
#[doc(hidden)]
pub use large::index::{ReadText, RunIndex, TextReaders};
pub use large::one_run::read_run;
#[doc(hidden)]
pub use large::one_run::{choose_run, read_run_with};
#[doc(hidden)]
pub use large::runs::runs_with;
pub use large::runs::{Runs, runs};
pub use set::{ReaderSet, ReaderSurvey};

use crate::text_halves::join_halves;
use crate::trace::{Trace, UnreadContent, UnreadPart};
use build::offered_tools::OfferedTools;
use error::DecodeError;
use json::input::{Input, InputSource};
use json::record_marks::Mark;
use large::pieces::Splitting;
use reason::Reason;

/// A trace format's entry in the table.
#[derive(Clone, Copy)]
pub struct Reader {
    /// The name of the format, in `trace: {file, format}` and in every report.
    pub name: &'static str,
    /// The files that this reader reads, in a few words.
    pub summary: &'static str,
    /// Each file of the format has one of these marks. A reader without any is asked about every file.
    marks: &'static [Mark],
    detect: fn(&Input) -> Detection,
    read: fn(Input) -> Result<Vec<Trace>, DecodeError>,
    cuts: Splitting,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader({})", self.name)
    }
}

impl Reader {
    /// Says how certain this reader is, or `None` if it declines. Most readers decline for want of a mark.
    fn claim(&self, input: &Input) -> Option<Certainty> {
        let may_claim = self.marks.is_empty() || input.may_have_any(self.marks);
        may_claim.then(|| (self.detect)(input).ok()).flatten()
    }

    /// Reads the runs, with the identity of each called tool.
    fn read_runs(&self, input: Input) -> Result<Vec<Trace>, DecodeError> {
        let source = input.source;
        let has_halves = input.has_halves;
        let offers = OfferedTools::of(&input.records);
        let is_reversed = build::reversed_log::is_reversed(&input, self.name);
        let mut runs = (self.read)(input)?;
        if has_halves {
            runs.iter_mut().for_each(join_halves);
        }
        build::missed_calls::note_missed_calls(&mut runs, source);
        for run in &mut runs {
            settle_run(run);
            // Only people leave out results.
            if self.name != formats::native::READER.name {
                run.note_results(OF_MODELS.contains(&self.name));
            }
        }
        let is_alone = runs.len() == 1 && matches!(source, InputSource::File(_));
        offers.note(&mut runs, is_alone);
        if is_reversed {
            build::reversed_log::note_reversed(&mut runs);
        }
        Ok(runs)
    }
}

/// The formats in which people keep what a model replied, with or without an agent around it.
const OF_MODELS: [&str; 6] =
    ["openai-chat", "anthropic", "openai-responses", "gemini", "bedrock", "model-exchanges"];

/// Finds what all formats write alike: the server in the name of a tool, how a run ended by the reason why it stopped, and
/// reasoning and calls in texts.
fn settle_run(run: &mut Trace) {
    build::tool_name::split_common_names(run);
    run.settle_ending();
    run.settle_texts();
}

/// How certain a reader is, or why it declines.
type Detection = Result<Certainty, Reason>;

/// How certain a reader is that a file is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Certainty {
    /// Plausible: no evidence against this format.
    Possible,
    /// Has a marker that is rare in other formats.
    Likely,
    /// Contains what only this format has.
    Sure,
}

/// In a word.
impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Possible => "possible",
            Self::Likely => "likely",
            Self::Sure => "sure",
        })
    }
}

/// The content of a trace file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Recording {
    /// The name of the reader that read it.
    pub format: &'static str,
    /// The runs of the file, in order. Never empty.
    pub runs: Vec<Trace>,
}

impl Recording {
    /// The runs that a file in `format` contains.
    pub fn new(format: &'static str, runs: Vec<Trace>) -> Self {
        Self { format, runs }
    }
}

/// Reads the text of a trace file by the reader called `format`, or else by the one that is surest of it.
pub fn read(text: &str, format: Option<&str>) -> Result<Recording, TraceError> {
    ReaderSet::default().read(text, format)
}

/// The condition of a trace file, which its reader cannot know.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileCondition {
    /// The records come newest first.
    pub is_reversed: bool,
    /// The writer may have been stopped within the last line.
    pub is_partial: bool,
}

impl FileCondition {
    /// Whether the file is as its writer left it.
    pub fn is_usual(self) -> bool {
        self == Self::default()
    }
}

/// Returns the text of a file with its records in the opposite order, one a line.
#[doc(hidden)]
pub fn reverse_records(text: &str) -> Result<String, TraceError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let input = Input::parse(text)?;
    let records = input.records.iter().rev();
    Ok(records.map(|record| record.value.to_string() + "\n").collect())
}

/// Returns the part of a file that is whole, if its writer was stopped within its last line: the text before that line, and
/// the number of the line.
#[doc(hidden)]
pub fn cut_last_line(text: &str) -> Option<(&str, usize)> {
    let whole = text.trim_end();
    if Input::parse(whole.strip_prefix('\u{feff}').unwrap_or(whole)).is_ok() {
        return None;
    }
    let last = whole.rfind('\n')? + 1;
    let line = whole[..last].matches('\n').count() + 1;
    Some((&whole[..last], line))
}

/// Reads a file by the built-in reader called `format`, or else by the one that is surest of it.
fn read_built_in(input: Input, format: Option<&str>) -> Result<Recording, TraceError> {
    if let Some(reader) = format.map(named).transpose()? {
        return read_named(&reader, input);
    }
    let Claimants { readers, certainty } = surest(&input)?;
    let source = input.source;
    let is_bare = is_bare_talk(certainty, &input);
    let mut recording = match readers.as_slice() {
        [only] => read_by(only, input),
        several => read_by_all(several, input),
    }?;
    if is_bare {
        let formats: Vec<&str> = readers.iter().map(|reader| reader.name).collect();
        build::unshown_calls::note_unshown_calls(&mut recording.runs, source, &formats);
    }
    Ok(recording)
}

/// Whether a file may be a mere list of who said what, which programs write with or without the calls in between.
fn is_bare_talk(certainty: Certainty, input: &Input) -> bool {
    let is_message = |value: &JsonNode| value.has_key("role") && value.has_key("content");
    match certainty {
        Certainty::Possible => true,
        // Something of one library in a message says who wrote the list, and not whether the list is whole.
        Certainty::Likely => input.first().is_ok_and(is_message),
        Certainty::Sure => false,
    }
}

/// Returns the readers that accept `text`, each with its certainty, the most certain first.
pub fn claims(text: &str) -> Result<Vec<(&'static str, Certainty)>, TraceError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let input = Input::parse(text)?;
    let exchanges = &formats::model_exchanges::READER;
    if let Some(certainty) = exchanges.claim(&input) {
        return Ok(vec![(exchanges.name, certainty)]);
    }
    let claims = READERS.iter().filter_map(|reader| Some((reader.name, reader.claim(&input)?)));
    let mut claims: Vec<(&'static str, Certainty)> = claims.collect();
    claims.sort_by_key(|(_, certainty)| std::cmp::Reverse(*certainty));
    Ok(claims)
}

fn named(name: &str) -> Result<Reader, TraceError> {
    let found = READERS.iter().find(|reader| reader.name == name);
    found.copied().ok_or_else(|| TraceError::no_such_format(name, &ReaderSet::default().names()))
}

/// Reads by a reader that the user names: it may know less of the file than the user. But where the reader declines a
/// file, and then finds no call in it or does not understand parts of it, its objection was right.
fn read_named(reader: &Reader, input: Input) -> Result<Recording, TraceError> {
    let read_named = |input| {
        let mut recording = read_by(reader, input)?;
        recording.runs.iter_mut().for_each(|run| run.accept_format(reader.name));
        Ok(recording)
    };
    let Err(reason) = (reader.detect)(&input) else { return read_named(input) };
    // The error names the format that the file looks like, in case the user's name is a slip.
    let surest = surest(&input).ok();
    // A list of who said what is read by several formats, and the user knows which one wrote it.
    let is_talk = surest.as_ref().is_some_and(|surest| is_bare_talk(surest.certainty, &input));
    let looks_like = surest.map(|surest| surest.readers);
    let found = read_named(input).and_then(|recording| {
        if is_unread(&recording) || (!is_talk && has_no_call(&recording)) {
            Err(TraceError::wrong(reader.name, &DecodeError::new(reason.to_string())))
        } else {
            Ok(recording)
        }
    });
    found.map_err(|error| match looks_like.as_deref() {
        Some([other, ..]) => error.looks_like(other.name),
        _ => error,
    })
}

/// Whether a reader did not understand parts of a file, or found nothing in it.
fn is_unread(recording: &Recording) -> bool {
    // Texts with a call in them were read: the reader is not to blame for how the model calls its tools.
    let is_doubtful = |part: &UnreadPart| !matches!(part.what, UnreadContent::TextCall { .. });
    recording.runs.iter().any(|run| run.unread.iter().any(is_doubtful)) || recording.runs.iter().all(is_blank)
}

/// Whether nothing was said or done.
fn is_blank(run: &Trace) -> bool {
    run.messages.is_empty() && run.calls.is_empty() && run.answer.is_none()
}

/// Whether a reader found no call. In a file of another format, texts may be where the reader expects them, and calls
/// elsewhere.
fn has_no_call(recording: &Recording) -> bool {
    recording.runs.iter().all(|run| run.calls.is_empty())
}

fn read_by(reader: &Reader, input: Input) -> Result<Recording, TraceError> {
    let runs = reader.read_runs(input).map_err(|error| TraceError::wrong(reader.name, &error))?;
    if runs.is_empty() {
        return Err(TraceError::wrong(reader.name, &DecodeError::new("there is no run in it")));
    }
    Ok(Recording { format: reader.name, runs })
}

/// The readers that are surest of a file, in the table's order, and how sure they are.
struct Claimants {
    readers: Vec<&'static Reader>,
    certainty: Certainty,
}

/// Finds the readers that are surest of `input`.
fn surest(input: &Input) -> Result<Claimants, TraceError> {
    // What arraign recorded holds requests in the formats of providers, whose readers would read a part of it.
    if let Some(certainty) = formats::model_exchanges::READER.claim(input) {
        return Ok(Claimants { readers: vec![&formats::model_exchanges::READER], certainty });
    }
    let mut surest = Vec::new();
    let mut best = Certainty::Possible;
    for reader in READERS {
        let Some(certainty) = reader.claim(input) else { continue };
        if certainty > best {
            surest.clear();
        }
        best = best.max(certainty);
        if certainty == best {
            surest.push(reader);
        }
    }
    if surest.is_empty() {
        let named = foreign::recognize_records(input);
        return Err(named.unwrap_or_else(|| TraceError::unknown(declined(input))));
    }
    Ok(Claimants { readers: surest, certainty: best })
}

/// Lists why each reader declines a file that no reader knows, the nearest reader first.
fn declined(input: &Input) -> Vec<Declined> {
    let reasons = READERS.iter().filter_map(|reader| Some((reader.name, (reader.detect)(input).err()?)));
    let mut declined: Vec<Declined> =
        reasons.map(|(format, reason)| Declined { format, reason: reason.to_string() }).collect();
    declined.sort_by_key(|one| std::cmp::Reverse(one.nearness()));
    declined
}

/// Several readers are equally sure: no matter, unless they read different things. One that fails did not know it.
fn read_by_all(readers: &[&Reader], input: Input) -> Result<Recording, TraceError> {
    let mut recordings: Vec<Recording> = Vec::new();
    let mut failures = Vec::new();
    let inputs = std::iter::repeat_n(input, readers.len());
    for (reader, input) in readers.iter().zip(inputs) {
        match read_by(reader, input) {
            Ok(recording) => recordings.push(recording),
            Err(failure) => failures.push(failure),
        }
    }
    // Two readers that read the same runs leave no doubt about the runs.
    if recordings.windows(2).any(|pair| pair[0].runs != pair[1].runs) {
        return Err(TraceError::ambiguous(recordings.iter().map(|recording| recording.format).collect()));
    }
    let failure = failures.into_iter().next().unwrap_or_else(|| TraceProblem::Empty.into());
    recordings.into_iter().next().ok_or(failure)
}

#[cfg(test)]
mod tests {
    use crate::json::Json;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_reader_declines_each_file_that_has_none_of_its_marks() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader");
        let folders =
            fs::read_dir(folder).expect("the samples").map(|format| format.expect("a folder").path());
        let files = folders.flat_map(|format| fs::read_dir(format).expect("samples"));
        let mut asked = 0;
        for file in files.map(|file| file.expect("a sample").path()) {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let Ok(input) = Input::parse(&text) else { continue };
            asked += 1;
            check_marks(&input);
            input.records.iter().for_each(|record| check_parts(&record.value.to_json()));
        }
        assert!(asked > 150, "{asked} samples");
    }

    #[test]
    fn a_reader_claims_each_form_that_no_sample_has() {
        let check = |name: &str, text: &str| {
            let input = Input::parse(text).expect("JSON");
            let reader = named(name).expect("a reader");
            assert!((reader.detect)(&input).is_ok(), "{name}: {text}");
            check_marks(&input);
        };
        for (name, text) in [
            ("otel", r#"{"resource_spans": []}"#),
            ("gemini", r#"{"prompt_feedback": {}}"#),
            ("anthropic", r#"{"response": {"type": "message", "role": "assistant", "content": []}}"#),
            ("anthropic", r#"{"custom_id": "1", "error": {"message": "overloaded"}}"#),
            ("rig", r#"{"messages": [{"role": "assistant", "content": [{"text": "Shipped."}]}]}"#),
        ] {
            check(name, text);
        }
        for key in ["state", "chat_message_store_state", "chatMessageStoreState", "storeState", "stateBag"] {
            check("maf", &format!(r#"{{"{key}": {{"messages": [{{"role": "user", "contents": []}}]}}}}"#));
        }
        for key in ["msg", "message", "payload", "data", "request", "response", "body"] {
            check("mcp", &format!(r#"{{"{key}": {{"jsonrpc": "2.0", "method": "ping"}}}}"#));
        }
        for key in ["messages", "all_messages", "message_history"] {
            check("pydantic-ai", &format!(r#"{{"{key}": [{{"kind": "request", "parts": []}}]}}"#));
        }
        for kind in [
            "metadata",
            "internalServerException",
            "modelStreamErrorException",
            "validationException",
            "throttlingException",
            "serviceUnavailableException",
        ] {
            check("bedrock", &format!(r#"{{"{kind}": {{}}}}"#));
        }
    }

    /// Checks each part of a file as a file of its own, and without each of its keys.
    fn check_parts(value: &Json) {
        let check = |value: &Json| check_marks(&Input::parse(&value.to_string()).expect("JSON"));
        check(value);
        match value {
            Json::Array(items) => items.iter().filter(|item| is_container(item)).for_each(check_parts),
            Json::Object(map) => {
                for key in map.keys() {
                    let mut rest = map.clone();
                    rest.remove(key);
                    check(&Json::Object(rest));
                }
                map.values().filter(|value| is_container(value)).for_each(check_parts);
            }
            _ => {}
        }
    }

    fn is_container(value: &Json) -> bool {
        value.is_array() || value.is_object()
    }

    fn check_marks(input: &Input) {
        for reader in READERS {
            let detected = (reader.detect)(input).ok();
            assert_eq!(reader.claim(input), detected, "{}: {}", reader.name, input.text);
        }
    }
}
