//! `cargo arraign explain FILE`.

mod only_run;
mod survey;
mod timeline;
mod workspace;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use arraign::__internals::check::FailedWhen;
use arraign::__internals::report::plain::{count_noun, escape_json, escape_line};
use arraign::__internals::secrets::mask_run;
use arraign::__internals::source::{DEFAULT_SIZE_LIMIT, Files, ReadError, ReadProblem};
use arraign::__internals::suite::{read_run_folder, survey_run_folder};
use arraign::Trace;
use arraign::reader::{
    self, ReaderSet, Recording, TraceError, TraceProblem, find_shipped_readers, to_native,
};
use clap::{Args, ValueEnum};

use survey::render_surveys;
use timeline::{TimelineLength, render_timeline};
use workspace::{TraceSettings, read_declarations, read_settings};

use crate::error::{CliError, CliResult, FAILED, exit_after_write};
use crate::file_options::parse_size;
use crate::target_format::TargetFormat;

/// The number of runs that are shown without `--full`.
const RUNS: usize = 10;
/// A file of up to this many bytes is read as a whole, a larger file run by run.
const AT_ONCE: u64 = 8 << 20;

/// Show what a reader sees in a trace file: a timeline of each run, and what the file does not record.
///
/// Exits with 2 if no reader recognizes the file, or if several readers read it differently.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Explain {
    /// The trace file.
    file: PathBuf,
    /// Read the file as this format, without detection.
    #[arg(long, value_name = "NAME")]
    trace_format: Option<String>,
    /// Try the readers that this file declares, or those of a framework that come with arraign (`agno`), and show what each of
    /// their paths selects.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["trace_format", "run"])]
    reader: Option<PathBuf>,
    /// Show only this run: its id, or its number from 1.
    #[arg(long, value_name = "ID")]
    run: Option<String>,
    /// Of a file that no reader knows, show why each reader declines it.
    #[arg(long)]
    all: bool,
    /// The largest file that is read, such as `200MB`. Default: `size_limit` of arraign.yaml, or 64 MiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    size_limit: Option<u64>,
    /// The output format.
    #[arg(long, value_enum, default_value_t)]
    format: ExplainFormat,
    /// Do not shorten anything.
    #[arg(long)]
    full: bool,
    /// Show secrets as they are, such as passwords and tokens.
    #[arg(long)]
    unmasked: bool,
    /// List only the parts of the file that were not understood.
    #[arg(long, conflicts_with_all = ["format", "full"])]
    unread: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ExplainFormat {
    /// Text for the terminal.
    #[default]
    Text,
    /// The native form of a trace, one document per run, which arraign can read.
    Json,
    /// A trajectory of ATIF 1.8 per run. What the format has no place for is listed on standard error.
    Atif,
}

impl Explain {
    /// Shows a file with all defaults.
    pub(crate) fn of_file(file: PathBuf) -> Self {
        Self {
            file,
            trace_format: None,
            reader: None,
            run: None,
            all: false,
            size_limit: None,
            format: ExplainFormat::default(),
            full: false,
            unmasked: false,
            unread: false,
        }
    }

    pub(crate) fn run(self) -> CliResult {
        if let Some(declarations) = &self.reader {
            return self.try_readers(declarations);
        }
        let seen = self.open_runs()?;
        let mut out = io::stdout().lock();
        let told = match self.format {
            ExplainFormat::Text if self.unread => self.print_unread(seen, &mut out),
            ExplainFormat::Text => self.print_timelines(seen, &mut out),
            ExplainFormat::Json => {
                self.print_runs(seen.runs, |run| out.write_all(escape_json(&to_native(&run)).as_bytes()))
            }
            ExplainFormat::Atif => self.print_trajectories(seen.runs, &mut out),
        };
        exit_after_write(told?)
    }

    fn print_trajectories(
        &self,
        runs: RunIterator,
        out: &mut impl Write,
    ) -> Result<io::Result<()>, CliError> {
        let shown = escape_line(&self.file.to_string_lossy());
        let mut number = 0;
        let mut refused = None;
        let told = self.print_runs(runs, |run| {
            number += 1;
            match TargetFormat::Atif.write(&run) {
                Ok((text, losses)) => {
                    TargetFormat::Atif.print_losses(&format!("{shown} run {number}"), &losses);
                    out.write_all(escape_json(&text).as_bytes())
                }
                Err(problem) => {
                    refused.get_or_insert_with(|| format!("{shown} run {number}: {problem}"));
                    Ok(())
                }
            }
        })?;
        refused.map_or(Ok(told), |problem| Err(CliError::new(problem)))
    }

