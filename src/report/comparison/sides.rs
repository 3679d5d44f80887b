//! Pairs the cases of two sides: which pairs rest on the same evidence, which are samples, and what is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::trials::{BASELINE, TrialRecord, TrialStates};
use super::{
    CaseFlip, ComparisonReport, ComparisonSettings, SCHEMA_VERSION, SideComparison, TrialChange,
    TrialComparison, VariantFigures, render_score,
};
use crate::json::render_plain;
use crate::score::paired::{CaseFigure, CasePair, Measure, PairedSettings, compare_sides};

/// A run to compare.
#[derive(Debug, Clone, Copy)]
pub struct ComparedRun<'t> {
    /// The name of the run.
    pub name: &'t str,
    /// The trials of the run.
    pub trials: &'t TrialStates,
    /// Whether trials of the run left no verdict, so that a case that is not there may be one of them.
    pub is_incomplete: bool,
}

/// Why there is nothing to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComparisonError {
    /// The run has no trial of the variant `name`, but some of the variants `known`.
    UnknownVariant {
        /// The run.
        run: String,
        /// The variant.
        name: String,
        /// The variants of the run.
        known: Vec<String>,
    },
    /// A side would be compared with itself.
    NamedTwice(String),
    /// The run has no variant beside this one.
    NoOther {
        /// The run.
        run: String,
        /// The variant.
        name: String,
    },
    /// No case has the key of `--cluster` in its metadata.
    NoCluster(String),
}

impl fmt::Display for ComparisonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownVariant { run, name, known } if known.is_empty() => {
                write!(f, "no case of the run `{run}` ran the variant `{name}`: the run has no variants")
            }
            Self::UnknownVariant { run, name, known } => write!(
                f,
                "no case of the run `{run}` ran the variant `{name}`; its variants are `{}`",
                known.join("`, `")
            ),
            Self::NamedTwice(name) => {
                write!(f, "`{name}` is named twice: a side is not compared with itself")
            }
            Self::NoOther { run, name } => {
                write!(f, "the run `{run}` has no variant to compare with `{name}`")
            }
            Self::NoCluster(key) => {
                write!(f, "no case has `{key}` in its `metadata`; `--cluster` names a key that cases share")
            }
        }
    }
}

impl std::error::Error for ComparisonError {}

/// The identity of a case across sides: its name and its harness.
type CaseId<'t> = (&'t str, &'t str);

/// The trials of one run and one variant.
struct Side<'t> {
    name: String,
    /// Whether a case that is not there may be one whose verdict was lost.
    is_incomplete: bool,
    cases: BTreeMap<CaseId<'t>, &'t TrialRecord>,
}

/// Two sides before their statistics are known.
struct Pairing {
    comparison: SideComparison,
    pairs: Vec<CasePair>,
    /// The largest number of runs of a case.
    runs: u32,
}

impl<'t> Side<'t> {
    fn new(name: String, is_incomplete: bool, trials: impl Iterator<Item = &'t TrialRecord>) -> Self {
        let cases = trials.map(|trial| ((trial.case_name.as_str(), trial.harness.as_str()), trial));
        Self { name, is_incomplete, cases: cases.collect() }
    }

    /// The trials of one variant of a run. A run of one variant is called by its own name.
    fn of_group(run: ComparedRun<'t>, group: &str) -> Self {
        let is_only = run.trials.list_groups().len() < 2;
        let name = if is_only { run.name.to_owned() } else { format!("{} {group}", run.name) };
        Self::new(name, run.is_incomplete, run.trials.iter().filter(|trial| trial.get_group() == group))
    }

