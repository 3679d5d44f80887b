//! What to add to the cases so that they notice the survivors: for each case the fewest of the proposed entries.

use std::cmp::Reverse;
use std::path::PathBuf;

use arraign::__internals::engine::MutantVerdict;
use arraign::__internals::mutate::{
    AdditionFinder, CaseMutator, TraceMutation, fingerprint_run, remove_guards,
};
use arraign::__internals::place::Place;
use arraign::__internals::secrets::KnownSecrets;
use arraign::__internals::suite::{Library, RecordedRun, find_case_files, load_all, load_recorded};
use arraign::LoadErrors;
use arraign::json::Json;
use arraign::verdict::{CaseMutation, MutantFate, MutantResult};

use super::case_proposal::{KillRow, drop_needless, is_killed};
use super::folder::FolderCase;

/// Entries to add to `expect` of one case.
#[derive(Debug)]
pub(crate) struct CaseFix {
    /// The name of the case's trial.
    pub(crate) name: String,
    /// The file of the case.
    pub(crate) path: PathBuf,
    /// The place of the case, in the file as it was read.
    pub(crate) place: Place,
    /// Whether the case is a row of a dataset, which is in another file.
    pub(crate) is_row: bool,
    /// The entries.
    pub(crate) entries: Vec<FixEntry>,
}

/// An entry to add.
#[derive(Debug)]
pub(crate) struct FixEntry {
    /// The entry of `expect`.
    pub(crate) entry: Json,
    /// The survivors that it kills.
    pub(crate) killed: Vec<FixedMutant>,
}

/// A survivor that an entry kills.
#[derive(Debug, Clone)]
pub(crate) struct FixedMutant {
    /// The name of the mutant.
    pub(crate) id: String,
    /// The change in words.
    pub(crate) change: String,
}

/// Chooses entries that kill the survivors of all traces, for the first case on each trace.
pub(super) fn choose_fixes(
    library: Library<'_>,
    traces: &[TraceMutation<'_>],
) -> Result<Vec<CaseFix>, LoadErrors> {
    let mut fixes = Vec::new();
    for (path, suite) in load_all(find_case_files(library.files)?, library) {
        for case in suite.map(|suite| suite.cases).unwrap_or_default() {
            let case = FolderCase::new(case, &path, library);
            // A survivor is listed with the first case on its trace, so no other case is fixed for it.
            let survivors = list_survivors(&case.name, traces);
            if survivors.is_empty() {
                continue;
            }
            let entries = choose_entries(&case, &survivors, library);
            if !entries.is_empty() {
                let is_row = case.case.dataset.is_some();
                let place = case.case.place.clone();
                fixes.push(CaseFix { name: case.name, path: case.path, place, is_row, entries });
            }
        }
    }
    Ok(fixes)
}

/// A survivor of a trace, with the fingerprint of the trace.
type TraceSurvivor<'m> = (&'m str, &'m MutantResult);

fn list_survivors<'m>(name: &str, traces: &'m [TraceMutation<'m>]) -> Vec<TraceSurvivor<'m>> {
    let survivors = traces
        .iter()
        .flat_map(|trace| trace.survivors.iter().map(|(case, mutant)| (trace.fingerprint, *case, *mutant)));
    let own = survivors.filter(|(_, case, _): &(&str, &CaseMutation, _)| case.name == name);
    own.map(|(fingerprint, _, mutant)| (fingerprint, mutant)).collect()
}

/// Chooses the fewest of the survivors' additions that kill them. Each holds for every run of the case.
fn choose_entries(case: &FolderCase, survivors: &[TraceSurvivor<'_>], library: Library<'_>) -> Vec<FixEntry> {
    let Ok(recorded) = load_recorded(&case.case, &case.path, library.files) else { return Vec::new() };
    let mut candidates: Vec<KillRow> = list_additions(survivors).map(|entry| (entry, Vec::new())).collect();
    let mut mutants: Vec<FixedMutant> = Vec::new();
    for run in &recorded.runs {
        let tried = try_candidates(case, run, survivors, &mut candidates, library);
        mutants.extend(tried);
    }
    // The smallest set that covers all mutants is hard to find: the largest gain is taken first, and what became
    // needless is dropped.
    let mut chosen = cover_mutants(candidates, mutants.len());
    drop_needless(&mut chosen, mutants.len());
    let list_killed =
        |kills: Vec<bool>| mutants.iter().zip(kills).filter(|(_, kills)| *kills).map(|(one, _)| one.clone());
    chosen
        .into_iter()
        .map(|(entry, kills)| FixEntry { entry, killed: list_killed(kills).collect() })
        .collect()
}

fn list_additions(survivors: &[TraceSurvivor<'_>]) -> impl Iterator<Item = Json> {
    let mut additions: Vec<Json> = Vec::new();
    for (_, mutant) in survivors {
        if let MutantFate::Survived { addition: Some(addition), .. } = &mutant.fate
            // Mutants of one argument are often killed by the same check.
            && !additions.contains(addition)
        {
            additions.push(addition.clone());
        }
    }
    additions.into_iter()
}

/// Adds to each candidate which survivors of the run it kills. Candidates that do not hold for the run are dropped.
fn try_candidates(
    case: &FolderCase,
    run: &RecordedRun,
    survivors: &[TraceSurvivor<'_>],
    candidates: &mut Vec<KillRow>,
    library: Library<'_>,
) -> Vec<FixedMutant> {
    let mut unguarded = run.clone();
    remove_guards(&mut unguarded.trace);
    let mut known = KnownSecrets::default();
    known.add_run(&unguarded.trace);
    let masker = known.build_masker();
    let fingerprint = fingerprint_run(&unguarded.trace);
    let mutator = CaseMutator::new(&case.case, &case.name, library);
    let mut finder = AdditionFinder::new(library, run, &masker);
    candidates.retain(|(entry, _)| finder.load_entry(entry).is_some());
    let mut fixed = Vec::new();
    for mutant in mutator.derive_all(&unguarded.trace, &masker) {
        let id = masker.mask_text(mutant.id.clone());
        if !survivors.iter().any(|(trace, survivor)| *trace == fingerprint && survivor.id == id) {
            continue;
        }
        // Each candidate is tried on each surviving mutant: what it kills is measured, not guessed from its form.
        let changed = RecordedRun { trace: mutant.apply(&unguarded.trace), ..unguarded.clone() };
        for (entry, kills) in &mut *candidates {
            let verdict = finder.load_entry(entry).map(|entry| finder.evaluate_entry(&entry, &changed));
            kills.push(matches!(verdict, Some(MutantVerdict::Violated(_))));
        }
        fixed.push(FixedMutant { id, change: mutant.change });
    }
    fixed
}

/// Takes again and again the candidate that kills most of the mutants that are left, and of two the shorter one.
fn cover_mutants(mut candidates: Vec<KillRow>, mutants: usize) -> Vec<KillRow> {
    let mut chosen: Vec<KillRow> = Vec::new();
    loop {
        let count_new = |(_, kills): &KillRow| {
            (0..mutants).filter(|at| kills[*at] && !is_killed(&chosen, *at, None)).count()
        };
        // Greedy: the smallest set of all is hard to find, and this one is near it.
        let ranked = candidates.iter().enumerate();
        let best =
            ranked.max_by_key(|(at, row)| (count_new(row), Reverse(row.0.to_string().len()), Reverse(*at)));
        let Some(at) = best.filter(|(_, row)| count_new(row) > 0).map(|(at, _)| at) else { return chosen };
        chosen.push(candidates.remove(at));
    }
}
