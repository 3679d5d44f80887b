//! The end of a run: the summary, the reports and the notes on standard error.

use std::io;
use std::path::{Path, PathBuf};

use super::notes;
use super::red_trials::render_red_trials;
use super::reports::RequestedReports;
use super::undecided::render_undecided;
use crate::harness::cli::HarnessCommand;
use crate::harness::plan::Plan;
use crate::harness::record::read_own_history;
use crate::harness::run::TrialCounts;
use crate::harness::run::context::RunContext;
use crate::harness::shard::ShardRecord;
use crate::harness::snapshots::orphans::PinnedSnapshots;
use crate::harness::stderr;
use crate::json;
use crate::report::history::History;
use crate::report::plain::escape_text;
use crate::report::summary::render_summary;
use crate::source::write_with_folder;
use crate::verdict::summary::Summary;

/// Prints and writes the results of a run. Created before the trials run, because they consume the plan.
pub(crate) struct RunFinisher {
    skipped: usize,
    unknown_variables: Vec<String>,
    reports: RequestedReports,
    /// The snapshots of all cases; `None` if not all cases were read.
    pinned: Option<PinnedSnapshots>,
    output_json: Option<PathBuf>,
    prints_junit: bool,
    /// The shard and the number of its trials.
    shard: Option<(ShardRecord, usize)>,
}

impl RunFinisher {
    /// Takes what the end of the run needs from `plan`.
    pub(crate) fn from_plan(plan: &mut Plan, command: &HarnessCommand) -> Self {
        let settings = &command.settings;
        let pinned = std::mem::take(&mut plan.pinned);
        let own_trials = plan.trials_to_run(command).count();
        Self {
            skipped: plan.skipped,
            unknown_variables: settings.unknown_variables.clone(),
            reports: RequestedReports::from_plan(plan, settings),
            // Under nextest each trial is a process, and each would repeat the note.
            pinned: (command.exact_names().is_none() && settings.file.is_none()).then_some(pinned),
            output_json: settings.output_json.clone(),
            prints_junit: command.more.prints_junit,
            shard: plan.shard.clone().map(|shard| (shard, own_trials)),
        }
    }

    /// Prints and writes the results. The error is a message for the user; the notes are printed nevertheless.
    pub(crate) fn finish_run(&self, context: &RunContext, counts: TrialCounts) -> Result<(), String> {
        for block in context.tally.take_blocks() {
            stderr::print_block(context.readers.data, &block);
        }
        if !context.readers.nextest {
            let table = render_red_trials(&context.tally.take_red());
            if !table.is_empty() {
                stderr::print_block(context.readers.data, &table);
            }
        }
        let history = self.read_history(context);
        let reported = match &history {
            Ok(history) => self.reports.write_all(context, counts, history.as_ref()),
            Err(problem) => Err(problem.clone()),
        };
        // `and` takes a value, so the reports are written even if the summary could not be.
        let written = self.write_run_summary(context).and(reported);
        let written =
            if self.prints_junit { written.and(RequestedReports::print_junit(context)) } else { written };
        if !context.readers.nextest {
            // Under nextest, a process knows its own trial only.
            context.live.describe_run().iter().for_each(|text| stderr::note(&escape_text(text)));
            notes::note_unexercised(context.tally.count_unexercised());
            notes::note_unread_rewards(context.tally.count_unread_rewards());
        }
        notes::note_judge_costs(context.judging.amount_spent());
        let undecided = context.tally.take_undecided(&context.project.folder);
        notes::note_undecided(&render_undecided(&undecided, &context.project.rerun));
        notes::note_lines(&context.tally.take_pinned(), "trials with pinned violations");
        notes::note_lines(&context.tally.take_quarantined(), "quarantined trials that failed");
        if let Ok(Some(history)) = &history {
            let leavers =
                context.quarantine.list_leavers(&history.summarize(None, None), context.store.harness());
            notes::note_lines(&leavers, "cases that may leave the quarantine");
        }
        notes::note_skipped(&self.unknown_variables, self.skipped);
        if let Some((shard, own_trials)) = &self.shard {
            // Says that the green line is not that of all cases.
            stderr::note(&shard.describe(*own_trials));
        }
        // Only a run of all cases knows what belongs to none of them.
        if let Some(pinned) = &self.pinned {
            let files = &context.project.files;
            let orphan = "belongs to no case with `snapshot: true`; delete it, or restore its case";
            notes::note_leftovers("snapshot", &pinned.find_orphans(files), orphan);
            let stale = "answers a question that no case asks any more; delete it";
            notes::note_leftovers("recorded opinion", &context.judging.find_stale(files), stale);
        }
        // A run whose verdicts are lost has not merely failed.
        context.store.check_written().and(written)
    }

    /// Reads the history, if there is one and something reads it. Under nextest, where a process runs one trial, nobody waits for
    /// all to end.
    fn read_history(&self, context: &RunContext) -> Result<Option<History>, String> {
        let is_read = self.reports.shows_history() || !context.quarantine.is_empty();
        let path = context.store.history_path().filter(|_| is_read && !context.readers.nextest);
        path.map(read_own_history).transpose()
    }

    /// Prints the summary of the run and writes it as JSON. Under nextest, where a process runs one trial, there is nothing
    /// to sum up.
    fn write_run_summary(&self, context: &RunContext) -> Result<(), String> {
        let path = self.output_json.as_ref().map(|path| context.project.base.join(path));
        if context.readers.nextest {
            if let Some(path) = path {
                notes::note_summary_under_nextest(&path, &context.store.run);
            }
            return Ok(());
        }
        let summary = context.tally.make_summary();
        let text = render_summary(&summary);
        if !text.is_empty() {
            stderr::print_block(context.readers.data, &text);
        }
        let Some(path) = path else { return Ok(()) };
        write_summary(&summary, &path).map_err(|problem| format!("ARRAIGN_OUTPUT_JSON: {problem}"))
    }
}

/// Writes the summary of a run as JSON. The error is a message for the user.
pub fn write_summary(summary: &Summary, path: &Path) -> Result<(), String> {
    let json = json::to_string_pretty(summary).map(String::into_bytes).map_err(io::Error::from);
    let written = json.and_then(|mut json| {
        json.push(b'\n');
        write_with_folder(path, &json)
    });
    written.map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}
