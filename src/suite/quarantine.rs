//! `quarantine.yaml` at the eval root: cases whose failures do not decide a run until a day.
//!
//! ```yaml
//! - {case: refund::auth_flow, until: 2026-12-20, reason: flaps since gpt-6, owner: team-orders}
//! - {case: "shop::return_*", until: 2026-12-10, reason: provider changed its tokenizer, variant: cheaper}
//! ```

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use super::discover::QUARANTINE_FILE;
use super::gate::GATE_ID;
use super::{Suite, build_case_name};
use crate::JsonSchema;
use crate::case::{Day, Quarantine, QuarantineEntry, RunSelection, TraceFrom};
use crate::place::{LoadError, LoadErrors, Source};
use crate::source::Files;
use crate::yaml::{Document, Node, Placed, did_you_mean};

/// The most days that a quarantine lasts, unless `quarantine_days` of `arraign.yaml` says otherwise.
const MOST_DAYS: u64 = 30;

/// The days after which an entry whose quarantine is over is a mistake.
const DAYS_OF_GRACE: u64 = 7;

/// A case whose failures do not decide a run until a day.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenEntry {
    /// The name of a case, as `--list` prints it, or of a gate. If no case has this name, `*` stands for any text and `?` for one
    /// character.
    case: Placed<String>,
    /// The last day of the quarantine, in UTC: at most 30 days ahead, or `quarantine_days` of arraign.yaml.
    until: Placed<Day>,
    /// Why the case is quarantined.
    reason: Placed<String>,
    /// Who ends the quarantine.
    owner: Option<String>,
    /// The variant that is quarantined. Default: all variants.
    variant: Option<Placed<String>>,
}

impl WrittenEntry {
    fn into_entry(self) -> QuarantineEntry {
        let place = self.case.place().clone();
        QuarantineEntry {
            case: self.case.into_value(),
            variant: self.variant.map(Placed::into_value),
            until: self.until.into_value(),
            reason: self.reason.into_value(),
            owner: self.owner,
            place,
        }
    }

    /// Checks what the types of the values do not say, on the day `today`.
    fn check(&self, today: Day, most_days: u64) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        if self.reason.trim().is_empty() {
            errors.push(self.reason.error("a quarantine needs a reason"));
        }
        let until = *self.until;
        if today.count_days_to(until) > most_days {
            let problem = format!("`{until}` is more than {most_days} days ahead: a quarantine ends sooner");
            let help = "choose an earlier day, or set `quarantine_days` in arraign.yaml";
            errors.push(self.until.error(problem).help(help));
        }
        if until.count_days_to(today) > DAYS_OF_GRACE {
            let problem = format!(
                "the quarantine of `{}` ended on {until}, more than {DAYS_OF_GRACE} days ago",
                self.case.as_str()
            );
            let help = "remove the entry: the case decides again";
            errors.push(self.until.error(problem).help(help));
        }
        errors.or(())
    }
}

/// Reads `quarantine.yaml` as it is on the day `today`; without the file, there is no entry. `most_days` limits how long a
/// quarantine lasts.
pub fn load_quarantine(
    files: &Files,
    today: Day,
    most_days: Option<NonZeroU32>,
) -> Result<Quarantine, LoadErrors> {
    let path = files.root().join(QUARANTINE_FILE);
    if !files.exists(&path) {
        return Ok(Quarantine::default());
    }
    let most_days = most_days.map_or(MOST_DAYS, |days| u64::from(days.get()));
    let source = files.source(&path)?;
    let mut errors = LoadErrors::new();
    let mut entries: Vec<QuarantineEntry> = Vec::new();
    for document in Document::parse(&source)? {
        for node in list_entries(document.root())? {
            let Some(written) = errors.take(node.decode_all::<WrittenEntry>()) else { continue };
            errors.take(written.check(today, most_days));
            let entry = written.into_entry();
            let same = |other: &&QuarantineEntry| other.case == entry.case && other.variant == entry.variant;
            if let Some(first) = entries.iter().find(same) {
                let problem =
                    format!("`{}` is quarantined twice: the other is at {}", entry.case, first.place);
                errors
                    .push(LoadError::new(entry.place.clone(), problem).help("remove one of the two entries"));
            }
            entries.push(entry);
        }
    }
    errors.or(Quarantine { entries })
}

