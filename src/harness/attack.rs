//! Attacks on the agents of a folder: the cases run as they are, and then once for each attack.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::{fs, io};

use super::cli::{HarnessCommand, parse_arguments};
use super::plan::{AttackPhase, AttackPlan, CaseObserver, PlannedAttack};
use super::settings::{self, EnvSettings};
use super::stderr::{report_load_errors, report_problem};
use super::{CaseSelection, FAILED, Harness};
use crate::attack::{AttackPack, AttackReport};

/// The folder below the one of runs that has the verdicts of the cases as they are.
const OBSERVED: &str = "attacked";

/// The file that tells that a folder is ours.
const MARK: &str = "attacked.txt";

/// The settings of `cargo arraign attack`.
#[derive(Debug, Clone)]
pub struct AttackSettings {
    /// The texts.
    pub pack: AttackPack,
    /// The largest number of attacks on a case.
    pub most: usize,
    /// The only variant of the agents. `None`: the baseline.
    pub variant: Option<String>,
    /// The folder of the verdicts and reports, in place of `ARRAIGN_OUT`.
    pub out: Option<PathBuf>,
}

/// The attacks that were made.
pub struct AttackRun {
    /// The results.
    pub report: AttackReport,
    /// All attacks, also those that a filter left out.
    pub planned: Vec<PlannedAttack>,
}

/// Attacks the cases of a folder. `make_harness` is called for the run of the cases as they are, and for the run of the
/// attacks, which `arguments` select. The error is the exit code of a run that only lists its trials, or that cannot start; its
/// message has been printed.
pub fn run_attacks(
    make_harness: impl Fn() -> Harness,
    arguments: &[OsString],
    settings: &AttackSettings,
) -> Result<AttackRun, ExitCode> {
    let command = parse_arguments(arguments.to_vec(), None).map_err(report_problem)?;
    let lists = command.arguments.list;
    let observer = Arc::new(AttackPhase::Observe(CaseObserver::new(command.filters)));
    run_phase(make_harness(), &observer, settings, Vec::new())?;
    let AttackPhase::Observe(observer) = &*observer else { return Err(ExitCode::FAILURE) };
    let plan = AttackPlan::new(settings.pack.clone(), settings.most, observer.take_cases());
    let phase = Arc::new(AttackPhase::Attack(Box::new(plan)));
    run_phase(make_harness(), &phase, settings, arguments.to_vec())?;
    let AttackPhase::Attack(plan) = &*phase else { return Err(ExitCode::FAILURE) };
    if lists {
        return Err(ExitCode::SUCCESS);
    }
    let (cases, results) = plan.take_results();
    let variant = settings.variant.clone().or_else(|| settings::read_variable("ARRAIGN_VARIANT"));
    let report = AttackReport::new(settings.pack.name.clone(), variant, cases, results);
    Ok(AttackRun { report, planned: plan.take_planned() })
}

fn run_phase(
    harness: Harness,
    phase: &Arc<AttackPhase>,
    settings: &AttackSettings,
    arguments: Vec<OsString>,
) -> Result<(), ExitCode> {
    let selection =
        CaseSelection { variants: settings.variant.iter().cloned().collect(), ..CaseSelection::default() };
    let harness = Harness {
        selection: Some(selection),
        attack: Some(Arc::clone(phase)),
        out: settings.out.clone(),
        ..harness
    };
    // Whether trials fail is said by the results of the attacks.
    harness.try_run(arguments).map(drop)
}

impl AttackPhase {
    /// Leaves out of the settings what is about the cases as a project has them.
    ///
    /// The error says why the folder of the first run cannot be emptied.
    pub(super) fn restrict_settings(&self, settings: EnvSettings, base: &Path) -> io::Result<EnvSettings> {
        let settings = EnvSettings { history: None, mutates: false, output_json: None, ..settings };
        Ok(match self {
            Self::Attack(_) => settings,
            Self::Observe(_) => {
                let out = settings.out.as_ref().map(|out| base.join(out));
                let out = out.unwrap_or_else(|| settings::default_out(base)).join(OBSERVED);
                empty_folder(&out)
                    .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", out.display())))?;
                EnvSettings { out: Some(out), reports: Vec::new(), junit_file: None, ..settings }
            }
        })
    }
}

/// Makes an empty folder, in place of the one that an earlier command made. One without our mark is somebody else's.
fn empty_folder(folder: &Path) -> io::Result<()> {
    let mark = folder.join(MARK);
    if folder.exists() {
        if !mark.is_file() {
            let problem =
                "the folder exists, and this command has not made it; name another folder with `--out`";
            return Err(io::Error::other(problem));
        }
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    fs::write(mark, "`cargo arraign attack` makes this folder, and empties it each time.\n")
}

impl Harness {
    /// Replaces the trials by those of the phase. Returns the exit code of the process after printing an error.
    pub(super) fn plan_attacks(
        &self,
        plan: &mut super::plan::Plan,
        command: &HarnessCommand,
        folder: &str,
    ) -> Result<(), ExitCode> {
        let Some(phase) = &self.attack else { return Ok(()) };
        if command.variants.list().len() > 1 {
            return Err(report_problem("attacks run for one variant: name one".to_owned()));
        }
        phase.replace_trials(plan).map_err(|errors| report_load_errors(&errors, folder))?;
        if matches!(**phase, AttackPhase::Observe(_)) {
            plan.reports.clear();
        }
        if plan.trials.is_empty() {
            let code = report_problem(phase.describe_nothing());
            // Cases that cannot be attacked are undecided. A folder without any is a mistake of the command.
            let is_mistake = matches!(**phase, AttackPhase::Observe(_));
            return Err(if is_mistake { code } else { ExitCode::from(FAILED) });
        }
        Ok(())
    }
}