    /// Lists the cases of this side that the other side does not have.
    fn list_missing_in<'s>(&'s self, other: &'s Side<'t>) -> impl Iterator<Item = &'t TrialRecord> + 's {
        let own = self.cases.iter().filter(|(id, trial)| !trial.is_gate && !other.cases.contains_key(*id));
        own.map(|(_, trial)| *trial)
    }

    /// Lists the cases of this side whose verdict the other side may have lost.
    fn list_lost_in(&self, other: &Side<'t>) -> Vec<&'t TrialRecord> {
        self.list_missing_in(other).filter(|_| other.is_incomplete).collect()
    }

    fn of_run(run: ComparedRun<'t>) -> Self {
        Self::new(run.name.to_owned(), run.is_incomplete, run.trials.iter())
    }
}

impl ComparisonReport {
    /// Compares each of the runs `after` with the run `before`, variant by variant.
    pub fn compare_runs(
        before: ComparedRun<'_>,
        after: &[ComparedRun<'_>],
        settings: &ComparisonSettings,
    ) -> Result<Self, ComparisonError> {
        let mut sides = Vec::new();
        for run in after {
            let groups: Vec<&str> =
                before.trials.list_groups().intersection(&run.trials.list_groups()).copied().collect();
            // Two runs of one variant each are two legs of an experiment.
            if groups.is_empty() {
                sides.push((Side::of_run(before), Side::of_run(*run)));
            }
            sides.extend(
                groups.iter().map(|group| (Side::of_group(before, group), Side::of_group(*run, group))),
            );
        }
        Self::compare_pairs(&sides, settings)
    }

    /// Compares variants of one run: each of the others with the first of `names`. Without names, all others with the baseline.
    pub fn compare_variants(
        run: ComparedRun<'_>,
        names: &[String],
        settings: &ComparisonSettings,
    ) -> Result<Self, ComparisonError> {
        let mut seen = BTreeSet::new();
        if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(ComparisonError::NamedTwice(twice.clone()));
        }
        let known = run.trials.list_variants();
        let first = names.first().map_or(BASELINE, String::as_str);
        let others: Vec<&str> = match names {
            [] | [_] => known.iter().copied().filter(|name| *name != first).collect(),
            [_, others @ ..] => others.iter().map(String::as_str).collect(),
        };
        if let Some(unknown) = std::iter::once(&first).chain(&others).find(|name| !known.contains(**name)) {
            return Err(ComparisonError::UnknownVariant {
                run: run.name.to_owned(),
                name: (*unknown).to_owned(),
                known: known.into_iter().map(str::to_owned).collect(),
            });
        }
        if others.is_empty() {
            return Err(ComparisonError::NoOther { run: run.name.to_owned(), name: first.to_owned() });
        }
        // A case with its own trace has no variant: it would be the same trial on both sides.
        let side = |name: &str| {
            let trials = run.trials.iter().filter(|trial| trial.variant.as_deref() == Some(name));
            Side::new(name.to_owned(), run.is_incomplete, trials)
        };
        let sides: Vec<_> = others.into_iter().map(|other| (side(first), side(other))).collect();
        Self::compare_pairs(&sides, settings)
    }

    fn compare_pairs(
        sides: &[(Side<'_>, Side<'_>)],
        settings: &ComparisonSettings,
    ) -> Result<Self, ComparisonError> {
        let paired = &PairedSettings { has_clusters: settings.cluster.is_some(), ..settings.paired };
        let pairings: Result<Vec<Pairing>, ComparisonError> =
            sides.iter().map(|(before, after)| pair_cases(before, after, paired, settings)).collect();
        let mut pairings = pairings?;
        // Where all results rest on the same evidence there is no chance, and no word for it.
        let numbers: Vec<usize> =
            (0..pairings.len()).filter(|index| pairings[*index].comparison.needs_word()).collect();
        let samples: Vec<Vec<CasePair>> =
            numbers.iter().map(|index| std::mem::take(&mut pairings[*index].pairs)).collect();
        let mut results: BTreeMap<_, _> = numbers.into_iter().zip(compare_sides(&samples, paired)).collect();
        let count = results.len();
        let mut variants: Vec<VariantFigures> = Vec::new();
        for side in sides.iter().flat_map(|(before, after)| [before, after]) {
            // The first side of all comparisons is one side.
            if !variants.iter().any(|known| known.name == side.name) {
                let cases = side.cases.values().filter(|trial| !trial.is_gate).copied();
                variants.push(VariantFigures::new(&side.name, cases, paired.confidence));
            }
        }
        let comparisons =
            pairings.into_iter().enumerate().map(|(index, pairing)| match results.remove(&index) {
                Some(result) => pairing.comparison.with_result(result, paired, count, pairing.runs),
                None => pairing.comparison,
            });
        Ok(Self {
            schema_version: SCHEMA_VERSION,
            confidence: paired.confidence,
            margin: paired.margin,
            comparisons: comparisons.collect(),
            variants,
        })
    }
}