/// Reads the quarantine of a base branch from `text`. Its mistakes are those of the base branch, so an entry that cannot be
/// read excuses nothing and is passed over. Also returns what cannot be read.
pub fn parse_base_quarantine(path: &Path, text: &str) -> (Quarantine, LoadErrors) {
    let source: Arc<Source> = Source::new(path.to_string_lossy(), text);
    let mut errors = LoadErrors::new();
    let documents = errors.take(Document::parse(&source)).unwrap_or_default();
    let mut quarantine = Quarantine::default();
    for document in &documents {
        let nodes = errors.take(list_entries(document.root()).map_err(LoadErrors::from)).unwrap_or_default();
        let written = nodes.into_iter().filter_map(|node| errors.take(node.decode_all::<WrittenEntry>()));
        quarantine.entries.extend(written.map(WrittenEntry::into_entry).collect::<Vec<_>>());
    }
    (quarantine, errors)
}

fn list_entries(root: Node<'_>) -> Result<Vec<Node<'_>>, LoadError> {
    match root.list() {
        Some(nodes) => Ok(nodes.collect()),
        None => Err(root
            .error(format!("expected a list of entries, found {}", root.describe()))
            .help("write `- {case: file::case, until: 2026-12-20, reason: why}`")),
    }
}

/// The names that entries can have: those of the cases of a folder and of their gates.
#[derive(Debug, Default)]
pub struct QuarantinableNames {
    cases: Vec<String>,
    /// The cases whose runs have trials of their own. Such a trial is called `CASE::RUN`.
    with_runs: Vec<String>,
}

impl QuarantinableNames {
    /// Adds the names in the suite called `file`: those of all cases, whether they are selected or not.
    pub fn add_suite(&mut self, suite: &Suite, file: &str) {
        for case in &suite.cases {
            let name = build_case_name(file, case.id.as_deref());
            if matches!(&case.trace, TraceFrom::File(file) if file.runs == RunSelection::Each) {
                self.with_runs.push(format!("{name}::"));
            }
            self.cases.push(name);
        }
        self.cases.extend(suite.gate.as_ref().map(|_| build_case_name(file, Some(GATE_ID))));
    }

    /// Adds the names of another file.
    pub fn extend(&mut self, other: Self) {
        self.cases.extend(other.cases);
        self.with_runs.extend(other.with_runs);
    }

    /// Checks that each entry means a case, and a variant if it names one. The errors are mistakes of `quarantine.yaml`.
    pub fn check_entries(&self, quarantine: &Quarantine, is_variant: impl Fn(&str) -> bool) -> LoadErrors {
        let mut errors = LoadErrors::new();
        for entry in &quarantine.entries {
            let means_case = self.cases.iter().any(|name| entry.describes(name))
                || self.with_runs.iter().any(|case| entry.case.starts_with(case.as_str()));
            if !means_case {
                let error =
                    LoadError::new(entry.place.clone(), format!("no case is called `{}`", entry.case));
                let names: Vec<&str> = self.cases.iter().map(String::as_str).collect();
                let near = did_you_mean(&entry.case, &names).map(|near| format!("{near}; or "));
                let help = format!("{}remove the entry of a case that is gone", near.unwrap_or_default());
                errors.push(error.help(help));
            }
            if let Some(variant) = entry.variant.as_deref().filter(|variant| !is_variant(variant)) {
                let problem =
                    format!("no variant is called `{variant}`, for which `{}` is quarantined", entry.case);
                errors.push(LoadError::new(entry.place.clone(), problem));
            }
        }
        errors
    }
}