    fn open_runs(&self) -> Result<TraceFile, CliError> {
        let shown = self.file.display();
        let path = self.file.canonicalize().map_err(|error| CliError::new(format!("{shown}: {error}")))?;
        let TraceSettings { readers, size_limit, failed_when } = read_settings(&path)?;
        let readers = self.reader.as_deref().map_or(Ok(readers), read_declarations)?;
        let files = self.files_around(&path, size_limit);
        let reads_folders = !readers.find_folder_readers(self.trace_format.as_deref()).is_empty();
        if path.is_dir() && reads_folders {
            let read = read_run_folder(&path, self.trace_format.as_deref(), &readers, &files);
            let seen = read.map(TraceFile::from_recording).map_err(CliError::new)?;
            return Ok(TraceFile { failed_when, ..seen });
        }
        let read = match self.read_text(&path, &readers, &files) {
            // A zip is read by its members, which the reader of texts cannot do.
            Err(ReadError { problem: ReadProblem::Zipped, .. }) => self.read_zipped(&path, &files),
            read => read,
        };
        let seen =
            read.map_err(|error| CliError::new(format!("{shown}: {}", describe_problem(&error.problem))))?;
        let seen =
            seen.map_err(|error| self.describe_failure(&self.propose_readers(error, &path, &files)))?;
        Ok(TraceFile { failed_when, ..seen })
    }

