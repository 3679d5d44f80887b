//! The summary that an import prints.

use std::io::{self, StdoutLock, Write as _};
use std::path::{Path, PathBuf};

use arraign::__internals::report::plain::escape_line;

use super::trial_run::WrittenResults;
use super::unsupported::UnsupportedList;

/// A written file.
pub(super) struct WrittenFile {
    pub(super) path: PathBuf,
    /// The path relative to the folder of cases.
    pub(super) name: String,
    /// For a file of cases: the number of cases, and the number of cases with a recorded run.
    pub(super) cases: Option<(usize, usize)>,
}

/// The largest number of cases of each result that are listed.
const MAX_LISTED: usize = 20;

/// Prints the written files, their errors and results, and what could not be imported.
pub(super) fn print_summary(
    new: &[WrittenFile],
    unsupported: &UnsupportedList,
    broken: &[String],
    results: &WrittenResults,
    note: Option<&str>,
    log: Option<&str>,
) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if new.is_empty() {
        writeln!(out, "nothing was written: no case could be imported")?;
    }
    for file in new {
        let path = escape_line(&file.path.to_string_lossy());
        match file.cases {
            Some((cases, runs)) => {
                writeln!(out, "wrote  {path} (cases: {cases}, with a recorded run: {runs})")?;
            }
            None => writeln!(out, "wrote  {path}")?,
        }
    }
    if log.is_none() {
        print_trace_path(&mut out, new)?;
    }
    if !broken.is_empty() {
        writeln!(out, "\nthese cases do not load; correct them by hand:")?;
    }
    for error in broken {
        writeln!(out, "  {}", escape_line(error))?;
    }
    if !new.is_empty() {
        print_results(&mut out, results)?;
        if let Some(note) = note {
            writeln!(out, "note: {note}")?;
        }
    }
    print_unsupported(&mut out, unsupported)
}

/// Prints where to put the trace of a case without a recorded run.
fn print_trace_path(out: &mut StdoutLock<'_>, new: &[WrittenFile]) -> io::Result<()> {
    let Some(file) = new.iter().find(|file| file.cases.is_some_and(|(cases, runs)| runs < cases)) else {
        return Ok(());
    };
    let folder = file.path.parent().unwrap_or(Path::new(""));
    let place = folder.join("traces").join(file.path.file_stem().unwrap_or_default()).join("<id>.json");
    writeln!(
        out,
        "\nPut the trace of a case without a recorded run at {}",
        escape_line(&place.to_string_lossy())
    )
}

/// Prints the results of the written cases, so that a verdict on which the other tool disagrees is seen at once.
fn print_results(out: &mut StdoutLock<'_>, results: &WrittenResults) -> io::Result<()> {
    writeln!(out, "\n{}", results.render_counts())?;
    for (word, lines) in [("red", &results.red), ("undecided", &results.undecided)] {
        for line in lines.iter().take(MAX_LISTED) {
            writeln!(out, "  {word}: {}", escape_line(line))?;
        }
        if lines.len() > MAX_LISTED {
            writeln!(out, "  ... and {} more {word}", lines.len() - MAX_LISTED)?;
        }
    }
    Ok(())
}

fn print_unsupported(out: &mut StdoutLock<'_>, unsupported: &UnsupportedList) -> io::Result<()> {
    writeln!(out, "\nnot imported: {}", unsupported.0.len())?;
    for entry in &unsupported.0 {
        let file = escape_line(entry.place.file());
        let line = entry.place.line();
        writeln!(out, "{file}:{line}: {}: {}", escape_line(&entry.what), escape_line(&entry.why))?;
    }
    Ok(())
}
