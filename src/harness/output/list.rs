//! `--list --format json`: the trials with their places, tiers and tags, for tools that show them as a tree.
//!
//! The lines have the fields that libtest writes for the same flags, and the fields `identifier`, `tier` and `tags`.

use std::path::Path;
use std::process::ExitCode;

use crate::case::Tier;
use crate::harness::cli::HarnessCommand;
use crate::harness::plan::{Plan, PlannedTrial, TrialWork};
use crate::harness::stderr::print_block;
use crate::json::{Json, json};
use crate::place::Place;
use crate::report::plain::render_safe_json;
use crate::suite::build_identifier;

/// Prints the trials that the command line selects, one line each, and returns the exit code of the process.
pub(crate) fn print_list(plan: &Plan, base: &Path, root: &Path, command: &HarnessCommand) -> ExitCode {
    let listed = plan.trials.iter().filter(|trial| is_listed(trial, command));
    let trials: Vec<Json> = listed.filter_map(|trial| list_trial(trial, base)).collect();
    let total = trials.len();
    let ignored = trials.iter().filter(|trial| trial["ignore"] == true).count();
    let first = json!({"type": "suite", "event": "discovery", "root": root.to_string_lossy()});
    let last = json!({
        "type": "suite", "event": "completed", "tests": total, "benchmarks": 0, "total": total, "ignored": ignored,
    });
    let lines: Vec<String> = [first].iter().chain(&trials).chain([&last]).map(render_safe_json).collect();
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
fn list_trial(trial: &PlannedTrial, base: &Path) -> Option<Json> {
    let (place, extent, tier, tags): (&Place, &Place, Tier, &[String]) = match &trial.work {
        TrialWork::Case(work) => (&work.case.place, &work.case.extent, work.case.tier, &work.case.tags),
        // A gate has one line: the setting that made it.
        TrialWork::Gate(work) => (&work.gate.place, &work.gate.place, Tier::Full, &[]),
        // A list defers no case.
        TrialWork::Deferred(_) | TrialWork::Broken(_) => return None,
    };
    let (start, (end_line, end_col)) = (place.locate(), extent.end());
    let mut line = json!({
        "type": "test",
        "event": "discovered",
        "name": trial.name,
        "ignore": trial.ignore.is_some(),
        "ignore_message": trial.ignore.as_ref().and_then(|ignore| ignore.reason.as_deref()).unwrap_or_default(),
        "source_path": base.join(&start.file).to_string_lossy(),
        "start_line": start.line,
        "start_col": start.column,
        "end_line": end_line,
        "end_col": end_col,
        "identifier": build_identifier(&trial.name),
        "tier": tier,
        "tags": tags,
    });
    let variant = match &trial.work {
        TrialWork::Case(work) => work.variant.as_ref(),
        TrialWork::Gate(work) => work.variant.as_ref(),
        TrialWork::Deferred(_) | TrialWork::Broken(_) => None,
    };
    if let Some(variant) = variant {
        line["variant"] = json!(variant.name);
        line["case_name"] = json!(variant.case_name);
    }
    // The row of values that fills the case: `file:line:column`.
    if let TrialWork::Case(work) = &trial.work
        && let Some(row) = &work.case.row
    {
        line["row"] = json!(row.place.to_string());
    }
    Some(line)
}
