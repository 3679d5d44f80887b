//! What an import says when it is done.

use std::io::{self, StdoutLock, Write as _};
use std::path::{Path, PathBuf};

use arraign::__internals::report::plain::one_line;

use super::lost::Lost;

/// A file that was written.
pub(super) struct Written {
    pub(super) path: PathBuf,
    /// Below the folder of cases.
    pub(super) name: String,
    /// For a file of cases: how many, and how many of them have a recorded run.
    pub(super) cases: Option<(usize, usize)>,
}

/// What was written, what is wrong with it, and what could not be carried.
pub(super) fn tell(new: &[Written], lost: &Lost, broken: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if new.is_empty() {
        writeln!(out, "nothing was written: no case could be carried")?;
    }
    for file in new {
        let path = one_line(&file.path.to_string_lossy());
        match file.cases {
            Some((cases, runs)) => writeln!(out, "wrote  {path} (cases: {cases}, with their run: {runs})")?,
            None => writeln!(out, "wrote  {path}")?,
        }
    }
    place_of_runs(&mut out, new)?;
    if !broken.is_empty() {
        writeln!(out, "\ndoes not load: mend it by hand")?;
    }
    for error in broken {
        writeln!(out, "  {}", one_line(error))?;
    }
    not_carried(&mut out, lost)
}

/// Where a case looks for its run that has none yet.
fn place_of_runs(out: &mut StdoutLock<'_>, new: &[Written]) -> io::Result<()> {
    let lacks_runs = |file: &&Written| file.cases.is_some_and(|(cases, runs)| runs < cases);
    let Some(file) = new.iter().find(lacks_runs) else { return Ok(()) };
    let folder = file.path.parent().unwrap_or(Path::new(""));
    let place = folder.join("traces").join(file.path.file_stem().unwrap_or_default()).join("<id>.json");
    writeln!(
        out,
        "\nA case without a run looks for it next to its file: {}",
        one_line(&place.to_string_lossy())
    )
}

fn not_carried(out: &mut StdoutLock<'_>, lost: &Lost) -> io::Result<()> {
    writeln!(out, "\nnot carried: {}", lost.0.len())?;
    for entry in &lost.0 {
        let (file, line) = (one_line(entry.place.file()), entry.place.line());
        writeln!(out, "  {file}:{line}: {}: {}", one_line(&entry.what), one_line(&entry.why))?;
    }
    Ok(())
}
