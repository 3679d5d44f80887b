//! The trials of `cargo arraign attack`: first the cases as they are, whose results are the places of attacks, and then one
//! trial for each attack.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::{CaseWork, Plan, PlannedTrial, TrialWork};
use crate::attack::{Attack, AttackPack, AttackResult, AttackedCase, attack_case, list_attacks};
use crate::harness::cli::HarnessCommand;
use crate::place::LoadErrors;
use crate::report::plain::count_noun;
use crate::source::lock;
use crate::trace::Trace;
use crate::verdict::{TrialAttack, Verdict};

/// What a run of the harness is for `cargo arraign attack`.
pub(in crate::harness) enum AttackPhase {
    /// The cases run as they are.
    Observe(CaseObserver),
    /// The attacks are made.
    Attack(Box<AttackPlan>),
}

/// Keeps what cases do without an attack.
#[derive(Default)]
pub(in crate::harness) struct CaseObserver {
    /// Texts of which the name of an attack has one; empty for all attacks.
    filters: Vec<String>,
    cases: Mutex<BTreeMap<String, ObservedCase>>,
}

/// What a case does without an attack.
#[derive(Debug, Clone, Default)]
pub(in crate::harness) struct ObservedCase {
    runs: Vec<Trace>,
    /// Why the case is not attacked.
    left_out: Option<String>,
}

/// The attacks of a run, and their results.
pub(in crate::harness) struct AttackPlan {
    pack: AttackPack,
    most: usize,
    observed: BTreeMap<String, ObservedCase>,
    cases: Mutex<Vec<AttackedCase>>,
    planned: Mutex<Vec<PlannedAttack>>,
    results: Mutex<Vec<AttackResult>>,
    /// The number of failures that were shown whole.
    shown: AtomicUsize,
}

/// The number of attacks whose failures are shown whole. An agent that obeys one text obeys many, and they look alike.
pub const SHOWN_FAILURES: usize = 5;

/// An attack, and the case in its file.
#[derive(Debug, Clone)]
pub struct PlannedAttack {
    /// The file of the case.
    pub path: PathBuf,
    /// The id of the case. `None` for a file that is one case.
    pub id: Option<String>,
    /// Whether the file writes the case as one of several rows.
    pub is_row: bool,
    /// The attack.
    pub attack: Attack,
}

impl CaseObserver {
    pub(in crate::harness) fn new(filters: Vec<String>) -> Self {
        Self { filters, ..Self::default() }
    }

    /// Takes what is known of the cases.
    pub(in crate::harness) fn take_cases(&self) -> BTreeMap<String, ObservedCase> {
        std::mem::take(&mut *lock(&self.cases))
    }

    /// Whether a filter may select an attack on the case called `name`.
    fn wants_case(&self, name: &str) -> bool {
        let may_select = |filter: &String| {
            let of_case = filter.split("@attack").next().unwrap_or_default();
            name.contains(of_case) || of_case.is_empty() || !filter.contains("@attack")
        };
        self.filters.is_empty() || self.filters.iter().any(may_select)
    }
}

impl AttackPlan {
    pub(in crate::harness) fn new(
        pack: AttackPack,
        most: usize,
        observed: BTreeMap<String, ObservedCase>,
    ) -> Self {
        Self {
            pack,
            most,
            observed,
            cases: Mutex::default(),
            planned: Mutex::default(),
            results: Mutex::default(),
            shown: AtomicUsize::default(),
        }
    }

    /// Takes the attacks that were planned.
    pub(in crate::harness) fn take_planned(&self) -> Vec<PlannedAttack> {
        std::mem::take(&mut *lock(&self.planned))
    }

    /// Counts the attacks that run: those that no filter leaves out.
    fn count_wanted(&self, plan: &Plan, command: &HarnessCommand) {
        let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
        for trial in plan.trials_to_run(command) {
            if let TrialWork::Case(CaseWork { attack: Some(attack), .. }) = &trial.work {
                *wanted.entry(&attack.case).or_default() += 1;
            }
        }
        for case in lock(&self.cases).iter_mut() {
            case.attacks = wanted.get(case.name.as_str()).copied().unwrap_or_default();
        }
    }

    /// Takes the cases and the results of the attacks on them.
    pub(in crate::harness) fn take_results(&self) -> (Vec<AttackedCase>, Vec<AttackResult>) {
        (std::mem::take(&mut *lock(&self.cases)), std::mem::take(&mut *lock(&self.results)))
    }

