//! What is said and written when the trials have ended.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::reports::{RequestedReports, TrialCounts};
use super::stderr;
use crate::harness::cli::Command;
use crate::harness::plan::Plan;
use crate::harness::run::context::RunContext;
use crate::harness::settings::Settings;
use crate::harness::snapshots::orphans::PinnedSnapshots;
use crate::report::summary::render_summary;
use crate::source::write_whole;
use crate::verdict::summary::Summary;

/// What the end of a run needs to know of its beginning.
pub(in crate::harness) struct RunFinisher {
    skipped: usize,
    reports: RequestedReports,
    /// Snapshots that cases ask for; `None` where not all cases were read.
    pinned: Option<PinnedSnapshots>,
    output_json: Option<PathBuf>,
}

impl RunFinisher {
    /// That of a run of `plan`.
    pub(in crate::harness) fn from_plan(plan: &mut Plan, command: &Command, settings: &Settings) -> Self {
        let pinned = std::mem::take(&mut plan.pinned);
        Self {
            skipped: plan.skipped,
            reports: RequestedReports::from_plan(plan, settings),
            pinned: command.exact_names().is_none().then_some(pinned),
            output_json: settings.output_json.clone(),
        }
    }

    /// Says and writes all of it. The error is why the run itself is wrong.
    pub(in crate::harness) fn finish_run(
        &self,
        context: &RunContext,
        ran: TrialCounts,
    ) -> Result<(), String> {
        for block in context.tally.take_blocks() {
            stderr::print_block(context.readers.json, &block);
        }
        let written = self.write_run_summary(context).and(self.reports.write_all(context, ran));
        stderr::note_judge_costs(context.judging.amount_spent());
        stderr::note_skipped(self.skipped);
        if let Some(pinned) = &self.pinned {
            stderr::note_orphans(&pinned.find_orphans(&context.project.files));
            stderr::note_stale_cassettes(&context.judging.find_stale(&context.project.files));
        }
        written
    }

    /// Under nextest a process knows one trial: it has nothing to sum up.
    fn write_run_summary(&self, context: &RunContext) -> Result<(), String> {
        if context.readers.nextest {
            let whole = |path: &PathBuf| context.project.base.join(path);
            let paths = self.output_json.iter().map(whole);
            paths.for_each(|path| stderr::note_summary_under_nextest(&path, context.store.run_folder()));
            return Ok(());
        }
        let of_run = context.tally.make_summary();
        let text = render_summary(&of_run);
        if !text.is_empty() {
            stderr::print_block(context.readers.json, &text);
        }
        let write = |path: &PathBuf| write_summary(&of_run, &context.project.base.join(path));
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