impl SideComparison {
    /// Whether there are samples, or nothing to compare at all, which must not pass for a good result.
    fn needs_word(&self) -> bool {
        self.cases > self.fixed_pairs || self.cases == 0
    }
}

/// Pairs the cases of two sides.
fn pair_cases(
    before: &Side<'_>,
    after: &Side<'_>,
    paired: &PairedSettings,
    settings: &ComparisonSettings,
) -> Result<Pairing, ComparisonError> {
    let ids: BTreeSet<CaseId<'_>> = before.cases.keys().chain(after.cases.keys()).copied().collect();
    let both = ids.iter().filter_map(|id| Some((id, *before.cases.get(id)?, *after.cases.get(id)?)));
    let (fixed, others): (Vec<_>, Vec<_>) = both.partition(|(_, was, is)| was.rests_on_same(is));
    let has_figures = |was: &TrialRecord, is: &TrialRecord| {
        !was.is_gate && was.find_figure(paired.measure).is_some() && is.find_figure(paired.measure).is_some()
    };
    // If no agent ran on either side, a lost recording and the gate of a suite are no chance either.
    let is_replay = !fixed.is_empty() && !others.iter().any(|(_, was, is)| has_figures(was, is));
    let (fixed, samples): (Vec<_>, Vec<_>) =
        if is_replay { ([fixed, others].concat(), Vec::new()) } else { (fixed, others) };
    let samples: Vec<_> = samples.into_iter().filter(|(_, was, is)| !was.is_gate && !is.is_gate).collect();

    let mut trials: Vec<TrialComparison> = fixed
        .iter()
        .map(|((name, harness), was, is)| {
            TrialComparison::new(name, harness, Some(&was.state), Some(&is.state))
        })
        .filter(|trial| trial.change != TrialChange::Same || trial.is_flaky())
        .collect();
    trials.sort_by(|one, other| (&one.name, &one.harness).cmp(&(&other.name, &other.harness)));

    let mut clusters = Clusters::new(settings.cluster.as_deref());
    let mut pairs = Vec::new();
    let mut missing = Vec::new();
    let mut flips = Vec::new();
    for ((name, _), was, is) in &samples {
        let pair = CasePair {
            before: was.find_figure(paired.measure),
            after: is.find_figure(paired.measure),
            cluster: clusters.number(was),
        };
        pairs.push(pair);
        match (pair.before, pair.after) {
            (Some(before), Some(after)) => {
                let lower = if after.value < before.value { is } else { was };
                flips.push((
                    after.value - before.value,
                    CaseFlip {
                        name: (*name).to_owned(),
                        transition: render_figures(before, after, paired.measure),
                        claim: lower.claim.clone(),
                    },
                ));
            }
            _ => missing.push((*name).to_owned()),
        }
    }
    // A verdict that was lost is no result: what is not there must not pass for a case that was taken out.
    let lost_after = before.list_lost_in(after);
    let lost_before = after.list_lost_in(before);
    for trial in &lost_after {
        let before = trial.find_figure(paired.measure);
        pairs.push(CasePair { before, after: None, cluster: clusters.number(trial) });
    }
    for trial in &lost_before {
        let after = trial.find_figure(paired.measure);
        pairs.push(CasePair { before: None, after, cluster: clusters.number(trial) });
    }
    let lost = || lost_after.iter().chain(&lost_before);
    missing.extend(lost().map(|trial| trial.case_name.clone()));
    clusters.check()?;
    // The largest difference first; cases with the same one by name.
    flips.sort_by(|(one, _), (other, _)| other.abs().total_cmp(&one.abs()));
    let with_sign = |sign: f64| {
        let chosen = flips.iter().filter(move |(difference, _)| difference * sign > 1e-9);
        chosen.map(|(_, flip)| flip.clone()).collect::<Vec<CaseFlip>>()
    };
    let only = |side: &Side<'_>, other: &Side<'_>| {
        if other.is_incomplete {
            return Vec::new();
        }
        side.list_missing_in(other).map(|trial| trial.case_name.clone()).collect()
    };
    let runs = pairs.iter().flat_map(|pair| [pair.before, pair.after]).flatten().map(|figure| figure.runs);
    let comparison = SideComparison {
        before: before.name.clone(),
        after: after.name.clone(),
        measure: paired.measure,
        cases: fixed.iter().filter(|(_, was, _)| !was.is_gate).count() + samples.len() + lost().count(),
        pairs: 0,
        fixed_pairs: fixed.iter().filter(|(_, was, _)| !was.is_gate).count(),
        missing,
        only_before: only(before, after),
        only_after: only(after, before),
        lost: with_sign(-1.0),
        won: with_sign(1.0),
        difference: None,
        interval: None,
        p_value: None,
        p_adjusted: None,
        method: None,
        verdict: None,
        needs: None,
        trials,
        result: None,
    };
    Ok(Pairing { comparison, runs: runs.max().unwrap_or(1), pairs })
}