    /// Returns the trials of the attacks on a case.
    fn plan_attacks(&self, name: &str, work: &CaseWork) -> Result<Vec<PlannedTrial>, LoadErrors> {
        let mut attacked = AttackedCase { name: name.to_owned(), attacks: 0, of: 0, left_out: None };
        let mut trials = Vec::new();
        let observed = self.observed.get(name);
        match observed.map(|case| (&case.left_out, &case.runs)) {
            // A filter left it out.
            None => return Ok(trials),
            Some((Some(why), _)) => attacked.left_out = Some(why.clone()),
            Some((None, runs)) => {
                let list = list_attacks(&work.case, name, runs, &self.pack, self.most);
                attacked.of = list.of;
                if list.attacks.is_empty() {
                    attacked.left_out = Some("its runs read no text from a mock tool".to_owned());
                }
                lock(&self.planned).extend(list.attacks.iter().map(|attack| PlannedAttack {
                    path: work.path.to_path_buf(),
                    id: work.case.id.clone(),
                    is_row: work.case.row.is_some(),
                    attack: attack.clone(),
                }));
                for attack in &list.attacks {
                    let work = CaseWork {
                        case: Arc::new(attack_case(&work.case, attack)?),
                        // The gate of a suite is about its cases as they are.
                        suite: format!("{}@attack", work.suite).into(),
                        attack: Some(Arc::new(attack.about.clone())),
                        ..work.clone()
                    };
                    let name = format!("{name}{}", attack.about.suffix());
                    trials.push(PlannedTrial::new(name, None, TrialWork::Case(work)));
                }
            }
        }
        lock(&self.cases).push(attacked);
        Ok(trials)
    }
}

impl AttackPhase {
    /// Notes how many attacks the filters select.
    pub(in crate::harness) fn count_wanted(&self, plan: &Plan, command: &HarnessCommand) {
        if let Self::Attack(attacks) = self {
            attacks.count_wanted(plan, command);
        }
    }

    /// Replaces the trials of a plan of all cases by those of the phase.
    pub(in crate::harness) fn replace_trials(&self, plan: &mut Plan) -> Result<(), LoadErrors> {
        // The summaries of suites are about their cases as they are.
        plan.golden.clear();
        let all = std::mem::take(&mut plan.trials);
        let attackable = all.into_iter().filter(|planned| match &planned.work {
            TrialWork::Case(work) => {
                // A case with an injection of its own is an attack already.
                let is_open = work.case.mocks.as_ref().is_some_and(|mocks| mocks.injection.is_none());
                work.run.is_none() && work.case.agent.is_some() && is_open
            }
            TrialWork::Deferred(_) | TrialWork::Gate(_) | TrialWork::Broken(_) => false,
        });
        let mut errors = LoadErrors::new();
        for planned in attackable {
            match (self, &planned.work) {
                (Self::Observe(observer), _) if observer.wants_case(&planned.name) => {
                    let left_out = planned.ignore.is_some().then(|| "the case is ignored".to_owned());
                    let case = ObservedCase { runs: Vec::new(), left_out };
                    lock(&observer.cases).insert(planned.name.clone(), case);
                    plan.trials.push(planned);
                }
                (Self::Attack(attacks), TrialWork::Case(work)) => {
                    let trials = errors.take(attacks.plan_attacks(&planned.name, work));
                    plan.trials.extend(trials.unwrap_or_default());
                }
                _ => {}
            }
        }
        errors.or(())
    }

    /// Says why there is nothing to do.
    pub(in crate::harness) fn describe_nothing(&self) -> String {
        match self {
            Self::Observe(observer) if observer.filters.is_empty() => {
                "no case has an agent and `mocks`: there is nothing to attack".to_owned()
            }
            Self::Observe(_) => "no attack of this name: there is nothing to attack".to_owned(),
            Self::Attack(attacks) => {
                let cases = lock(&attacks.cases);
                let reasons: Vec<String> = cases
                    .iter()
                    .map(|case| {
                        format!("`{}`: {}", case.name, case.left_out.as_deref().unwrap_or("no attack"))
                    })
                    .collect();
                format!("none of {} was attacked\n{}", count_noun(cases.len(), "case"), reasons.join("\n"))
            }
        }
    }

    /// Keeps a run of a case.
    pub(in crate::harness) fn note_run(&self, name: &str, run: &Trace) {
        let Self::Observe(observer) = self else { return };
        if let Some(case) = lock(&observer.cases).get_mut(name)
            // A run that failed is listed again, for its details.
            && !case.runs.contains(run)
        {
            case.runs.push(run.clone());
        }
    }

    /// Whether the failure of one more trial is shown whole.
    pub(in crate::harness) fn shows_failure(&self) -> bool {
        match self {
            Self::Observe(_) => true,
            Self::Attack(attacks) => attacks.shown.fetch_add(1, Ordering::Relaxed) < SHOWN_FAILURES,
        }
    }

    /// Keeps the result of a trial.
    pub(in crate::harness) fn note_verdict(&self, verdict: &Verdict) {
        match self {
            Self::Observe(observer) => {
                if let Some(case) = lock(&observer.cases).get_mut(&verdict.name).filter(|_| !verdict.passed) {
                    case.left_out = Some("it does not pass without an attack".to_owned());
                }
            }
            Self::Attack(attacks) => lock(&attacks.results).extend(AttackResult::from_verdict(verdict)),
        }
    }
}

/// Adds the attack to the verdict of its trial.
pub(in crate::harness) fn name_attack(attack: Option<&Arc<TrialAttack>>, verdict: &mut Verdict) {
    verdict.attack = attack.map(|attack| Box::new((**attack).clone()));
}
