//! Runs of agents as recordings: what they were made for, and their files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use crate::agent::KeepRun;
use crate::case::{AgentFingerprint, Case};
use crate::report::render_utc;
use crate::source::Files;
use crate::suite::record_run;
use crate::trace::Trace;

/// The program that recordings name.
const RECORDED_BY: &str = concat!("arraign ", env!("CARGO_PKG_VERSION"));

/// Returns a function that writes a run of the case to its file.
pub(super) fn keep_in_files(
    case: &Arc<Case>,
    path: &Arc<PathBuf>,
    files: &Arc<Files>,
    fingerprint: &Arc<AgentFingerprint>,
) -> KeepRun {
    let case = Arc::clone(case);
    let path = Arc::clone(path);
    let files = Arc::clone(files);
    let fingerprint = Arc::clone(fingerprint);
    Arc::new(move |number, run| {
        let trace = stamp_run(&case, &fingerprint, &run.trace);
        let facts = run.workspace.as_ref().map(|workspace| &*workspace.facts);
        Ok(record_run(&case, &path, &files, number, &trace, facts)?)
    })
}

/// Adds to the run of an agent for what it was made: a replay compares it with the case and the agent then.
pub(super) fn stamp_run(case: &Case, agent: &AgentFingerprint, run: &Trace) -> Trace {
    let at = format!("{}Z", render_utc(SystemTime::now()));
    Trace { recorded: Some(Box::new(agent.stamp(case, run, RECORDED_BY, &at))), ..run.clone() }
}
