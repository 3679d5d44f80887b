//! `cargo arraign accept`.

mod change;
mod repository;
mod snapshots;
mod summary;
mod traces;

use std::collections::BTreeMap;
use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::harness::runs::StoredRun;
use arraign::__internals::report::plain::plain;
use arraign::verdict::{Finding, Verdict};
use clap::Args;

use self::change::Change;
use self::repository::Repository;
use crate::report::folder;
use crate::stop::{Ended, Stop, say, written};

/// Something was not accepted.
const LEFT: u8 = 101;

/// Take what a run has changed as the new state: pending snapshots, and baselines that were not met.
///
/// The difference of each is shown; nothing is asked. Ends with 101 where something cannot be taken. Refuses in CI, where
/// nobody looks at what it takes.
#[derive(Debug, Args)]
pub(crate) struct Accept {
    /// Take only what the trials and files concern whose names hold one of these texts.
    filters: Vec<String>,
    /// The run: the name of its folder below `target/arraign`, or the folder. The newest one unless said.
    #[arg(long, value_name = "ID")]
    run: Option<PathBuf>,
    /// Show what would be taken, and take nothing.
    #[arg(long)]
    dry_run: bool,
}

/// What a run would change.
#[derive(Default)]
struct Found {
    changes: Vec<Change>,
    /// What cannot be taken, and why.
    refused: Vec<String>,
}

impl Accept {
    pub(crate) fn run(self) -> Ended {
        if is_ci() {
            let why =
                "nothing is accepted in CI (the variable CI is set): accept on your own machine and commit";
            return Err(Stop::new(why));
        }
        let run = StoredRun::open(&[folder(self.run.as_ref())?])?;
        let repository = Repository::of(&run)?;
        let found = self.found(&run, &repository)?;
        let mut shown: String = found.changes.iter().map(|change| change.shown(&repository)).collect();
        if !self.dry_run {
            found.changes.iter().try_for_each(|change| change.take(&repository))?;
        }
        shown += &told(found.changes.len(), self.dry_run);
        written(io::stdout().write_all(shown.as_bytes()))?;
        for refused in &found.refused {
            say(&format!("not accepted: {}", plain(refused)));
        }
        Ok(if found.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(LEFT) })
    }

    fn found(&self, run: &StoredRun, repository: &Repository) -> Result<Found, Stop> {
        let mut found = Found { changes: snapshots::pending(run, repository)?, refused: Vec::new() };
        run.each(|verdict| found.add_baselines(verdict, run, repository))?;
        found.changes.retain(|change| self.wants(&change.name(repository)));
        found.refused.retain(|refused| self.wants(refused));
        found.refused.dedup();
        found.refuse_rivals(repository);
        Ok(found)
    }

    fn wants(&self, text: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| text.contains(filter.as_str()))
    }
}

impl Found {
    fn add_baselines(&mut self, verdict: &Verdict, run: &StoredRun, repository: &Repository) {
        if verdict.passed {
            return;
        }
        for finding in &verdict.findings {
            let Some(file) = finding.values.get("baseline").and_then(|file| file.as_str()) else { continue };
            let path = repository.path(run.package_of(verdict), file);
            match baseline(verdict, finding, &path, run, repository) {
                Ok(text) => self.changes.push(Change::of_trial(path, text, &verdict.name)),
                Err(why) => self.refused.push(format!("{}: {file}: {why}", verdict.name)),
            }
        }
    }

    /// Of several trials that would write one file, none is right.
    fn refuse_rivals(&mut self, repository: &Repository) {
        let mut rivals: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
        for change in &self.changes {
            rivals.entry(change.path.clone()).or_default().push(change.name(repository));
        }
        rivals.retain(|_, names| names.len() > 1);
        self.changes.retain(|change| !rivals.contains_key(&change.path));
        for names in rivals.into_values() {
            self.refused.push(format!("{}: each would write it; name one of them", names.join(", ")));
        }
    }
}

/// The text of the new baseline, or why there is none.
fn baseline(
    verdict: &Verdict,
    finding: &Finding,
    path: &Path,
    run: &StoredRun,
    repository: &Repository,
) -> Result<String, String> {
    match finding.values.get("summary") {
        Some(summary) => summary::text(summary, path),
        None => traces::text(verdict, path, &run.run().folder, repository),
    }
}

fn told(count: usize, dry_run: bool) -> String {
    let changes = if count == 1 { "1 change".to_owned() } else { format!("{count} changes") };
    match (count, dry_run) {
        (0, _) => "nothing to accept\n".to_owned(),
        (_, true) => format!("{changes} would be accepted\n"),
        (_, false) => format!("accepted {changes}\n"),
    }
}

/// As insta tells it.
fn is_ci() -> bool {
    match env::var("CI").as_deref() {
        Ok("false" | "0" | "") => false,
        Ok(_) => true,
        Err(_) => env::var_os("TF_BUILD").is_some(),
    }
}
