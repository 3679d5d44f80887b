//! `cargo arraign explain FILE`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use arraign::__internals::report::plain::{json_text, one_line};
use arraign::__internals::report::timeline::{Length, timeline};
use arraign::__internals::source::{Files, ReadError, ReadProblem};
use arraign::Trace;
use arraign::reader::{self, Recording, TraceError, TraceProblem, to_native};
use clap::{Args, ValueEnum};

use crate::stop::{Ended, Stop, written};

/// How many runs of a file are told, unless all are asked for.
const RUNS: usize = 10;
/// A file of up to so many bytes is read as a whole, a larger one run by run.
const AT_ONCE: u64 = 8 << 20;
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
        let mut out = io::stdout().lock();
        let told = match self.format {
            Form::Text => self.tell(seen, &mut out),
            Form::Json => {
                self.each_run(seen.runs, |run| out.write_all(json_text(&to_native(&run)).as_bytes()))
            }
        };
        written(told?)
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
        seen.map_err(|error| self.unread(&error))
    }

    fn unread(&self, error: &TraceError) -> Stop {
        Stop::new(format!("{}: {error}{}", self.file.display(), help(error)))
    }

    /// One run of a file is read without the others, and those of a large file one after the other.
    fn read_text(&self, path: &Path, files: &Files) -> Result<Result<Seen, TraceError>, ReadError> {
        let format = self.trace_format.as_deref();
        if let Some(wanted) = &self.run {
            let read = files.open(path).map(|mut file| reader::read_run(&mut file, format, wanted))?;
            return Ok(read.map(Seen::of));
        }
        if let Some(seen) = files.read_small(path, AT_ONCE, |text| Seen::of_text(text, format))? {
            return Ok(seen);
        }
        let runs = files.open(path).map(|file| reader::runs(file, format))?;
        Ok(runs.map(|runs| Seen::of_runs(runs.format(), runs)))
    }

    #[cfg(feature = "inspect-zip")]
    fn read_zipped(&self, path: &Path, files: &Files) -> Result<Result<Seen, TraceError>, ReadError> {
        let (mut file, limit) = (files.open_packed(path)?, files.size_limit());
        if self.run.is_some() {
            return Ok(reader::read_zipped(&mut file, self.run.as_deref(), limit).map(Seen::of));
        }
        Ok(reader::zipped_runs(file, limit).map(|runs| Seen::of_runs(runs.format(), runs)))
    }

    #[cfg(not(feature = "inspect-zip"))]
    #[expect(clippy::unused_self, reason = "with the feature it is used")]
    fn read_zipped(&self, path: &Path, files: &Files) -> Result<Result<Seen, TraceError>, ReadError> {
        Err(ReadError { name: files.name(path), problem: ReadProblem::Zipped })
    }

    /// Tells one run after the other, until one cannot be read, or not be written.
    fn each_run(
        &self,
        runs: impl Iterator<Item = Result<Trace, TraceError>>,
        mut tell: impl FnMut(Trace) -> io::Result<()>,
    ) -> Result<io::Result<()>, Stop> {
        for run in runs {
            if let Err(error) = tell(run.map_err(|error| self.unread(&error))?) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    fn tell(&self, seen: Seen, out: &mut impl Write) -> Result<io::Result<()>, Stop> {
        let (heading, count) = (self.heading(&seen), seen.count);
        let length = if self.full { Length::Full } else { Length::Short };
        let most = if self.full { count } else { RUNS };
        let (mut number, mut cut) = (0, false);
        let told = self.each_run(seen.runs.take(most), |run| {
            number += 1;
            let heading = if number == 1 { heading.as_str() } else { "" };
            let told = timeline(&run, length);
            cut |= told.cut;
            let which = self.run.as_deref().map_or_else(|| format!("{number} of {count}"), one_line);
            write!(out, "{heading}\nrun {which}\n{}", told.text)
        })?;
        Ok(told.and_then(|()| out.write_all(left_out(count.saturating_sub(most), cut).as_bytes())))
    }

    fn heading(&self, seen: &Seen) -> String {
        let certainty = match (&self.trace_format, &seen.certainty) {
            (Some(_), _) => " (as asked)".to_owned(),
            (None, Some(certainty)) => format!(" ({certainty})"),
            (None, None) => String::new(),
        };
        let count = match (&self.run, seen.count) {
            (Some(_), _) => String::new(),
            (None, 1) => ", 1 run".to_owned(),
            (None, count) => format!(", {count} runs"),
        };
        format!("{}: {}{certainty}{count}\n", one_line(&self.file.to_string_lossy()), seen.format)
    }
}

/// What was not told: so many runs, and long texts.
fn left_out(more: usize, cut: bool) -> String {
    let runs = if more > 0 {
        format!("\n... and {more} more runs; `--run` picks one, `--full` shows all\n")
    } else {
        String::new()
    };
    let texts = if cut { "\nlong texts and long runs are cut; `--full` shows all of them\n" } else { "" };
    runs + texts
}

/// Runs, one after the other.
type Traces = Box<dyn Iterator<Item = Result<Trace, TraceError>>>;

/// What a file holds, and how it was recognised.
struct Seen {
    format: &'static str,
    /// How certain the reader is, where the file was looked at as a whole.
    certainty: Option<String>,
    count: usize,
    runs: Traces,
}

impl Seen {
    fn of_text(text: &str, format: Option<&str>) -> Result<Self, TraceError> {
        let recording = reader::read(text, format)?;
        let certainty = if format.is_none() { Some(certainty(text, recording.format)?) } else { None };
        Ok(Self { certainty, ..Self::of(recording) })
    }

    fn of(Recording { format, runs, .. }: Recording) -> Self {
        Self::of_runs(format, runs.into_iter().map(Ok))
    }

    fn of_runs(
        format: &'static str,
        runs: impl ExactSizeIterator<Item = Result<Trace, TraceError>> + 'static,
    ) -> Self {
        Self { format, certainty: None, count: runs.len(), runs: Box::new(runs) }
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
