//! The quarantine of a run: which failures do not decide it.
//!
//! A pull request must not excuse itself. So an entry counts only if the copy of the base branch has it as well
//! (`ARRAIGN_QUARANTINE`), and only for a case whose file is that of the base branch (`ARRAIGN_BASE`). Both are looked at when
//! a quarantined trial has failed, because most trials pass, and under nextest each is a process.

mod base_branch;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use self::base_branch::{BaseBranch, FileInBase};
use super::settings::EnvSettings;
use crate::case::{BASELINE, Day, Quarantine, QuarantineEntry, QuarantinedTrial, Variant};
use crate::report::history::{CaseHistory, HistoryReport};
use crate::suite::{
    Library, Suite, build_case_name, build_file_name, find_files_for_name, parse_base_quarantine,
};
use crate::verdict::{TrialQuarantine, Verdict};

/// The number of runs in a row that a case must pass before it may leave.
const PASSES_TO_LEAVE: usize = 10;

/// The quarantine of a run.
pub(crate) struct RunQuarantine {
    own: Quarantine,
    /// The entries of the base branch, if the run knows them.
    base: Option<Quarantine>,
    branch: Option<BaseBranch>,
    /// The day on which the run started.
    today: Day,
}

/// The files that define a trial, and the name of its case.
pub(crate) struct TrialOrigin<'t> {
    /// The name of the case, of which the trial may be one of several runs. `None` if the trial is that of its case.
    pub(crate) case: Option<String>,
    /// The file of its suite.
    pub(crate) path: &'t Path,
}

/// Returns the day on which a run starts that nobody has given another one.
pub(super) fn find_today() -> Day {
    Day::of_time(SystemTime::now())
}

impl RunQuarantine {
    /// Adds to the entries of the folder those of the base branch. The error is a message for the user.
    pub(super) fn new(
        own: Quarantine,
        settings: &EnvSettings,
        folder: &Path,
        today: Day,
    ) -> Result<Self, String> {
        let base = settings.quarantine.as_ref().map(|path| folder.join(path));
        let base = base.as_deref().map(read_base_copy).transpose()?;
        let branch = settings.base.as_deref().map(BaseBranch::new).transpose()?;
        Ok(Self { own, base, branch, today })
    }

    /// Whether no case is quarantined.
    pub(crate) fn is_empty(&self) -> bool {
        self.own.entries.is_empty()
    }

    /// Returns a line for each entry whose trials have all passed in the last [`PASSES_TO_LEAVE`] runs of the history.
    pub(crate) fn list_leavers(&self, history: &HistoryReport, harness: &str) -> Vec<String> {
        let own: Vec<&CaseHistory> = history.cases.iter().filter(|case| case.harness == harness).collect();
        let entries = self.own.entries.iter().filter(|entry| {
            let mut meant = own.iter().filter(|case| means_past_trial(entry, case)).peekable();
            meant.peek().is_some() && meant.all(|case| case.passes_in_a_row >= PASSES_TO_LEAVE)
        });
        let lines = entries.map(|entry| {
            format!("`{}` may leave the quarantine: {PASSES_TO_LEAVE} runs in a row have passed", entry.case)
        });
        lines.collect()
    }

    /// Adds to the verdict of a trial that does not pass the entry that means it, if there is one.
    pub(crate) fn note_entry(
        &self,
        verdict: &mut Verdict,
        origin: &TrialOrigin<'_>,
        base: &Path,
        library: Library<'_>,
    ) {
        if verdict.passed || self.own.entries.is_empty() {
            return;
        }
        let name = verdict.get_case_name().to_owned();
        let trial = QuarantinedTrial {
            name: &name,
            case: origin.case.as_deref().unwrap_or(&name),
            variant: verdict.variant.as_deref().unwrap_or(BASELINE),
        };
        let is_case = |text: &str| has_case(text, library);
        let Some(entry) = self.own.find_entry(trial, is_case) else { return };
        let mut quarantine = TrialQuarantine::new(entry);
        if entry.until < self.today {
            quarantine.lapse = Some("that day is over".to_owned());
        } else if let Some(known) = &self.base
            && known.find_entry(trial, is_case).is_none_or(|entry| entry.until < self.today)
        {
            quarantine.lapse = Some("the base branch has no such entry".to_owned());
        } else if let Some(branch) = &self.branch {
            for path in list_files(verdict, origin, base) {
                match branch.compare_file(&path) {
                    FileInBase::Same => {}
                    FileInBase::Differs => {
                        let file = library.files.name(&path);
                        quarantine.lapse = Some(format!("`{file}` is not as in `{}`", branch.name));
                    }
                    FileInBase::NoCommit(reason) => quarantine.lapse = Some(reason),
                    FileInBase::NoGit(reason) => quarantine.unchecked = Some(reason),
                }
            }
        }
        verdict.quarantine = Some(Box::new(quarantine));
    }
}

/// Whether an entry means a trial of the history.
fn means_past_trial(entry: &QuarantineEntry, case: &CaseHistory) -> bool {
    let variant = if case.variant.is_empty() { BASELINE } else { &case.variant };
    let suffix = Variant::new(variant).suffix();
    let name = case.trial.strip_suffix(&suffix).unwrap_or(&case.trial);
    entry.variant.as_deref().is_none_or(|own| own == variant) && entry.describes(name)
}

/// Lists the files in which a pull request can change a case: that of its suite, the one that the suite includes, and the table
/// of its rows.
fn list_files(verdict: &Verdict, origin: &TrialOrigin<'_>, base: &Path) -> Vec<PathBuf> {
    let row = verdict.row.as_ref().map(|row| base.join(&row.file));
    let mut files = vec![origin.path.to_owned(), base.join(&verdict.case.file)];
    files.extend(row);
    files.sort_unstable();
    files.dedup();
    files
}

/// Whether a case is called `name`. Opens only the files that the name points to.
fn has_case(name: &str, library: Library<'_>) -> bool {
    find_files_for_name(library.files, name).iter().any(|path| {
        let file = build_file_name(path.strip_prefix(library.files.root()).unwrap_or(path));
        let is_wanted = |id: Option<&str>| build_case_name(&file, id) == name;
        Suite::load_some(path, library, &is_wanted)
            .is_ok_and(|suite| suite.cases.iter().any(|case| is_wanted(case.id.as_deref())))
    })
}

/// Reads the copy of `quarantine.yaml` of the base branch.
fn read_base_copy(path: &Path) -> Result<Quarantine, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("ARRAIGN_QUARANTINE: cannot read `{}`: {error}", path.display()))?;
    Ok(parse_base_quarantine(path, &text))
}
