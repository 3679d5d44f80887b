//! `--list --format json`: the trials with their places, tiers and tags, for tools that show them as a tree.
//!
//! The lines have the fields that libtest writes for the same flags, and the fields `identifier`, `tier` and `tags`.

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use super::stderr::print_block;
use crate::case::Tier;
use crate::harness::cli::HarnessCommand;
use crate::harness::plan::{Plan, PlannedTrial, TrialWork};
use crate::place::Place;
use crate::report::plain::render_safe_json;
use crate::suite::build_identifier;

/// A line of the list.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ListLine<'p> {
    Suite(SuiteEvent),
    Test(ListedTrial<'p>),
}

/// The first or last line.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum SuiteEvent {
    Discovery { root: String },
    Completed { tests: usize, benchmarks: usize, total: usize, ignored: usize },
}

/// A trial, with the lines of its case.
#[derive(Serialize)]
struct ListedTrial<'p> {
    event: &'static str,
    name: &'p str,
    ignore: bool,
    ignore_message: &'p str,
    source_path: String,
    start_line: usize,
    start_col: usize,
    end_line: usize,
    end_col: usize,
    /// The row of values that fills the case: `file:line:column`.
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<String>,
    identifier: String,
    tier: Tier,
    tags: &'p [String],
}

/// Prints the trials that the command line selects, one line each, and returns the exit code of the process.
pub(in crate::harness) fn print_list(
    plan: &Plan,
    (base, root): (&Path, &Path),
    command: &HarnessCommand,
) -> ExitCode {
    let trials: Vec<ListedTrial<'_>> = plan
        .trials
        .iter()
        .filter(|trial| is_listed(trial, command))
        .filter_map(|trial| list_trial(trial, base))
        .collect();
    let ignored = trials.iter().filter(|trial| trial.ignore).count();
    let counts = SuiteEvent::Completed { tests: trials.len(), benchmarks: 0, total: trials.len(), ignored };
    let first = ListLine::Suite(SuiteEvent::Discovery { root: root.to_string_lossy().into_owned() });
    let lines = std::iter::once(first).chain(trials.into_iter().map(ListLine::Test));
    let lines: Vec<String> =
        lines.chain([ListLine::Suite(counts)]).map(|line| render_safe_json(&line)).collect();
    print_block(false, &lines.join("\n"));
    ExitCode::SUCCESS
}

/// Whether libtest lists the trial: with `--ignored` only the ignored ones, otherwise all that the filters select.
fn is_listed(trial: &PlannedTrial, command: &HarnessCommand) -> bool {
    let flags = &command.arguments;
    let is_wanted = !flags.ignored || trial.ignore.is_some();
    is_wanted && !flags.bench && command.wants_trial(trial.shown_name())
}

/// Describes a trial. A file with mistakes has no trial in a list.
fn list_trial<'p>(trial: &'p PlannedTrial, base: &Path) -> Option<ListedTrial<'p>> {
    let (place, extent, tier, tags): (&Place, &Place, Tier, &[String]) = match &trial.work {
        TrialWork::Case(work) => (&work.case.place, &work.case.extent, work.case.tier, &work.case.tags),
        TrialWork::Gate(work) => (&work.gate.place, &work.gate.place, Tier::Full, &[]),
        TrialWork::Broken(_) => return None,
    };
    let (start, (end_line, end_col)) = (place.locate(), extent.end());
    Some(ListedTrial {
        event: "discovered",
        name: &trial.name,
        ignore: trial.ignore.is_some(),
        ignore_message: trial.ignore.as_ref().and_then(|ignore| ignore.reason.as_deref()).unwrap_or_default(),
        source_path: base.join(&start.file).to_string_lossy().into_owned(),
        start_line: start.line,
        start_col: start.column,
        end_line,
        end_col,
        row: match &trial.work {
            TrialWork::Case(work) => work.case.row.as_ref().map(|row| row.place.to_string()),
            TrialWork::Gate(_) | TrialWork::Broken(_) => None,
        },
        identifier: build_identifier(&trial.name),
        tier,
        tags,
    })
}
