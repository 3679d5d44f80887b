//! What the cases of a folder leave untested, found by holding them against their recorded evidence: no agent is run.
//!
//! Each lint is a file: what it keeps of each case, and the remarks that it comes to.

mod clauses;
mod nothing;
mod policies;
mod probe;
mod repeated;
mod tools;

use std::path::Path;

use serde::Serialize;

use self::clauses::Clauses;
use self::tools::Tools;
use crate::case::Case;
use crate::engine::evaluate_recorded;
use crate::place::{LoadErrors, Location};
use crate::suite::{Library, Recorded, case_files, load_all, load_recorded, trial_name};

/// One thing that is left untested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Remark {
    /// The lint's name.
    pub lint: &'static str,
    /// Where.
    pub at: Location,
    /// What is left untested.
    pub message: String,
    /// What to do about it.
    pub help: &'static str,
}

/// A file or case that could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// Where.
    pub at: Location,
    /// Why.
    pub why: String,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Linted {
    /// How many cases were looked at.
    pub cases: usize,
    /// What is left untested, by place.
    pub remarks: Vec<Remark>,
    /// What could not be looked at, in the order of the files.
    pub left_out: Vec<LeftOut>,
}

/// Looks at all cases of a folder. The error: which files there are cannot be told.
pub(crate) fn lint(library: Library<'_>) -> Result<Linted, LoadErrors> {
    let mut linter = Linter::default();
    let mut all_read = true;
    for (path, suite) in load_all(case_files(library.files)?, library) {
        match suite {
            Ok(suite) => suite.cases.iter().for_each(|case| linter.look(case, &path, library)),
            Err(errors) => {
                all_read = false;
                linter.unread(&errors);
            }
        }
    }
    // A file that cannot be read may name any of them.
    if all_read {
        linter.found.remarks.extend(policies::remarks(library.files));
    }
    Ok(linter.finish())
}

#[derive(Default)]
struct Linter {
    found: Linted,
    clauses: Clauses,
    tools: Tools,
}

impl Linter {
    fn unread(&mut self, errors: &LoadErrors) {
        let left_out = |error: &crate::place::LoadError| {
            let help = error.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
            LeftOut { at: error.place.locate(), why: format!("{}{help}", error.problem) }
        };
        self.found.left_out.extend(errors.iter().map(left_out));
    }

    fn look(&mut self, case: &Case, path: &Path, library: Library<'_>) {
        if case.ignore.is_some() {
            return;
        }
        let below = path.strip_prefix(library.files.root()).unwrap_or(path);
        let name = trial_name(below, case.id.as_deref());
        let runs_of = |runs| Recorded::of_runs(runs, case, path, library.files);
        self.found.remarks.extend(repeated::remarks(case));
        self.found.remarks.extend(nothing::remark(case, &name, runs_of));
        match load_recorded(case, path, library.files) {
            Ok(recorded) => self.hold(case, &name, recorded),
            Err(why) => self.found.left_out.push(LeftOut { at: case.trace_place().locate(), why }),
        }
    }

    fn hold(&mut self, case: &Case, name: &str, recorded: Recorded) {
        self.found.cases += 1;
        let verdict = evaluate_recorded(case, name, &recorded);
        self.clauses.add(case, &recorded, &verdict);
        self.tools.add(case, name, recorded);
    }

    fn finish(self) -> Linted {
        let mut found = self.found;
        found.remarks.extend(self.clauses.remarks());
        found.remarks.extend(self.tools.remarks());
        found.remarks.sort_by(|one, other| order(one).cmp(&order(other)));
        found
    }
}

fn order(remark: &Remark) -> (&str, usize, usize, &str, &str) {
    (&remark.at.file, remark.at.line, remark.at.column, remark.lint, &remark.message)
}

/// Names as a sentence has them.
fn quoted<'n>(names: impl IntoIterator<Item = &'n String>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
