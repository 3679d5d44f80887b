//! `several_traces`: a case without `trace` finds several files of its name, and takes the first one.

use std::path::Path;

use super::{LintRemark, quote_names};
use crate::case::Case;
use crate::source::Files;
use crate::suite::list_default_traces;

pub(super) fn find_remark(case: &Case, path: &Path, files: &Files) -> Option<LintRemark> {
    let found: Vec<String> =
        list_default_traces(case, path, files).iter().map(|trace| files.name(trace)).collect();
    let (taken, others) = found.split_first()?;
    if others.is_empty() {
        return None;
    }
    Some(LintRemark {
        lint: "several_traces",
        at: case.trace_place().locate(),
        message: format!("the case takes the trace `{taken}`, and nobody reads {}", quote_names(others)),
        help: "remove the other traces, or name the one with `trace:`",
    })
}