    /// Shows what the readers select that a file declares.
    fn try_readers(&self, declarations: &Path) -> CliResult {
        let shown = self.file.display();
        let path = self.file.canonicalize().map_err(|error| CliError::new(format!("{shown}: {error}")))?;
        let readers = read_declarations(declarations)?;
        let files = self.files_around(&path, read_settings(&path)?.size_limit);
        let surveys = if path.is_dir() {
            survey_run_folder(&path, &readers, &files).map_err(CliError::new)?
        } else {
            let surveyed = files.read(&path, |text| readers.survey(text));
            let surveyed = surveyed
                .map_err(|error| CliError::new(format!("{shown}: {}", describe_problem(&error.problem))))?;
            surveyed.map_err(|error| self.describe_failure(&error))?
        };
        let length = if self.full { TimelineLength::Full } else { TimelineLength::Short };
        let shown = render_surveys(&surveys, length);
        exit_after_write(io::stdout().lock().write_all(shown.as_bytes()))?;
        // A reader that reads nothing must fail in a script that tries it.
        let reads = surveys.iter().any(|survey| survey.objection.is_none() && survey.runs.is_ok());
        Ok(if reads { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }

    /// The files of the folder of a trace, with the size limit that holds for it.
    fn files_around(&self, path: &Path, said: Option<u64>) -> Files {
        let folder = path.parent().unwrap_or(Path::new("/"));
        Files::new(folder, folder).with_size_limit(self.size_limit.or(said).unwrap_or(DEFAULT_SIZE_LIMIT))
    }

    /// Adds which shipped readers read a file that no reader knows, or that the one that knows it cannot read.
    fn propose_readers(&self, mut error: TraceError, path: &Path, files: &Files) -> TraceError {
        let is_open = matches!(error.problem, TraceProblem::Unknown(_) | TraceProblem::Wrong { .. });
        if self.trace_format.is_some() || !is_open {
            return error;
        }
        let found = files.read_small(path, AT_ONCE, find_shipped_readers).ok().flatten().unwrap_or_default();
        let Some(first) = found.first() else { return error };
        let shown = escape_line(&self.file.to_string_lossy());
        let names = found.join("`, `");
        let help = format!(
            "the readers of `{names}` read it: `cargo arraign explain {shown} --reader {first}` shows how, and `readers: \
             [{first}]` in arraign.yaml declares them"
        );
        error.help = Some(help);
        error
    }

    fn describe_failure(&self, error: &TraceError) -> CliError {
        let shown = self.file.display();
        if let (TraceProblem::Unknown(declined), true) = (&error.problem, self.all) {
            let reasons = declined.iter().map(|one| format!("\n  {}: {}", one.format, one.reason));
            let reasons = reasons.collect::<Vec<String>>().concat();
            return CliError::new(format!("{shown}: no reader knows this trace:{reasons}"));
        }
        CliError::new(format!("{shown}: {error}{}", render_help(error)))
    }

    /// Reads a single run without the others, and the runs of a large file one after the other.
    fn read_text(
        &self,
        path: &Path,
        readers: &ReaderSet,
        files: &Files,
    ) -> Result<Result<TraceFile, TraceError>, ReadError> {
        let format = self.trace_format.as_deref();
        if let Some(wanted) = &self.run {
            let read =
                files.open(path).map(|mut file| reader::read_run_with(readers, &mut file, format, wanted))?;
            return Ok(read.map(TraceFile::from_recording));
        }
        // A small file is read at once, which tells the number of its runs; a large one is read run by run.
        if let Some(seen) = files.read_small(path, AT_ONCE, |text| TraceFile::parse(readers, text, format))? {
            return Ok(seen);
        }
        let runs = files.open(path).map(|file| reader::runs_with(readers, file, format))?;
        Ok(runs.map(|runs| TraceFile::new(runs.format(), runs)))
    }

    #[cfg(feature = "inspect-zip")]
    fn read_zipped(&self, path: &Path, files: &Files) -> Result<Result<TraceFile, TraceError>, ReadError> {
        let mut file = files.open_packed(path)?;
        let limit = files.size_limit();
        if self.run.is_some() {
            return Ok(
                reader::read_zipped(&mut file, self.run.as_deref(), limit).map(TraceFile::from_recording)
            );
        }
        Ok(reader::zipped_runs(file, limit).map(|runs| TraceFile::new(runs.format(), runs)))
    }

    #[cfg(not(feature = "inspect-zip"))]
    #[expect(clippy::unused_self, reason = "with the feature it is used")]
    fn read_zipped(&self, path: &Path, files: &Files) -> Result<Result<TraceFile, TraceError>, ReadError> {
        Err(files.read_error(path, ReadProblem::Zipped))
    }

    /// Masks the secrets in runs, unless that was switched off. The error of a run names the file.
    fn mask_runs<'r>(
        &'r self,
        runs: impl Iterator<Item = Result<Trace, TraceError>> + 'r,
    ) -> impl Iterator<Item = Result<Trace, CliError>> + 'r {
        runs.map(|run| match run {
            Ok(run) if self.unmasked => Ok(run),
            Ok(run) => Ok(mask_run(run)),
            Err(error) => Err(self.describe_failure(&error)),
        })
    }

