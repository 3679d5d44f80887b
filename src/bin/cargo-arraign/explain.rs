//! `cargo arraign explain FILE`.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use arraign::reader::{self, Recording, TraceError, TraceProblem};
use arraign::report::plain::{json_text, one_line};
use arraign::report::timeline::{Length, timeline};
use arraign::source::{Files, ReadError, ReadProblem};
use clap::{Args, ValueEnum};

use crate::stop::{Ended, Stop, written};

/// How many runs of a file are told, unless all are asked for.
const RUNS: usize = 10;
/// The largest file that is read. Whoever names one file means it.
const LARGEST: u64 = 16 << 30;

/// Show what a reader sees in a trace file: a timeline of each run, and what the file does not tell.
///
/// Exit code 2: no reader knows the file, or several do and read different things.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The trace file.
    file: PathBuf,
    /// Read it as this format, whatever it looks like.
    #[arg(long, value_name = "NAME")]
    trace_format: Option<String>,
    /// Only this run: its id, or its number from 1.
    #[arg(long, value_name = "ID")]
    run: Option<String>,
    /// How it is told.
    #[arg(long, value_enum, default_value_t)]
    format: Form,
    /// Cut nothing.
    #[arg(long)]
    full: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For the terminal.
    #[default]
    Text,
    /// Our own form of a trace, a document for each run: readable as a trace file.
    Json,
}

impl Explain {
    pub(crate) fn run(self) -> Ended {
        let seen = self.read()?;
        let text = match self.format {
            Form::Text => self.told(&seen),
            Form::Json => seen.recording.runs.iter().map(|run| json_text(&reader::to_native(run))).collect(),
        };
        written(io::stdout().write_all(text.as_bytes()))
    }

    fn read(&self) -> Result<Seen, Stop> {
        let shown = self.file.display();
        let path = self.file.canonicalize().map_err(|error| Stop::new(format!("{shown}: {error}")))?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        let files = Files::new(folder, folder).with_size_limit(LARGEST);
        let read = match self.read_text(&path, &files) {
            Err(ReadError { problem: ReadProblem::Zipped, .. }) => self.read_zipped(&path, &files),
            read => read,
        };
        let seen = read.map_err(|error| Stop::new(format!("{shown}: {}", error.problem)))?;
        seen.map_err(|error| Stop::new(format!("{shown}: {error}{}", help(&error))))
    }

    /// One run of a large file is read without the others.
    fn read_text(&self, path: &Path, files: &Files) -> Result<Result<Seen, TraceError>, ReadError> {
        let format = self.trace_format.as_deref();
        let Some(wanted) = &self.run else { return files.read(path, |text| Seen::of(text, format)) };
        files.open(path).map(|mut file| reader::read_run(&mut file, format, wanted).map(Seen::without_look))
    }

    #[cfg(feature = "inspect-zip")]
    fn read_zipped(&self, path: &Path, files: &Files) -> Result<Result<Seen, TraceError>, ReadError> {
        let read =
            reader::read_zipped(&mut files.open_packed(path)?, self.run.as_deref(), files.size_limit());
        Ok(read.map(Seen::without_look))
    }

    #[cfg(not(feature = "inspect-zip"))]
    #[expect(clippy::unused_self, reason = "with the feature it is used")]
    fn read_zipped(&self, path: &Path, files: &Files) -> Result<Result<Seen, TraceError>, ReadError> {
        Err(ReadError { name: files.name(path), problem: ReadProblem::Zipped })
    }

    fn told(&self, seen: &Seen) -> String {
        let runs = &seen.recording.runs;
        let mut text = self.heading(seen);
        let length = if self.full { Length::Full } else { Length::Short };
        let most = if self.full { runs.len() } else { RUNS };
        let mut cut = false;
        for (index, run) in runs.iter().take(most).enumerate() {
            let told = timeline(run, length);
            let which = self
                .run
                .as_ref()
                .map_or_else(|| format!("{} of {}", index + 1, runs.len()), |wanted| one_line(wanted));
            let _ = write!(text, "\nrun {which}\n{}", told.text);
            cut |= told.cut;
        }
        if runs.len() > most {
            let more = runs.len() - most;
            let _ = writeln!(text, "\n... and {more} more runs; `--run` picks one, `--full` shows all");
        }
        if cut {
            text.push_str("\nlong texts and long runs are cut; `--full` shows all of them\n");
        }
        text
    }

    fn heading(&self, seen: &Seen) -> String {
        let certainty = match (&self.trace_format, &seen.certainty) {
            (Some(_), _) => " (as asked)".to_owned(),
            (None, Some(certainty)) => format!(" ({certainty})"),
            (None, None) => String::new(),
        };
        let count = match (&self.run, seen.recording.runs.len()) {
            (Some(_), _) => String::new(),
            (None, 1) => ", 1 run".to_owned(),
            (None, count) => format!(", {count} runs"),
        };
        format!("{}: {}{certainty}{count}\n", one_line(&self.file.to_string_lossy()), seen.recording.format)
    }
}

/// What a file holds, and how it was recognised.
struct Seen {
    recording: Recording,
    /// How certain the reader is, where the file was looked at as a whole.
    certainty: Option<String>,
}

impl Seen {
    fn of(text: &str, format: Option<&str>) -> Result<Self, TraceError> {
        let recording = reader::read(text, format)?;
        let certainty = if format.is_none() { Some(certainty(text, recording.format)?) } else { None };
        Ok(Self { recording, certainty })
    }

    fn without_look(recording: Recording) -> Self {
        Self { recording, certainty: None }
    }
}

/// How certain the reader is, and who else is as certain as it.
fn certainty(text: &str, format: &str) -> Result<String, TraceError> {
    let claims = reader::claims(text)?;
    let own = claims.iter().find(|(name, _)| *name == format).map(|(_, certainty)| *certainty);
    let others = claims.iter().filter(|(name, certainty)| *name != format && Some(*certainty) == own);
    let others: Vec<&str> = others.map(|(name, _)| *name).collect();
    let certainty = own.map_or_else(|| "by content".to_owned(), |certainty| certainty.to_string());
    Ok(if others.is_empty() {
        certainty
    } else {
        format!("{certainty}, and read the same as {}", others.join(", "))
    })
}

/// What to do about it, in the words of a command line.
fn help(error: &TraceError) -> String {
    match (&error.problem, &error.help) {
        (TraceProblem::Ambiguous(formats), _) => {
            let example = formats.first().copied().unwrap_or("NAME");
            format!("\n  help: say which one it is: `--trace-format {example}`")
        }
        (_, Some(help)) => format!("\n  help: {help}"),
        (_, None) => String::new(),
    }
}
