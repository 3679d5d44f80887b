//! `cargo arraign explain FILE`.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use arraign::reader::{self, Recording, TraceError, TraceProblem};
use arraign::report::plain::{json_text, one_line};
use arraign::report::timeline::{Length, timeline};
use arraign::source::Files;
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
        let chosen = self.chosen(&seen.recording)?;
        let text = match self.format {
            Form::Text => self.told(&seen, &chosen),
            Form::Json => {
                let runs = chosen.iter().map(|index| &seen.recording.runs[*index]);
                runs.map(|run| json_text(&reader::to_native(run))).collect()
            }
        };
        written(io::stdout().write_all(text.as_bytes()))
    }

    fn read(&self) -> Result<Seen, Stop> {
        let shown = self.file.display();
        let path = self.file.canonicalize().map_err(|error| Stop::new(format!("{shown}: {error}")))?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        let files = Files::new(folder, folder).with_size_limit(LARGEST);
        let look = |text: &str| Seen::of(text, self.trace_format.as_deref());
        let seen =
            files.read(&path, look).map_err(|error| Stop::new(format!("{shown}: {}", error.problem)))?;
        seen.map_err(|error| Stop::new(format!("{shown}: {error}{}", help(&error))))
    }

    /// The runs that are wanted, by their place in the file.
    fn chosen(&self, recording: &Recording) -> Result<Vec<usize>, Stop> {
        let Some(wanted) = &self.run else { return Ok((0..recording.runs.len()).collect()) };
        let found = recording.position(wanted).ok_or_else(|| {
            let (file, count) = (self.file.display(), recording.runs.len());
            Stop::new(format!("{file}: no run `{wanted}`: the file holds {count}, counted from 1"))
        });
        found.map(|index| vec![index])
    }

    fn told(&self, seen: &Seen, chosen: &[usize]) -> String {
        let runs = &seen.recording.runs;
        let count = if runs.len() == 1 { "1 run".to_owned() } else { format!("{} runs", runs.len()) };
        let file = one_line(&self.file.to_string_lossy());
        let mut text = format!("{file}: {} ({}), {count}\n", seen.recording.format, seen.certainty);
        let length = if self.full { Length::Full } else { Length::Short };
        let most = if self.full { chosen.len() } else { RUNS };
        let mut cut = false;
        for index in chosen.iter().take(most) {
            let run = timeline(&runs[*index], length);
            let _ = write!(text, "\nrun {} of {}\n{}", index + 1, runs.len(), run.text);
            cut |= run.cut;
        }
        if chosen.len() > most {
            let _ = writeln!(
                text,
                "\n... and {} more runs; `--run` picks one, `--full` shows all",
                chosen.len() - most
            );
        }
        if cut {
            text.push_str("\nlong texts and long runs are cut; `--full` shows all of them\n");
        }
        text
    }
}

/// What a file holds, and how it was recognised.
struct Seen {
    recording: Recording,
    /// How certain the reader is, or that it was named.
    certainty: String,
}

impl Seen {
    fn of(text: &str, format: Option<&str>) -> Result<Self, TraceError> {
        let recording = reader::read(text, format)?;
        let certainty = match format {
            Some(_) => "as asked".to_owned(),
            None => certainty(text, recording.format)?,
        };
        Ok(Self { recording, certainty })
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
