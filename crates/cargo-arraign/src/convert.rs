//! `cargo arraign convert FILE...`.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::report::plain::escape_line;
use clap::Args;

use crate::error::{CliError, CliResult, FAILED, print_to_stderr};
use crate::explain::Explain;
use crate::file_options::parse_size;
use crate::new_file::write_new;
use crate::target_format::TargetFormat;

/// Write the runs of trace files in another format, one file per run.
///
/// What the format has no place for is listed on standard error. Exits with 101 if a run cannot be written.
#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// The trace files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The format of the new files.
    #[arg(long, value_enum, default_value_t)]
    to: TargetFormat,
    /// Write the files into this folder. Default: the folder of each trace file.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Read the files as this format, without detection.
    #[arg(long, value_name = "NAME")]
    trace_format: Option<String>,
    /// The largest file that is read, such as `200MB`. Default: `size_limit` of arraign.yaml, or 64 MiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    size_limit: Option<u64>,
    /// Exit with 101 if the format has no place for something.
    #[arg(long)]
    strict: bool,
    /// Write secrets as they are, such as passwords and tokens.
    #[arg(long)]
    unmasked: bool,
}

impl Convert {
    pub(crate) fn run(self) -> CliResult {
        let mut is_complete = true;
        for file in &self.files {
            is_complete &= self.convert(file)?;
        }
        Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }

    /// Writes the runs of a file. Returns whether all of them were written, with `--strict` without a loss.
    fn convert(&self, file: &Path) -> Result<bool, CliError> {
        let explain = Explain::of_file(file.to_owned()).select(None, self.trace_format.clone(), None);
        let explain = explain.with_limits(self.size_limit, self.unmasked);
        let mut is_complete = true;
        let (count, runs) = explain.read_runs()?;
        for (number, run) in (1..).zip(runs) {
            let run = run?;
            let which = if count == 1 { String::new() } else { format!(" run {number}") };
            let named = format!("{}{which}", escape_line(&file.to_string_lossy()));
            match self.to.write(&run) {
                Ok((text, losses)) => {
                    self.create(&self.locate(file, number, count)?, &text)?;
                    is_complete &= losses.is_empty() || !self.strict;
                    self.to.print_losses(&named, &losses);
                }
                Err(problem) => {
                    is_complete = false;
                    print_to_stderr(&format!("{named}: not written: {problem}"));
                }
            }
        }
        Ok(is_complete)
    }

    /// The file of a run: `chat.atif.json`, or `chat.2.atif.json` of several.
    fn locate(&self, file: &Path, number: usize, count: usize) -> Result<PathBuf, CliError> {
        let Some(stem) = file.file_stem() else {
            return Err(CliError::new(format!("{}: the file has no name", file.display())));
        };
        let mut name = stem.to_os_string();
        if count > 1 {
            name.push(format!(".{number}"));
        }
        name.push(format!(".{}.json", self.to.name()));
        let folder = self.out.as_deref().or_else(|| file.parent()).unwrap_or(Path::new(""));
        Ok(folder.join(name))
    }

    fn create(&self, path: &Path, text: &str) -> Result<(), CliError> {
        if write_new(path, text)? {
            let written = writeln!(io::stdout(), "{}", escape_line(&path.to_string_lossy()));
            return written.or_else(|error| match error.kind() {
                io::ErrorKind::BrokenPipe => Ok(()),
                _ => Err(error.into()),
            });
        }
        let problem = format!("{}: the file exists", path.display());
        let help = if self.out.is_some() {
            "remove it, or give another `--out`"
        } else {
            "remove it, or give `--out DIR`"
        };
        Err(CliError::new(format!("{problem}\n  help: {help}")))
    }
}
