//! Why a trace cannot be read.

use std::{fmt, io};

use crate::json_text::escape_token;
use crate::suggest::did_you_mean;

/// A trace that cannot be read. The file's name is the caller's to add.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
#[non_exhaustive]
pub struct TraceError {
    /// The problem.
    pub problem: TraceProblem,
    /// Advice.
    pub help: Option<String>,
}

/// A problem with a trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceProblem {
    /// The file is empty.
    #[error("the trace is empty")]
    Empty,
    /// The file is neither JSON nor JSON Lines.
    #[error("line {line}, column {column}: this is not JSON: {reason}")]
    NotJson {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The parser's message.
        reason: String,
    },
    /// Every reader declines it.
    #[error("no reader knows this trace{}", describe_nearest(.0))]
    Unknown(Vec<Declined>),
    /// The file is not UTF-8 text.
    #[error("not UTF-8: byte {0} begins no character")]
    NotUtf8(u64),
    /// The file cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// The file does not contain the run that was asked for.
    #[error("no run `{wanted}`: the file holds {count}, counted from 1{}", list_ids(ids, *count))]
    NoSuchRun {
        /// The id or the number that was asked for.
        wanted: String,
        /// The number of runs in the file.
        count: usize,
        /// The first of their ids.
        ids: Vec<String>,
    },
    /// The file is neither JSON nor a native trace in YAML.
    #[error("line 1, column 1: this is not JSON, nor a native trace in YAML")]
    NotATrace,
    /// The file is no trace, but a known file that may have one in it.
    #[error("line {line}, column {column}: this is {file}, not a trace")]
    Foreign {
        /// The line that shows it, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
        /// What the file is.
        file: ForeignFile,
    },
    /// These readers are equally sure of it, and read different things.
    #[error("several readers claim this trace, and they read different things: `{}`", .0.join("`, `"))]
    Ambiguous(Vec<&'static str>),
    /// No reader has this name.
    #[error("there is no trace format `{0}`")]
    NoSuchFormat(String),
    /// The file exceeds a limit of what is read at once.
    #[error("line {line}, column {column}: {reason}")]
    TooMuch {
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
        /// The limit.
        reason: String,
    },
    /// The reader found a value that its format does not allow.
    #[error("{format}: {problem}")]
    Wrong {
        /// The reader's name.
        format: &'static str,
        /// The line of the record, from 1. `None` for a file that is one document.
        line: Option<usize>,
        /// Where, and what.
        problem: String,
    },
}

/// A known file that is no trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForeignFile {
    /// The recording of a browser or a proxy.
    Har,
    /// The output of a container as Docker stores it.
    DockerLog,
    /// A log in which each line has a prefix before its JSON, such as a time.
    PrefixedLog,
    /// The output of `curl -v` or `curl -i`: headers and a body.
    CurlOutput,
    /// A table of values separated by commas.
    Csv,
    /// The cases of Google's ADK, without a run.
    AdkEvalSet,
}

impl ForeignFile {
    /// Says how to get a trace.
    pub fn advise(self) -> &'static str {
        match self {
            Self::Har => {
                "take the model's requests and replies out of it: `jq -c '[.log.entries[] | select(.request.postData) | \
                 {request: (.request.postData.text | fromjson), response: (.response.content.text | fromjson)}][]' FILE > \
                 trace.jsonl`, after you have exported only the entries of the model; streamed replies need `cargo arraign \
                 record`"
            }
            Self::DockerLog => "take the output of the program out of it: `jq -j .log FILE > trace.jsonl`",
            Self::PrefixedLog => "cut the prefix off: `sed -n 's/^[^{]*{/{/p' FILE > trace.jsonl`",
            Self::CurlOutput => {
                "let curl write the body alone, without `-v` and `-i`: `curl -sS ... -o reply.json`; `cargo arraign record` keeps \
                 requests and replies together"
            }
            Self::Csv => {
                "export JSON or JSON Lines; or convert the rows, `python3 -c 'import csv, json, sys; [print(json.dumps(row)) \
                 for row in csv.DictReader(sys.stdin, delimiter=\",\")]' < FILE > rows.jsonl`, and declare a reader for the columns: \
                 docs/traces.md#declare-a-reader-for-your-own-format"
            }
            Self::AdkEvalSet => "`cargo arraign import --from adk` makes cases of it",
        }
    }
}

/// A noun phrase, such as `a HAR file`.
impl fmt::Display for ForeignFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Har => "a HAR file",
            Self::DockerLog => "a log file of Docker",
            Self::PrefixedLog => "a log with a prefix before the JSON of each line",
            Self::CurlOutput => "the output of `curl -v`",
            Self::Csv => "a CSV file",
            Self::AdkEvalSet => "an ADK eval set",
        })
    }
}

/// A reader that declines a trace, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declined {
    /// The reader's name.
    pub format: &'static str,
    /// Why this is not its format.
    pub reason: String,
}

