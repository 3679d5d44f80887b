//! What is said and written when the trials have ended.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::reports::{Ran, Reports};
use super::stderr;
use crate::harness::cli::Command;
use crate::harness::orphans::Pinned;
use crate::harness::plan::Plan;
use crate::harness::run::trial::Shared;
use crate::harness::settings::Settings;
use crate::report::summary::render_summary;
use crate::source::write_whole;
use crate::verdict::summary::Summary;

/// What the end of a run needs to know of its beginning.
pub(in crate::harness) struct Ending {
    skipped: usize,
    reports: Reports,
    /// Snapshots that cases ask for; `None` where not all cases were read.
    pinned: Option<Pinned>,
    output_json: Option<PathBuf>,
}

impl Ending {
    /// That of a run of `plan`.
    pub(in crate::harness) fn of(plan: &mut Plan, command: &Command, settings: &Settings) -> Self {
        let pinned = std::mem::take(&mut plan.pinned);
        Self {
            skipped: plan.skipped,
            reports: Reports::of(plan, settings),
            pinned: command.exact_names().is_none().then_some(pinned),
            output_json: settings.output_json.clone(),
        }
    }

    /// Says and writes all of it. The error is why the run itself is wrong.
    pub(in crate::harness) fn tell(&self, shared: &Shared, ran: Ran) -> Result<(), String> {
        for block in shared.tally.blocks() {
            stderr::print(shared.json, &block);
        }
        let written = self.summarize(shared).and(self.reports.write(shared, ran));
        stderr::spent(shared.judging.spent());
        stderr::summarize(self.skipped);
        if let Some(pinned) = &self.pinned {
            stderr::orphans(&pinned.orphans(&shared.files));
            stderr::stale_cassettes(&shared.judging.stale(&shared.files));
        }
        written
    }

    /// Under nextest a process knows one trial: it has nothing to sum up.
    fn summarize(&self, shared: &Shared) -> Result<(), String> {
        if shared.nextest {
            let whole = |path: &PathBuf| shared.base.join(path);
            let paths = self.output_json.iter().map(whole);
            paths.for_each(|path| stderr::no_summary_under_nextest(&path, shared.store.run()));
            return Ok(());
        }
        let of_run = shared.tally.summary();
        let text = render_summary(&of_run);
        if !text.is_empty() {
            stderr::print(shared.json, &text);
        }
        let write = |path: &PathBuf| write_summary(&of_run, &shared.base.join(path));
        self.output_json
            .iter()
            .try_for_each(write)
            .map_err(|problem| format!("ARRAIGN_OUTPUT_JSON: {problem}"))
    }
}

/// Writes what a run comes to. The error is a sentence for the user.
pub fn write_summary(summary: &Summary, path: &Path) -> Result<(), String> {
    let json = serde_json::to_vec_pretty(summary).map_err(io::Error::from);
    let written = json.and_then(|mut json| {
        json.push(b'\n');
        path.parent().map(fs::create_dir_all).transpose()?;
        write_whole(path, &json)
    });
    written.map_err(|error| format!("`{}` cannot be written: {error}", path.display()))
}
