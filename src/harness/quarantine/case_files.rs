//! The files in which a pull request can change the result of a case.

use std::path::{Path, PathBuf};

use super::base_branch::ChangedFiles;
use crate::case::{Case, InputGlob, WorkspaceTemplate};
use crate::judge::cassette::cassette_prefix;
use crate::source::Files;
use crate::suite::{CaseRuns, CassetteOf, Library, Suite, cassette_path, load_baseline, workspace};
use crate::verdict::Verdict;

/// What a trial is made of.
pub(crate) struct TrialOrigin<'t> {
    /// The name of the case, of which the trial may be one of several runs. `None` if the trial is that of its case.
    pub(crate) case: Option<String>,
    /// The file of its suite.
    pub(crate) path: &'t Path,
    /// Its case, or those that a gate sums up, each with the file of its suite.
    pub(crate) cases: Vec<(&'t Case, &'t Path)>,
    /// Lists the files of the agent of a case.
    pub(crate) list_agent_files: &'t dyn Fn(&Case) -> AgentFiles,
}

/// The files of an agent.
#[derive(Debug, Default)]
pub(crate) struct AgentFiles {
    /// Its `inputs`.
    pub(crate) inputs: Vec<InputGlob>,
    /// The files that its command names.
    pub(crate) programs: Vec<PathBuf>,
}

impl TrialOrigin<'_> {
    /// Returns the first file of the trial that is not as in the base branch.
    pub(super) fn find_changed(
        &self,
        verdict: &Verdict,
        changed: &ChangedFiles,
        base: &Path,
        library: Library<'_>,
    ) -> Option<PathBuf> {
        let files = self.list_files(verdict, base, library);
        let file = files.into_iter().find(|path| changed.contains(path));
        // Last, because a file of the case says more.
        file.or_else(|| {
            self.cases.iter().find_map(|(case, _)| {
                let AgentFiles { inputs, programs } = (self.list_agent_files)(case);
                let program = programs.into_iter().find(|path| changed.contains(path));
                // A changed file may be one that the pull request deletes.
                program.or_else(|| {
                    changed.find_meant(base, |name| inputs.iter().any(|glob| glob.pattern.matches(name)))
                })
            })
        })
    }

    /// Lists the files that define the trial and its evidence, that of its suite first. The suite is read anew, so that what it
    /// includes is known by what is opened.
    fn list_files(&self, verdict: &Verdict, base: &Path, library: Library<'_>) -> Vec<PathBuf> {
        let row = verdict.row.as_ref().map(|row| base.join(&row.file));
        let mut files = vec![self.path.to_owned(), base.join(&verdict.case.file)];
        files.extend(row);
        let logging = library.files.logging();
        let library = Library { files: &logging, ..library };
        let is_wanted = |id: Option<&str>| self.cases.iter().any(|(case, _)| case.id.as_deref() == id);
        // Mistakes were reported when the file was read for the trial.
        let _ = Suite::load_some(self.path, library, &is_wanted);
        let _ = workspace(&logging, library.kinds);
        for (case, path) in &self.cases {
            // The evidence of an agent that was asked anew is in no file.
            if !verdict.live
                && let Ok(runs) = CaseRuns::find_runs(case, path, &logging)
            {
                runs.each_run(&logging).for_each(drop);
            }
            let _ = load_baseline(case, path, &logging);
            files.extend(list_recorded_answers(case, path, &logging));
            files.extend(list_templates(case));
        }
        let mut opened = logging.list_opened();
        opened.retain(|path| !files.contains(path));
        files.extend(opened);
        files
    }
}

/// Lists the recorded answers of the model and of the judge.
fn list_recorded_answers(case: &Case, path: &Path, files: &Files) -> Vec<PathBuf> {
    let runs = case.repeat.as_ref().map_or(1, |(runs, _)| *runs);
    let mut recorded: Vec<PathBuf> = (1..=runs)
        .flat_map(|run| {
            [CassetteOf::Model, CassetteOf::McpServer].map(|of| cassette_path(case, path, run, of))
        })
        .collect();
    let suffix = case.variant.as_ref().map(|variant| variant.suffix()).unwrap_or_default();
    let prefix = cassette_prefix(case, path, &suffix);
    let name = prefix.file_name().unwrap_or_default().to_string_lossy();
    let opinions = files.list(prefix.parent().unwrap_or(path)).into_iter();
    recorded.extend(
        opinions.filter(|path| path.file_name().is_some_and(|own| own.to_string_lossy().starts_with(&*name))),
    );
    recorded
}

/// Lists the folders of the package that the workspace of a case copies.
fn list_templates(case: &Case) -> Vec<PathBuf> {
    let Some(settings) = &case.workspace else { return Vec::new() };
    let from = match &settings.from {
        Some(WorkspaceTemplate::Folder(folder)) => Some(folder),
        Some(WorkspaceTemplate::Git { .. }) | None => None,
    };
    let folders = from.into_iter().chain(settings.hidden.iter().map(|hidden| &hidden.source));
    folders.filter_map(|folder| folder.find().ok()).collect()
}
