//! Finds what the cases of a folder leave untested, by evaluating them on their recorded evidence and on changed copies
//! of it. No agent is run.
//!
//! Each lint is one file: the facts that it collects from each case, and its remarks.

mod clauses;
mod empty_run;
mod failed_call;
mod fallible;
mod left_out_runs;
mod near_miss;
mod passed_over;
mod pinned;
mod policies;
mod probe;
mod repeated;
mod replaced_gate;
mod several_traces;
mod tools;
mod unfingerprinted;
mod unseen_effect;
mod unused_column;
mod weak_settings;

use std::path::Path;

use serde::Serialize;

use self::clauses::ClauseCoverage;
use self::near_miss::NearMisses;
use self::tools::ToolNotices;
use self::unseen_effect::SeenEffects;
use crate::case::{Case, Quarantine};
use crate::engine::evaluate_recorded;
use crate::place::{LoadErrors, Location};
use crate::suite::{
    Library, QuarantinableNames, RecordedEvidence, build_file_name, build_trial_name, find_case_files,
    load_all, load_recorded,
};

/// One finding of a lint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LintRemark {
    /// The name of the lint.
    pub lint: &'static str,
    /// The place.
    pub at: Location,
    /// The part of the case that is not tested.
    pub message: String,
    /// Advice.
    pub help: &'static str,
}

/// A file or case that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LintSkip {
    /// Where.
    pub at: Location,
    /// The reason.
    pub why: String,
}

/// The result of all lints.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LintResult {
    /// The number of cases that were evaluated.
    pub cases: usize,
    /// The remarks, by place.
    pub remarks: Vec<LintRemark>,
    /// The skipped files and cases, in the order of the files.
    pub left_out: Vec<LintSkip>,
}

/// Lints all cases of a folder. It is an error if the files cannot be listed, and if an entry of the quarantine means no case
/// or no variant.
pub(crate) fn lint_cases(
    library: Library<'_>,
    quarantine: &Quarantine,
    is_variant: impl Fn(&str) -> bool,
) -> Result<LintResult, LoadErrors> {
    let mut linter = Linter::default();
    let mut names = QuarantinableNames::default();
    let mut all_read = true;
    for (path, suite) in load_all(find_case_files(library.files)?, library) {
        match suite {
            Ok(suite) => {
                let below = path.strip_prefix(library.files.root()).unwrap_or(&path);
                names.add_suite(&suite, &build_file_name(below));
                suite.cases.iter().for_each(|case| linter.lint_case(case, &path, library));
            }
            Err(errors) => {
                all_read = false;
                linter.add_unreadable(&errors);
            }
        }
    }
    // A file that cannot be read may use any of the policies, so none of them is known to be unused.
    if all_read {
        names.check_entries(quarantine, is_variant).or(())?;
        linter.found.remarks.extend(policies::find_remarks(library.files));
    }
    // Last, because it reads files that count as unused until then.
    linter.found.remarks.extend(passed_over::find_remarks(library.files));
    Ok(linter.finish())
}

#[derive(Default)]
struct Linter {
    found: LintResult,
    clauses: ClauseCoverage,
    near_misses: NearMisses,
    tools: ToolNotices,
    effects: SeenEffects,
}

impl Linter {
    fn add_unreadable(&mut self, errors: &LoadErrors) {
        for error in errors {
            let help = error.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
            let why = format!("{}{help}", error.problem);
            self.found.left_out.push(LintSkip { at: error.place.locate(), why });
        }
    }

    fn lint_case(&mut self, case: &Case, path: &Path, library: Library<'_>) {
        if case.ignore.is_some() {
            return;
        }
        let below = path.strip_prefix(library.files.root()).unwrap_or(path);
        let name = build_trial_name(below, case.id.as_deref());
        self.found.remarks.extend(repeated::find_remarks(case));
        self.found.remarks.extend(replaced_gate::find_remarks(case));
        self.found.remarks.extend(unused_column::find_remark(case));
        self.effects.add_case(case);
        let folder = path.parent().unwrap_or(path);
        self.found.remarks.extend(weak_settings::find_remarks(case, folder, library.files));
        self.found.remarks.extend(several_traces::find_remark(case, path, library.files));
        self.found.remarks.extend(left_out_runs::find_remark(case, path, library.files));
        // This remark is about a run that nobody has recorded: that of an agent which says and does nothing.
        self.found.remarks.extend(empty_run::find_remark(case, &name, |runs| {
            RecordedEvidence::from_runs(runs, case, path, library.files)
        }));
        match load_recorded(case, path, library.files) {
            Ok(recorded) => self.evaluate_case(case, &name, recorded),
            Err(why) => {
                self.found.left_out.push(LintSkip { at: case.trace_place().locate(), why: why.into() });
            }
        }
    }

    fn evaluate_case(&mut self, case: &Case, name: &str, recorded: RecordedEvidence) {
        self.found.cases += 1;
        self.found.remarks.extend(unfingerprinted::find_remark(case, &recorded.runs));
        let verdict = evaluate_recorded(case, name, &recorded);
        self.found.remarks.extend(failed_call::find_remarks(case, &verdict));
        self.found.remarks.extend(pinned::find_remark(case, &verdict));
        self.found.remarks.extend(fallible::find_remarks(case, &recorded));
        self.clauses.add_case(case, &recorded, &verdict);
        self.near_misses.add_case(case, &recorded);
        self.tools.add_case(case, name, recorded);
    }

    fn finish(self) -> LintResult {
        let mut found = self.found;
        // These are known only when all cases have been seen.
        found.remarks.extend(self.clauses.into_remarks());
        found.remarks.extend(self.near_misses.into_remarks());
        found.remarks.extend(self.tools.into_remarks());
        found.remarks.extend(self.effects.into_remarks());
        found.remarks.sort_by(|one, other| sort_key(one).cmp(&sort_key(other)));
        found
    }
}

fn sort_key(remark: &LintRemark) -> (&str, usize, usize, &str, &str) {
    (&remark.at.file, remark.at.line, remark.at.column, remark.lint, &remark.message)
}

/// Renders names for a sentence: `a`, `b`.
fn quote_names<'n>(names: impl IntoIterator<Item = &'n String>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