impl Declined {
    /// Returns how far the reader came before it declined. A reader that objects to one key or one part has found all
    /// others, and one that misses something in an entry has found the list.
    pub(crate) fn nearness(&self) -> u8 {
        // The readers' reasons begin with the same words, which this order relies on.
        if self.objects_to(&["has the key", "has a content", "has calls without"]) {
            3
        } else if self.objects_to(&["has the role", "has the type"]) {
            2
        } else {
            u8::from(self.reason.contains("[0]`"))
        }
    }

    fn objects_to(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.reason.contains(word))
    }
}

/// The reader that came furthest is the first. The others would be a list of thirty reasons.
fn describe_nearest(declined: &[Declined]) -> String {
    let nearest = declined.first();
    nearest.map(|one| format!("; the nearest is `{}`: {}", one.format, one.reason)).unwrap_or_default()
}

/// Lists the ids of the runs in a file, after a colon; only the first of many.
fn list_ids(ids: &[String], count: usize) -> String {
    if ids.is_empty() {
        return String::new();
    }
    let more = if count > ids.len() { ", ..." } else { "" };
    format!(": `{}`{more}", ids.join("`, `"))
}

impl From<TraceProblem> for TraceError {
    fn from(problem: TraceProblem) -> Self {
        Self { problem, help: None }
    }
}

impl From<io::Error> for TraceError {
    fn from(error: io::Error) -> Self {
        TraceProblem::Unreadable(error.to_string()).into()
    }
}

impl TraceError {
    pub(crate) fn no_such_format(name: &str, names: &[&str]) -> Self {
        let help = did_you_mean(name, names).unwrap_or_else(|| format!("it is one of {}", names.join(", ")));
        Self { problem: TraceProblem::NoSuchFormat(name.to_owned()), help: Some(help) }
    }

    /// Every reader declines the trace, the nearest first.
    pub(crate) fn unknown(declined: Vec<Declined>) -> Self {
        let help = "declare a reader for it: docs/traces.md#declare-a-reader-for-your-own-format; `cargo arraign explain \
                    --all` shows the reasons of all readers";
        Self { problem: TraceProblem::Unknown(declined), help: Some(help.to_owned()) }
    }

    pub(crate) fn ambiguous(formats: Vec<&'static str>) -> Self {
        let example = formats.first().copied().unwrap_or("...");
        let help = format!("say which one it is: `trace: {{file: ..., format: {example}}}`");
        Self { problem: TraceProblem::Ambiguous(formats), help: Some(help) }
    }

    /// The wrong format was asked for, perhaps.
    pub(crate) fn looks_like(self, format: &str) -> Self {
        let help = format!("it looks like `{format}`: without `format` it is read as that");
        Self { help: Some(help), ..self }
    }

    pub(crate) fn wrong(format: &'static str, wrong: &DecodeError) -> Self {
        TraceProblem::Wrong { format, line: wrong.line, problem: wrong.to_string() }.into()
    }

    /// Returns the line of the problem in the file, from 1, where it is known.
    pub fn line(&self) -> Option<usize> {
        match &self.problem {
            TraceProblem::NotJson { line, .. }
            | TraceProblem::TooMuch { line, .. }
            | TraceProblem::Foreign { line, .. } => Some(*line),
            TraceProblem::NotATrace => Some(1),
            TraceProblem::Wrong { line, .. } => *line,
            _ => None,
        }
    }

    /// Returns the column of the problem in its line, from 1, where it is known.
    pub fn column(&self) -> Option<usize> {
        match &self.problem {
            TraceProblem::NotJson { column, .. }
            | TraceProblem::TooMuch { column, .. }
            | TraceProblem::Foreign { column, .. } => Some(*column),
            TraceProblem::NotATrace => Some(1),
            _ => None,
        }
    }
}

/// An invalid value in a trace: the line of its record, its JSON pointer, and the problem.
#[derive(Debug, Clone)]
pub(crate) struct DecodeError {
    line: Option<usize>,
    pointer: String,
    problem: String,
}

impl DecodeError {
    #[cold]
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self { line: None, pointer: String::new(), problem: problem.into() }
    }

    /// Puts the error below `step`: a key or an index.
    #[cold]
    pub(crate) fn at_key(mut self, step: impl fmt::Display) -> Self {
        self.pointer = format!("/{}{}", escape_token(&step.to_string()), self.pointer);
        self
    }

    /// Puts the error below a JSON pointer.
    #[cold]
    pub(crate) fn at(mut self, pointer: &str) -> Self {
        self.pointer = format!("{pointer}{}", self.pointer);
        self
    }

    /// Sets the line of the record in JSON Lines.
    #[cold]
    pub(crate) fn on_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.line.iter().try_for_each(|line| write!(f, "line {line}: "))?;
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        f.write_str(&self.problem)
    }
}
