//! The mutants of a case: changed copies of its runs, and whether the case notices each change.

use serde::{Deserialize, Serialize};

use super::MutationSort;
use crate::json::Json;
use crate::place::Location;

/// The mutants of one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CaseMutation {
    /// The name of the case's trial.
    pub name: String,
    /// The place of the case.
    pub at: Location,
    /// The mutants of each run.
    pub runs: Vec<RunMutation>,
    /// Why the case has no mutants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// The checks that were not asked again: their opinions stay as recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_asked: Vec<String>,
    /// The checks that were left out, because nobody has allowed their programs to run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
    /// The entries of `mutate: {ignore: ...}` that concern no mutant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused_ignores: Vec<String>,
}

/// The mutants of one run of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RunMutation {
    /// The trace: its file and the number of its run, or the name of the case that contains it.
    pub trace: String,
    /// The fingerprint of the run: equal runs have the same mutants.
    pub fingerprint: String,
    /// The mutants, in the order of the sorts and the calls.
    pub mutants: Vec<MutantResult>,
    /// The number of all mutants, if only a part of them was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled_from: Option<usize>,
    /// Why the run has no mutants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// One mutant of a run, and what the case makes of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MutantResult {
    /// The name, unique among the mutants of the run: `fail 2 refund`.
    pub id: String,
    /// The sort of the change.
    pub sort: MutationSort,
    /// The tools and arguments that change: `TOOL`, `TOOL.ARGUMENT`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
    /// The change in words.
    pub change: String,
    /// The fate of the mutant in this case.
    pub fate: MutantFate,
}

/// The fate of a mutant in a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MutantFate {
    /// A check is violated.
    Killed {
        /// The checks.
        by: Vec<String>,
    },
    /// No check is violated.
    Survived {
        /// The smallest known entry of `expect` that is violated by the mutant and holds for the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        addition: Option<Json>,
        /// Why a check is undecided on the mutant; `None` if all checks hold.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        undecided: Option<String>,
    },
    /// The case declares that the run may vary here.
    Ignored {
        /// The reason that the case gives.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

impl CaseMutation {
    /// Creates the result of a case without mutants.
    pub fn new(name: &str, mut at: Location) -> Self {
        // The line of the file may contain a secret, and no report shows it.
        at.text.clear();
        Self {
            name: name.to_owned(),
            at,
            runs: Vec::new(),
            left_out: None,
            not_asked: Vec::new(),
            not_run: Vec::new(),
            unused_ignores: Vec::new(),
        }
    }

    /// Returns the mutants of all runs, each with its trace.
    pub fn mutants(&self) -> impl Iterator<Item = (&str, &MutantResult)> {
        self.runs.iter().flat_map(|run| run.mutants.iter().map(|mutant| (run.trace.as_str(), mutant)))
    }
}

impl RunMutation {
    /// Creates the result of a run without mutants.
    pub fn new(trace: String, fingerprint: String) -> Self {
        Self { trace, fingerprint, mutants: Vec::new(), sampled_from: None, left_out: None }
    }
}

impl MutantResult {
    /// Creates a result.
    pub fn new(id: String, sort: MutationSort, change: String, fate: MutantFate) -> Self {
        Self { id, sort, subjects: Vec::new(), change, fate }
    }

    /// Whether a check is violated.
    pub fn is_killed(&self) -> bool {
        matches!(self.fate, MutantFate::Killed { .. })
    }

    /// Whether no check is violated, and the case does not declare that the run may vary here.
    pub fn is_survivor(&self) -> bool {
        matches!(self.fate, MutantFate::Survived { .. })
    }

    /// Whether a check is undecided on the mutant, and no check is violated.
    pub fn is_undecided(&self) -> bool {
        matches!(self.fate, MutantFate::Survived { undecided: Some(_), .. })
    }
}
