//! The quarantine of a run: which failures do not decide it.
//!
//! A pull request must not excuse itself. So an entry counts only if the copy of the base branch has it as well
//! (`ARRAIGN_QUARANTINE`), and only for a case whose files are those of the base branch (`ARRAIGN_BASE`). Both are looked at when
//! a quarantined trial has failed, because most trials pass, and under nextest each is a process.

mod base_branch;
mod case_files;

use std::path::Path;
use std::time::SystemTime;

use self::base_branch::{BaseBranch, BaseProblem};
pub(crate) use self::case_files::{AgentFiles, TrialOrigin};
use super::settings::EnvSettings;
use crate::case::{BASELINE, Day, Quarantine, QuarantinedTrial};
use crate::report::history::HistoryReport;
use crate::suite::{
    Library, Suite, build_case_name, build_file_name, find_files_for_name, parse_base_quarantine,
};
use crate::verdict::{TrialQuarantine, Verdict};

/// The quarantine of a run.
pub(crate) struct RunQuarantine {
    own: Quarantine,
    /// The copy of the base branch, if the run has one.
    base: Option<BaseCopy>,
    branch: Option<BaseBranch>,
    /// The day on which the run started.
    today: Day,
}

/// The copy of `quarantine.yaml` of the base branch.
struct BaseCopy {
    quarantine: Quarantine,
    /// What of it cannot be read. The text is one line.
    problem: Option<String>,
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

    /// Returns a line for each entry whose case may leave the quarantine by the history.
    pub(crate) fn list_leavers(&self, history: &HistoryReport, harness: &str) -> Vec<String> {
        history.list_leavers(&self.own, Some(harness))
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
        } else if let Some(copy) = &self.base
            && copy.quarantine.find_entry(trial, is_case).is_none_or(|entry| entry.until < self.today)
        {
            quarantine.lapse = Some(match &copy.problem {
                Some(problem) => {
                    format!(
                        "the base branch has no such entry; its copy cannot be read as a whole: {problem}"
                    )
                }
                None => "the base branch has no such entry".to_owned(),
            });
        } else if let Some(branch) = &self.branch {
            match branch.find_changes(base) {
                Ok(changed) => {
                    let file = origin.find_changed(verdict, changed, base, library);
                    let file = file.map(|path| library.files.name(&path));
                    quarantine.lapse = file.map(|file| format!("`{file}` is not as in `{}`", branch.name));
                }
                Err(BaseProblem::NoCommit(reason)) => quarantine.lapse = Some(reason.clone()),
                Err(BaseProblem::NoGit(reason)) => quarantine.unchecked = Some(reason.clone()),
            }
        }
        verdict.quarantine = Some(Box::new(quarantine));
    }
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
fn read_base_copy(path: &Path) -> Result<BaseCopy, String> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        format!(
            "ARRAIGN_QUARANTINE: cannot read `{}`: {error}\nit names a file: the copy of `quarantine.yaml` of the base branch",
            path.display()
        )
    })?;
    let (quarantine, errors) = parse_base_quarantine(path, &text);
    Ok(BaseCopy { quarantine, problem: errors.iter().next().map(ToString::to_string) })
}