/// Numbers the clusters of cases by the value of a key in their metadata.
struct Clusters<'s> {
    key: Option<&'s str>,
    numbers: BTreeMap<String, usize>,
    others: usize,
}

impl<'s> Clusters<'s> {
    fn new(key: Option<&'s str>) -> Self {
        Self { key, numbers: BTreeMap::new(), others: 0 }
    }

    /// Returns the number of the cluster of a case. A case without the key is a cluster of its own.
    fn number(&mut self, trial: &TrialRecord) -> usize {
        let value = self.key.and_then(|key| trial.metadata.as_ref()?.get(key));
        let next = self.numbers.len() + self.others;
        let Some(value) = value else {
            self.others += 1;
            return next;
        };
        *self.numbers.entry(render_plain(&value.into())).or_insert(next)
    }

    /// Refuses a key that no case has, which is a slip of the pen.
    fn check(&self) -> Result<(), ComparisonError> {
        match self.key {
            Some(key) if self.numbers.is_empty() && self.others > 0 => {
                Err(ComparisonError::NoCluster(key.to_owned()))
            }
            _ => Ok(()),
        }
    }
}

/// Renders both figures of a case: `pass -> fail`, `3 of 3 -> 1 of 3 runs passed`, `score 100% -> 50%`.
fn render_figures(before: CaseFigure, after: CaseFigure, measure: Measure) -> String {
    let passed = |figure: CaseFigure| if figure.value > 0.5 { "pass" } else { "fail" };
    let share = |figure: CaseFigure| {
        format!("{} of {}", (figure.value * f64::from(figure.runs)).round(), figure.runs)
    };
    match measure {
        Measure::Passed if before.runs == 1 && after.runs == 1 => {
            format!("{} -> {}", passed(before), passed(after))
        }
        Measure::Passed => format!("{} -> {} runs passed", share(before), share(after)),
        Measure::Score => format!("score {} -> {}", render_score(before.value), render_score(after.value)),
    }
}