    /// Prints the runs one after the other, and stops at the first that cannot be read or written.
    fn print_runs(
        &self,
        runs: impl Iterator<Item = Result<Trace, TraceError>>,
        mut print: impl FnMut(Trace) -> io::Result<()>,
    ) -> Result<io::Result<()>, CliError> {
        for run in self.mask_runs(runs) {
            // The inner error comes from the output: a closed pipe ends the program without a message.
            if let Err(error) = print(run?) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    fn print_timelines(&self, seen: TraceFile, out: &mut impl Write) -> Result<io::Result<()>, CliError> {
        let heading = self.render_heading(&seen);
        let count = seen.count;
        let TraceFile { failed_when, runs, .. } = seen;
        let length = if self.full { TimelineLength::Full } else { TimelineLength::Short };
        // A file may have thousands of runs, and the first ones show what the reader sees.
        let most = if self.full { count } else { RUNS };
        let mut number = 0;
        let mut cut = false;
        let told = self.print_runs(runs.take(most), |run| {
            // The statuses are those that a case on the file sees.
            let run = match &failed_when {
                Some(rules) => rules.apply(&run),
                None => Cow::Borrowed(&run),
            };
            number += 1;
            let heading = if number == 1 { heading.as_str() } else { "" };
            let told = render_timeline(&run, length);
            cut |= told.cut;
            let which = self.run.as_deref().map_or_else(|| format!("{number} of {count}"), escape_line);
            write!(out, "{heading}\nrun {which}\n{}", told.text)
        })?;
        Ok(told.and_then(|()| out.write_all(describe_left_out(count.saturating_sub(most), cut).as_bytes())))
    }

    /// Prints the unread parts of each run that has some.
    fn print_unread(&self, seen: TraceFile, out: &mut impl Write) -> Result<io::Result<()>, CliError> {
        let heading = self.render_heading(&seen);
        let count = seen.count;
        let mut number = 0;
        let mut is_complete = true;
        let told = self.print_runs(seen.runs, |run| {
            number += 1;
            let sentences = run.describe_unread();
            if sentences.is_empty() {
                return Ok(());
            }
            // The heading is printed once, and only if there is something below it.
            let heading = if std::mem::take(&mut is_complete) { heading.as_str() } else { "" };
            let which = self.run.as_deref().map_or_else(|| format!("{number} of {count}"), escape_line);
            write!(out, "{heading}\nrun {which}\n")?;
            sentences.iter().try_for_each(|sentence| writeln!(out, "  {}", escape_line(sentence)))
        })?;
        if is_complete {
            return Ok(told.and_then(|()| write!(out, "{heading}\nall parts of the file were understood\n")));
        }
        Ok(told)
    }

    fn render_heading(&self, seen: &TraceFile) -> String {
        let certainty = match (&self.trace_format, &seen.certainty) {
            (Some(_), _) => " (as asked)".to_owned(),
            (None, Some(certainty)) => format!(" ({certainty})"),
            (None, None) => String::new(),
        };
        let count = match (&self.run, seen.count) {
            (Some(_), _) => String::new(),
            (None, count) => format!(", {}", count_noun(count, "run")),
        };
        format!("{}: {}{certainty}{count}\n", escape_line(&self.file.to_string_lossy()), seen.format)
    }
}

/// Describes why a file cannot be read, with the flag of this command.
fn describe_problem(problem: &ReadProblem) -> String {
    match problem {
        ReadProblem::TooLarge { size, limit } => {
            format!("{size} bytes are over the limit of {limit}; `--size-limit` raises it")
        }
        problem => problem.to_string(),
    }
}

/// Describes what was left out: further runs, and the rest of long texts.
fn describe_left_out(more: usize, cut: bool) -> String {
    let runs = if more > 0 {
        format!("\n... and {more} more runs; `--run` selects one, `--full` shows all\n")
    } else {
        String::new()
    };
    let texts =
        if cut { "\nlong texts and long runs are shortened; `--full` shows everything\n" } else { "" };
    runs + texts
}

/// Runs that are read one after the other.
type RunIterator = Box<dyn Iterator<Item = Result<Trace, TraceError>>>;

/// The content of a trace file, and how the format was detected.
struct TraceFile {
    format: &'static str,
    /// How certain the reader is; only known if the file was read as a whole.
    certainty: Option<String>,
    count: usize,
    runs: RunIterator,
    /// Which results of tools are failures, as `arraign.yaml` says.
    failed_when: Option<Arc<FailedWhen>>,
}

impl TraceFile {
    fn parse(readers: &ReaderSet, text: &str, format: Option<&str>) -> Result<Self, TraceError> {
        let recording = reader::read_with(readers, text, format)?;
        let certainty =
            if format.is_none() { Some(describe_certainty(readers, text, recording.format)?) } else { None };
        Ok(Self { certainty, ..Self::from_recording(recording) })
    }

    fn from_recording(Recording { format, runs, .. }: Recording) -> Self {
        Self::new(format, runs.into_iter().map(Ok))
    }

    fn new(
        format: &'static str,
        runs: impl ExactSizeIterator<Item = Result<Trace, TraceError>> + 'static,
    ) -> Self {
        Self { format, certainty: None, count: runs.len(), runs: Box::new(runs), failed_when: None }
    }
}

/// Describes how certain the reader is, and which other readers are equally certain.
fn describe_certainty(readers: &ReaderSet, text: &str, format: &str) -> Result<String, TraceError> {
    let claims = reader::claims_with(readers, text)?;
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

/// Renders the help of an error with the flags of this command.
fn render_help(error: &TraceError) -> String {
    match (&error.problem, &error.help) {
        (TraceProblem::Ambiguous(formats), _) => {
            let example = formats.first().copied().unwrap_or("NAME");
            format!("\n  help: select the format: `--trace-format {example}`")
        }
        (_, Some(help)) => format!("\n  help: {help}"),
        (_, None) => String::new(),
    }
}
